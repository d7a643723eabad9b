/** Drives a task to its end by reconciler rounds and the reactions of workers to hints only. */

import type { TaskEvent } from '../../../shared/tasks/decide.ts';
import type { Moved } from '../../../shared/tasks/task.ts';
import type { World } from './world.ts';

/** The behaviour of all workers and senders from now on. */
export const BEHAVIOURS = ['working', 'faulting', 'waiting', 'vanishing', 'absent'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

const WHO = 9;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MAX_POLLS = 2_000;
const MAX_IN_VAIN = 2;

/** Upper bound of the virtual time until the task ends. */
const WITHIN: Record<Behaviour, (timeoutMs: number) => number> = {
  working: () => 13 * MINUTE,
  faulting: () => 20 * MINUTE,
  waiting: (timeoutMs) => timeoutMs + 20 * MINUTE,
  vanishing: () => 20 * MINUTE,
  absent: (timeoutMs) => 24 * HOUR + timeoutMs,
};

/** The reconciler runs once a minute, so it may be up to a minute late for each due time. */
export function driveToEnd(world: World, behaviour: Behaviour, skewMs: number): void {
  const from = world.now();
  const by = from + WITHIN[behaviour](world.task().timeoutMs) + skewMs;
  for (let looks = 0; world.isOpen(); looks++) {
    if (looks > MAX_POLLS) throw new Error('It never ends.');
    look(world, behaviour);
    if (world.isOpen() && world.now() > by) throw new Error(`It has not ended after ${world.now() - from} ms.`);
  }
  if (behaviour === 'absent' || !world.task().hook) return;
  for (let looks = 0; world.dueAt() !== undefined; looks++) {
    if (looks > MAX_POLLS) throw new Error('Its event is neither delivered nor given up.');
    look(world, behaviour);
  }
}

function look(world: World, behaviour: Behaviour): void {
  const dueAt = world.dueAt();
  if (dueAt === undefined) throw new Error('Nobody looks at it any more.');
  world.sleepUntil(dueAt);
  // A round before the due time is harmless, but must not repeat many times.
  for (let looks = 0; looks < MAX_IN_VAIN; looks++) {
    world.sleepUntil(world.now() + MINUTE);
    const moved = world.meets({ type: 'tick' });
    if (!moved) continue;
    follow(world, behaviour, moved);
    return;
  }
  throw new Error('It is looked at in vain again and again.');
}

function follow(world: World, behaviour: Behaviour, moved: Moved | undefined): void {
  if (behaviour === 'absent') return;
  for (const effect of moved?.effects ?? []) {
    if (effect.do === 'push') continue;
    world.sleepUntil(world.now() + effect.delaySeconds * 1_000);
    if (effect.do === 'hintWorker') work(world, behaviour);
    else send(world, behaviour);
  }
}

function work(world: World, behaviour: Behaviour): void {
  // A suspect needs a process of its own.
  const isClaimed = world.claim(WHO) || world.claim(WHO, 'own');
  if (!isClaimed || behaviour === 'vanishing') return;
  const attempt = world.attemptOf(WHO);
  follow(world, behaviour, world.meets(outcomeOf(behaviour, attempt, world.now())));
}

function outcomeOf(behaviour: Behaviour, attempt: number, now: number): TaskEvent {
  if (behaviour === 'working') return { type: 'finish', attempt, as: 'succeeded' };
  if (behaviour === 'faulting') return { type: 'fault', attempt, code: 'PROCESSING_FAILED' };
  return { type: 'wait', attempt, until: now + 2 * MINUTE, waitsFor: 'openai/m: 503' };
}

function send(world: World, behaviour: Behaviour): void {
  if (!world.sendClaim(WHO) || behaviour === 'vanishing') return;
  const tries = world.triesOf(WHO);
  const outcome = behaviour === 'working' ? 'delivered' : { retryAt: world.now() + MINUTE };
  follow(world, behaviour, world.meets({ type: 'sent', tries, outcome }));
}
