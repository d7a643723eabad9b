/** One task among workers, senders, callers and a clock that jumps; applies their actions in any order. */

import type { WorkerProcess } from '../../../shared/core/worker-process.ts';
import type { TaskEvent } from '../../../shared/tasks/decide.ts';
import { isOpen, type Moved, type Task } from '../../../shared/tasks/task.ts';
import { checkStep } from './invariants.ts';
import type { Rule } from './rule.ts';
import { BEGIN } from './story.ts';

/** The next action, by whom, and after how many milliseconds. A negative time sets the clock back. */
export type Step = { who: number; does: Deed; wait: number; progress: number; checkpoint: number };
export type Deed = (typeof DEEDS)[number];

export const DEEDS = [
  'claim',
  'claimAlone',
  'claimOnOneMachine',
  'beat',
  'succeed',
  'succeedAndSend',
  'fail',
  'fault',
  'wait',
  'yield',
  'cancel',
  'force',
  'tick',
  'restart',
  'redrive',
  'sendClaim',
  'delivered',
  'refused',
  'retrySoon',
  'retryLate',
] as const;

export type World = ReturnType<typeof world>;

export function world(rule: Rule, o: { hasHook: boolean; timeoutMs: number }) {
  let task: Task = rule.newTask({ face: 'agents', type: 'made', priority: 5, now: BEGIN, ...o });
  let now = BEGIN;
  let dueAt = rule.dueAtFor(task, undefined, now);
  /** The attempt that each worker, and the delivery attempt that each sender, believes to hold; it may be outdated. */
  const attempts: number[] = [];
  const sendings: number[] = [];
  const pushed: string[] = [];

  function meets(event: TaskEvent): Moved | undefined {
    const before = Object.freeze(task);
    const decision = rule.decide(before, event, now);
    if ('ignore' in decision) return undefined;
    const heldDueAt = dueAt;
    task = decision.next;
    dueAt = rule.dueAtFor(task, heldDueAt, now);
    checkStep({ before, event, now, moved: decision, wakeBy: rule.mustWakeBy(task), dueAt });
    pushed.push(...decision.effects.flatMap((effect) => (effect.do === 'push' ? [effect.message] : [])));
    return decision;
  }

  function claim(who: number, process?: WorkerProcess): boolean {
    const isMine = meets({ type: 'claim', process }) !== undefined && task.state === 'running';
    if (isMine) attempts[who] = task.attempt;
    return isMine;
  }

  function sendClaim(who: number): boolean {
    const isMine = meets({ type: 'sendClaim' }) !== undefined;
    if (isMine) sendings[who] = task.hook?.tries ?? 0;
    return isMine;
  }

  function succeedAndSend(who: number, attempt: number): void {
    const decision = meets({ type: 'finish', attempt, as: 'succeeded', claimsDelivery: true });
    if (decision && task.hook?.state === 'sending') sendings[who] = task.hook.tries;
  }

  function take({ who, does, wait, progress, checkpoint }: Step): void {
    now += wait;
    const attempt = attempts[who] ?? 0;
    const tries = sendings[who] ?? 0;
    const endAttempt = (outcome: 'delivered' | 'refused' | { retryAt: number }) =>
      meets({ type: 'sent', tries, outcome });
    const deeds: Record<Deed, () => unknown> = {
      claim: () => claim(who),
      claimAlone: () => claim(who, 'own'),
      claimOnOneMachine: () => claim(who, 'only'),
      beat: () => meets({ type: 'beat', attempt, progress, checkpoint, stage: 'working' }),
      succeed: () => meets({ type: 'finish', attempt, as: 'succeeded' }),
      succeedAndSend: () => succeedAndSend(who, attempt),
      fail: () => meets({ type: 'finish', attempt, as: 'failed', code: 'FILE_UNAVAILABLE' }),
      fault: () => meets({ type: 'fault', attempt, code: 'MODEL_UNAVAILABLE' }),
      wait: () => meets({ type: 'wait', attempt, until: now + 40_000, waitsFor: 'openai/m: 429' }),
      yield: () => meets({ type: 'yield', attempt }),
      cancel: () => meets({ type: 'cancel', force: false }),
      force: () => meets({ type: 'cancel', force: true }),
      tick: () => meets({ type: 'tick' }),
      restart: () => meets({ type: 'restart' }),
      redrive: () => meets({ type: 'redrive' }),
      sendClaim: () => sendClaim(who),
      delivered: () => endAttempt('delivered'),
      refused: () => endAttempt('refused'),
      retrySoon: () => endAttempt({ retryAt: now + 5_000 }),
      retryLate: () => endAttempt({ retryAt: now + 7_200_000 }),
    };
    deeds[does]();
  }

  return {
    take,
    meets,
    claim,
    sendClaim,
    task: () => task,
    isOpen: () => isOpen(task),
    now: () => now,
    dueAt: () => dueAt,
    pushed,
    attemptOf: (who: number) => attempts[who] ?? 0,
    triesOf: (who: number) => sendings[who] ?? 0,
    sleepUntil: (at: number) => {
      now = Math.max(now, at);
    },
  };
}
