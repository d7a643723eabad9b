/** Property-based test: random interleavings of all events of a task keep every invariant, and the task always ends. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BEHAVIOURS, driveToEnd } from './drive-to-end.ts';
import { TASK_RULES } from './task-rules.ts';
import { ACTIONS, type Action, type WorldStep, world } from './world.ts';

const RUNS = 10_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Events that end a task are rare, so that histories become long. */
const deed = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom<Action>('claim', 'claimAlone', 'claimOnOneMachine', 'beat', 'sendClaim', 'tick'),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Action>(
      'fault',
      'wait',
      'yield',
      'succeed',
      'succeedAndSend',
      'restart',
      'redrive',
      'retrySoon',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...ACTIONS) },
);
const wait = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(0, 1, SECOND, 5 * SECOND, 20 * SECOND) },
  { weight: 4, arbitrary: fc.constantFrom(30 * SECOND, MINUTE - 1, MINUTE, MINUTE + 1, 10 * MINUTE) },
  { weight: 1, arbitrary: fc.constantFrom(61 * MINUTE, -1, -5 * SECOND, -MINUTE) },
);
const step: fc.Arbitrary<WorldStep> = fc.record({
  who: fc.nat(2),
  does: deed,
  wait,
  progress: fc.nat(120),
  checkpoint: fc.nat(3),
});
const history = fc.record({
  steps: fc.array(step, { maxLength: 60, size: 'max' }),
  hasWebhook: fc.boolean(),
  timeoutMs: fc.constantFrom(MINUTE, 60 * MINUTE, 240 * MINUTE),
  behaviour: fc.constantFrom(...BEHAVIOURS),
});

it(`keeps every promise over ${RUNS} interleavings, and always ends`, { timeout: 60_000 }, () => {
  const ends = new Map<string, number>();
  const endsInTime = fc.property(history, ({ steps, hasWebhook, timeoutMs, behaviour }) => {
    const history = world(TASK_RULES, { hasWebhook, timeoutMs });
    let skewMs = 0;
    for (const action of steps) {
      history.take(action);
      skewMs += Math.max(0, -action.wait);
    }
    const wasOpen = history.isOpen();
    driveToEnd(history, behaviour, skewMs);
    const [firstPush] = history.pushed;
    expect(history.pushed.filter((message) => message === 'started').length).toBeLessThan(2);
    if (history.task().startedAt !== undefined) expect(firstPush).toBe('started');
    const end = `${wasOpen ? behaviour : 'before'}: ${history.task().state}, ${history.task().hook?.state ?? 'no webhook'}`;
    ends.set(end, (ends.get(end) ?? 0) + 1);
  });
  fc.assert(endsInTime, { numRuns: RUNS });
  // Checks that the histories cover all kinds of ends, without which the test would prove little.
  for (const state of ['succeeded', 'failed', 'cancelled']) {
    for (const delivery of ['delivered', 'exhausted', 'no webhook']) {
      expect(ends.get(`before: ${state}, ${delivery}`) ?? 0, `${state}, ${delivery}`).toBeGreaterThan(RUNS / 200);
    }
  }
  expect(ends.get('absent: failed, no webhook')).toBeGreaterThan(0);
});
