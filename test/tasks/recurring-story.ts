/** Tasks that recur, at the moments from which their stories are told. */
import type { Rule } from './rule.ts';
import { BEGIN, CLAIM, DAY, HOUR, MINUTE, SECOND, type Story, story, succeeds } from './story.ts';

/** As it begins at eight, its slots lie at eight. */
export const DAILY = 'd 080000 UTC';
/** Of Fridays, as it begins on one. */
export const WEEKLY = 'w5 080000 UTC';
export const SLOT = BEGIN + DAY;
export const NOT_DUE = { ignore: 'notDue' };

export const recurring = (rule: Rule, o: { hasHook?: boolean; recurs?: string; firstAt?: number } = {}) =>
  story(rule, { recurs: DAILY, firstAt: SLOT, ...o });

/** In its first run, since a second after its slot. */
export function inRun(rule: Rule, o: Parameters<typeof recurring>[1] = {}): Story {
  const told = recurring(rule, o);
  told.after(DAY + SECOND, CLAIM);
  return told;
}

/** Its first run has ended, and nobody has looked since. */
export function behindRun(rule: Rule, o: Parameters<typeof recurring>[1] = {}): Story {
  const told = inRun(rule, o);
  told.after(DAY + 5 * SECOND, succeeds(1));
  return told;
}

export const waitingFor = (slotAt: number) => ({
  queuedAt: slotAt,
  hintAt: slotAt + MINUTE,
  hints: 0,
  deadlineAt: slotAt + DAY,
});

/** As it waits for its second run. */
export const RENEWED = {
  face: 'agents',
  type: 'made',
  priority: 5,
  createdAt: BEGIN,
  timeoutMs: HOUR,
  attempt: 1,
  seq: 3,
  state: 'queued',
  ...waitingFor(SLOT + DAY),
  failures: 0,
  vanished: 0,
  checkpoint: 0,
  progress: 0,
  recurs: { by: DAILY, slotAt: SLOT + DAY, run: 2, seq: 3 },
};
