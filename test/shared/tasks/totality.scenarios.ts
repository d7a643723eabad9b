/** The result of each event in each state: the next state of the task or of its webhook, or why the event is ignored. */
import { expect } from 'vitest';
import type { TaskEvent } from '../../../shared/tasks/decide.ts';
import type { TaskRules } from './task-rules.ts';
import {
  BEGIN,
  beat,
  CANCEL,
  CLAIM,
  delivering,
  FORCE,
  fails,
  fault,
  MINUTE,
  REDRIVE,
  RESTART,
  RUN_NOW,
  type RuleScenario,
  running,
  SEND,
  type Story,
  sentEvent,
  story,
  succeeds,
  TICK,
  waits,
  yields,
} from './task-scenario.ts';

const after = (subject: Story, ...events: TaskEvent[]): Story => {
  for (const event of events) subject.meets(event);
  return subject;
};
const passed = (subject: Story, ms: number): Story => {
  subject.pass(ms);
  return subject;
};

const STATES: Record<string, (rule: TaskRules) => Story> = {
  queued: (rule) => story(rule),
  backing: (rule) => after(running(rule), fault(1)),
  running: (rule) => running(rule),
  lapsed: (rule) => passed(running(rule), MINUTE),
  stopping: (rule) => after(running(rule), CANCEL),
  ended: (rule) => after(running(rule), succeeds(1)),
  failed: (rule) => after(running(rule), fails(1)),
  cancelled: (rule) => after(running(rule), FORCE),
  due: (rule) => delivering(rule),
  later: (rule) => after(delivering(rule), SEND, sentEvent(1, { retryAt: delivering(rule).now() + MINUTE })),
  sending: (rule) => after(delivering(rule), SEND),
  late: (rule) => passed(after(delivering(rule), SEND), MINUTE),
  delivered: (rule) => after(delivering(rule), SEND, sentEvent(1)),
  exhausted: (rule) => after(delivering(rule), SEND, sentEvent(1, 'refused')),
};

const EVENTS: Record<string, TaskEvent> = {
  claim: CLAIM,
  beat: beat(1),
  yield: yields(1),
  fault: fault(1),
  wait: waits(1, BEGIN + MINUTE),
  succeed: succeeds(1),
  fail: fails(1),
  foreign: succeeds(7),
  cancel: CANCEL,
  force: FORCE,
  tick: TICK,
  restart: RESTART,
  redrive: REDRIVE,
  runNow: RUN_NOW,
  send: SEND,
  probe: { type: 'sendClaim', isProbe: true },
  forward: { type: 'bringForward', at: BEGIN + MINUTE / 2 },
  sent: sentEvent(1),
  unsent: sentEvent(0),
};

const TABLE = `
         queued    backing   running   lapsed    stopping  ended   failed  cancelled due     later   sending   late      delivered exhausted
claim    running   -notDue   -leased   running   -leased   -final  -final  -final    -final  -final  -final    -final    -final    -final
beat     -stale    -stale    running   running   running   -final  -final  -final    -final  -final  -final    -final    -final    -final
yield    -stale    -stale    queued    queued    cancelled -final  -final  -final    -final  -final  -final    -final    -final    -final
fault    -stale    -stale    queued    queued    cancelled -final  -final  -final    -final  -final  -final    -final    -final    -final
wait     -stale    -stale    queued    queued    cancelled -final  -final  -final    -final  -final  -final    -final    -final    -final
succeed  -stale    -stale    succeeded succeeded cancelled -final  -final  -final    -final  -final  -final    -final    -final    -final
fail     -stale    -stale    failed    failed    cancelled -final  -final  -final    -final  -final  -final    -final    -final    -final
foreign  -stale    -stale    -stale    -stale    -stale    -final  -final  -final    -final  -final  -final    -final    -final    -final
cancel   cancelled cancelled running   running   -cancelling -final -final -final    -final  -final  -final    -final    -final    -final
force    cancelled cancelled cancelled cancelled cancelled -final  -final  -final    -final  -final  -final    -final    -final    -final
tick     -notDue   -notDue   -notDue   queued    -notDue   -notDue -notDue -notDue   due     -notDue -notDue   due       -notDue   -notDue
restart  queued    queued    queued    queued    cancelled -notDue -notDue -notDue   due     due     due       due       -notDue   -notDue
redrive  queued    queued    -leased   queued    -leased   -final  -final  -final    -final  -final  -final    -final    -final    -final
runNow   -stale    -stale    -stale    -stale    -stale    -final  -final  -final    -final  -final  -final    -final    -final    -final
send     -notDue   -notDue   -notDue   -notDue   -notDue   -notDue -notDue -notDue   sending -notDue -notDue   -notDue   -notDue   -notDue
probe    -notDue   -notDue   -notDue   -notDue   -notDue   -notDue -notDue -notDue   sending sending -notDue   -notDue   -notDue   -notDue
forward  -notDue   -notDue   -notDue   -notDue   -notDue   -notDue -notDue -notDue   -notDue due     -notDue   -notDue   -notDue   -notDue
sent     -notDue   -notDue   -notDue   -notDue   -notDue   -notDue -notDue -notDue   -stale  -stale  delivered delivered -stale    -stale
unsent   -notDue   -notDue   -notDue   -notDue   -notDue   -notDue -notDue -notDue   -stale  -stale  -stale    -stale    -stale    -stale
`;

const rows = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));
const [columns = [], ...lines] = rows;

function outcomeOf(subject: Story, event: TaskEvent): string {
  const isOpen = subject.task().endedAt === undefined;
  const met = subject.meets(event);
  if ('ignore' in met) return `-${met.ignore}`;
  return isOpen ? subject.task().state : String(subject.task().hook?.state);
}

export const TOTALITY: readonly RuleScenario[] = lines.map(([name = '', ...expected]) => ({
  promise: `${name} does what the table says`,
  check(rule) {
    const found = columns.map((state) =>
      outcomeOf((STATES[state] as (rule: TaskRules) => Story)(rule), EVENTS[name] as TaskEvent),
    );
    expect(Object.fromEntries(columns.map((state, at) => [state, found[at]]))).toEqual(
      Object.fromEntries(columns.map((state, at) => [state, expected[at]])),
    );
  },
}));

if (lines.length !== Object.keys(EVENTS).length || columns.length !== Object.keys(STATES).length) {
  throw new Error('The table leaves out an event or a state.');
}
