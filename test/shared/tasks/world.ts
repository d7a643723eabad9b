/** One task among workers, senders, callers and a clock that jumps; applies their actions in any order. */

import type { WorkerProcess } from '../../../shared/core/worker-process.ts';
import type { TaskEvent } from '../../../shared/tasks/decide.ts';
import { isOpen, type Moved, type Task } from '../../../shared/tasks/task.ts';
import { checkStep } from './invariants.ts';
import type { TaskRules } from './task-rules.ts';
import { BEGIN } from './task-scenario.ts';

/** The next action, by whom, and after how many milliseconds. A negative time sets the clock back. */
export type WorldStep = { who: number; does: Action; wait: number; progress: number; checkpoint: number };
export type Action = (typeof ACTIONS)[number];

export const ACTIONS = [
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

export function world(rule: TaskRules, o: { hasWebhook: boolean; timeoutMs: number }) {
  let task: Task = rule.newTask({ face: 'agents', type: 'made', priority: 5, now: BEGIN, ...o });
  let now = BEGIN;
  let dueAt = rule.dueAtFor(task, undefined, now);
  /** The attempt that each worker, and the delivery attempt that each sender, believes to hold; it may be outdated. */
  const attempts: number[] = [];
  const sendings: number[] = [];
  const pushed: string[] = [];

  function apply(event: TaskEvent): Moved | undefined {
    const before = Object.freeze(task);
    const decision = rule.decide(before, event, now);
    if ('ignore' in decision) return undefined;
    const storedDueAt = dueAt;
    task = decision.next;
    dueAt = rule.dueAtFor(task, storedDueAt, now);
    checkStep({ before, event, now, moved: decision, wakeBy: rule.wakeTime(task), dueAt });
    pushed.push(...decision.effects.flatMap((effect) => (effect.do === 'push' ? [effect.message] : [])));
    return decision;
  }

  function claim(who: number, process?: WorkerProcess): boolean {
    const isMine = apply({ type: 'claim', process }) !== undefined && task.state === 'running';
    if (isMine) attempts[who] = task.attempt;
    return isMine;
  }

  function sendClaim(who: number): boolean {
    const isMine = apply({ type: 'sendClaim' }) !== undefined;
    if (isMine) sendings[who] = task.hook?.tries ?? 0;
    return isMine;
  }

  function succeedAndSend(who: number, attempt: number): void {
    const decision = apply({ type: 'finish', attempt, as: 'succeeded', claimsDelivery: true });
    if (decision && task.hook?.state === 'sending') sendings[who] = task.hook.tries;
  }

  function take({ who, does, wait, progress, checkpoint }: WorldStep): void {
    now += wait;
    const attempt = attempts[who] ?? 0;
    const tries = sendings[who] ?? 0;
    const endAttempt = (outcome: 'delivered' | 'refused' | { retryAt: number }) =>
      apply({ type: 'sent', tries, outcome });
    const actions: Record<Action, () => unknown> = {
      claim: () => claim(who),
      claimAlone: () => claim(who, 'own'),
      claimOnOneMachine: () => claim(who, 'only'),
      beat: () => apply({ type: 'beat', attempt, progress, checkpoint, stage: 'working' }),
      succeed: () => apply({ type: 'finish', attempt, as: 'succeeded' }),
      succeedAndSend: () => succeedAndSend(who, attempt),
      fail: () => apply({ type: 'finish', attempt, as: 'failed', code: 'FILE_UNAVAILABLE' }),
      fault: () => apply({ type: 'fault', attempt, code: 'MODEL_UNAVAILABLE' }),
      wait: () => apply({ type: 'wait', attempt, until: now + 40_000, waitsFor: 'openai/m: 429' }),
      yield: () => apply({ type: 'yield', attempt }),
      cancel: () => apply({ type: 'cancel', force: false }),
      force: () => apply({ type: 'cancel', force: true }),
      tick: () => apply({ type: 'tick' }),
      restart: () => apply({ type: 'restart' }),
      redrive: () => apply({ type: 'redrive' }),
      sendClaim: () => sendClaim(who),
      delivered: () => endAttempt('delivered'),
      refused: () => endAttempt('refused'),
      retrySoon: () => endAttempt({ retryAt: now + 5_000 }),
      retryLate: () => endAttempt({ retryAt: now + 7_200_000 }),
    };
    actions[does]();
  }

  return {
    take,
    meets: apply,
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
