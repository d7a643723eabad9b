/** A task's item stays within the 1,024 bytes of one write unit in every state. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { dynamoItem } from '../../../adapters/aws/dynamo-items.ts';
import { STAGES } from '../../../shared/agents/agent-input.ts';
import { ids } from '../../../shared/core/ids.ts';
import { namespaceMark, taskDraft } from '../../../shared/tasks/rows.ts';
import { newTask, type PastAttempt, type Task, type TaskApi } from '../../../shared/tasks/task.ts';
import { MAX_WAITS_FOR } from '../../../shared/tasks/task-failure.ts';
import { setClock } from '../../ports/clock.ts';

const WRITE_UNIT_BYTES = 1_024;
const AT = Date.parse('2199-12-31T23:59:59.999Z');
/** A day of waiting and four hours of work. */
const LATE_MS = 28 * 3_600_000;
const LONGEST_TYPE = 'notification_agent';
const LONGEST_STAGE = 'x'.repeat(16);

it.each(Object.values(STAGES).flat())('has room for the stage %s', (stage) => {
  expect(stage.length).toBeLessThanOrEqual(LONGEST_STAGE.length);
});

/** Size as DynamoDB counts it: the bytes of a string; for a number one byte per two digits plus one. */
const bytesOf = ({ S, N }: AttributeValue): number =>
  N === undefined ? Buffer.byteLength(S ?? '') : Math.ceil(N.length / 2) + 1;

const sizeOf = (item: Record<string, AttributeValue>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + bytesOf(value), 0);

/** At most two unfinished attempts may have failed; the others were handed over or vanished. */
const HOW = ['PROCESSING_FAILED', 'MODEL_UNAVAILABLE', 'vanished'] as const;

const busyTask = (api: TaskApi, type: string): Task => ({
  ...newTask({ face: api, type, priority: 10, now: AT, timeoutMs: 240 * 60_000, hasWebhook: true }),
  hints: 150,
  startedAt: AT,
  attempt: 100,
  claimedAt: AT,
  failures: 2,
  vanished: 5,
  checkpoint: 99,
  checkpointOf: 100,
  stage: LONGEST_STAGE,
  progress: 99,
  seq: 99_999,
  cancelAt: AT,
  past: HOW.map((how, at): PastAttempt => [97 + at, LATE_MS, LATE_MS, how]),
});

const ENDED: Partial<Task> = {
  state: 'cancelled',
  endedAt: AT,
  code: 'PROCESSING_FAILED',
  resultOf: 100,
  progress: 100,
};

const WAITS_FOR = 'x'.repeat(MAX_WAITS_FOR);

/** The longest values of each field, although no task has all of them. */
const WORST: Record<string, Partial<Task>> = {
  'while it runs': { state: 'running', leaseUntil: AT, alone: true, waitsFor: WAITS_FOR },
  'while it waits for its model': { waitsFor: WAITS_FOR },
  'while its end is delivered': {
    ...ENDED,
    hook: { state: 'sending', tries: 99, nextAt: AT, leaseUntil: AT, planFrom: 90 },
  },
  'while it is delivered again': {
    ...ENDED,
    past: [],
    hook: { state: 'sending', tries: 99, nextAt: AT, leaseUntil: AT, planFrom: 90, taken: [AT, 15_000, 200] },
  },
};

/** After years of daily runs, with the longest name of a time zone. */
const LATE_WAIT: PastAttempt = [9_998, AT, AT, 'waited'];
const RECURRING = {
  attempt: 9_999,
  checkpointOf: 9_999,
  recurs: {
    by: 'm31 235959 America/Argentina/ComodRivadavia',
    slotAt: AT,
    run: 9_999,
    seq: 99_999,
    extraAt: AT,
  },
  seq: 99_999,
} satisfies Partial<Task>;
const SWITCHED_OFF: Partial<Task> = { past: [], recurs: { ...RECURRING.recurs, isOff: true } };

const TYPES: [TaskApi, string][] = [
  ['files-and-tasks', namespaceMark('n'.repeat(128))],
  ['agents', LONGEST_TYPE],
];

/** Nobody wished to cancel it, and no attempt had a result. */
const { cancelAt: _cancelAt, past: _past, ...BUSY } = busyTask('agents', LONGEST_TYPE);
const WAITED: PastAttempt = [100, LATE_MS, LATE_MS, 'waited'];
const TIMED_OUT: Omit<Task, 'face' | 'type'> = {
  ...BUSY,
  state: 'failed',
  endedAt: AT,
  code: 'TASK_TIMEOUT',
  waitsFor: WAITS_FOR,
  past: [[99, LATE_MS, LATE_MS, 'MODEL_UNAVAILABLE'], WAITED],
  hook: { state: 'sending', tries: 99, nextAt: AT, leaseUntil: AT, planFrom: 90 },
};

/** A recurring task stores each attempt in a separate row. */
const { 'while it is delivered again': _never, ...OF_RECURRING } = WORST;

type SizeCase = { face: TaskApi; type: string; when: string; item: Task };

const cases: SizeCase[] = TYPES.flatMap(([api, type]) =>
  Object.entries(WORST).map(([when, worst]) => ({ face: api, type, when, item: { ...busyTask(api, type), ...worst } })),
);
cases.push(
  ...Object.entries(OF_RECURRING).map(([when, worst]) => ({
    face: 'agents' as const,
    type: LONGEST_TYPE,
    when: `${when}, recurring`,
    item: {
      ...busyTask('agents', LONGEST_TYPE),
      ...worst,
      ...RECURRING,
      ...(worst.state === 'cancelled' ? SWITCHED_OFF : { past: [LATE_WAIT] }),
    },
  })),
  ...TYPES.map(([api, type]) => ({
    face: api,
    type,
    when: 'when it waited until its deadline',
    item: { ...TIMED_OUT, face: api, type },
  })),
);

/** Only research has activity, and it does not recur. */
cases.push(
  ...Object.entries(WORST).map(([when, worst]) => {
    const item = { ...busyTask('agents', 'research_agent'), ...worst, eventsIn: '99#100' };
    return { face: 'agents' as const, type: 'research_agent', when: `${when}, with activity`, item };
  }),
);

it.each(cases)('is one write unit at its worst: $face, $when', ({ item: task }) => {
  const { uuid, mark } = ids(setClock(AT));
  for (let n = 0; n < 100_000; n++) mark(); // versions grow with the number of an instance's writes
  const address = { organization: uuid(), taskId: uuid() };
  const draft = taskDraft(address, task, AT);
  expect(draft.dueAt).toBeDefined();
  const item = dynamoItem.ofRow({ ...draft, version: mark() }, JSON.stringify(draft.value));
  expect(sizeOf(item)).toBeGreaterThan(WRITE_UNIT_BYTES / 2);
  expect(sizeOf(item)).toBeLessThanOrEqual(WRITE_UNIT_BYTES);
});
