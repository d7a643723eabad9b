/** `errand task`: the history of a task, its redrive, and the immediate run of a recurring task. */
import { withAudit } from '../../shared/accounts/audit.ts';
import { nextRunAt } from '../../shared/agents/agent-task.ts';
import { Problem } from '../../shared/core/problem.ts';
import { DAYS, parseSchedule, type Schedule, type ScheduleText } from '../../shared/schedules/schedule.ts';
import type { TaskEvent } from '../../shared/tasks/decide.ts';
import { inputOf, readWithDetails } from '../../shared/tasks/details.ts';
import { type TaskAddress, taskKey } from '../../shared/tasks/rows.ts';
import { runsOf } from '../../shared/tasks/runs.ts';
import { isOpen, type Task } from '../../shared/tasks/task.ts';
import { taskHistory } from '../../shared/tasks/task-history.ts';
import { type MoveOutcome, moveTask } from '../../shared/tasks/transition.ts';
import { waitingFor } from '../../shared/tasks/waiting-for.ts';
import {
  type CommandLine,
  type CommandOutput,
  type Noun,
  type Operator,
  plain,
  type ShownValue,
  timeOf,
} from './command.ts';
import { findOrganization } from './org.ts';

/** A schedule in words. */
export function scheduleInWords(text: ScheduleText): string {
  const schedule = parseSchedule(text);
  return `${daysOf(schedule)} at ${schedule.time} ${schedule.zone}`;
}

function daysOf(schedule: Schedule): string {
  if (schedule.every === 'day') return 'every day';
  if (schedule.every === 'month') return `on day ${schedule.day} of every month`;
  const day = DAYS[schedule.day - 1] ?? '';
  return `every ${day.charAt(0).toUpperCase()}${day.slice(1)}`;
}

/** The maximum of runs shown, newest first. */
const MAX_RUNS = 20;
const MAX_INPUT = 1_000;

type AddressedTask = { address: TaskAddress; task: Task };

async function findTask({ table }: Operator, { args: [typed = ''], options }: CommandLine): Promise<AddressedTask> {
  const { id } = await findOrganization(table, options.org ?? '');
  const address = { organization: id, taskId: typed.replace(/^task_/, '') };
  const row = await table.get<Task>(taskKey(address));
  if (!row) throw new Problem('notFound', `There is no task ${JSON.stringify(typed.slice(0, 80))} in ${options.org}.`);
  return { address, task: row.value };
}

async function show(operator: Operator, line: CommandLine): Promise<ShownValue> {
  const { address, task } = await findTask(operator, line);
  const attempts = await taskHistory(operator.table, address, task);
  const runs = task.recurs ? await runsOf(operator.table, address, MAX_RUNS) : [];
  const begun: CommandOutput = {
    at: timeOf(task.createdAt),
    attempt: null,
    what: 'accepted',
    until: null,
    message: null,
  };
  const behind: CommandOutput[] = runs.reverse().map(({ value }) => ({
    at: timeOf(value.startedAt),
    attempt: value.attempt,
    what: `run ${value.run?.number} ${value.state}`,
    until: timeOf(value.endedAt),
    message: value.code ?? null,
  }));
  const latest: CommandOutput[] = attempts.map(({ attempt, from, to, how, message }) => ({
    at: timeOf(from),
    attempt,
    what: how,
    until: timeOf(to),
    message: message ?? null,
  }));
  const wait = waitingFor(task);
  const now: CommandOutput[] = wait
    ? [{ at: null, attempt: null, what: 'queued', until: timeOf(task.queuedAt), message: wait }]
    : [];
  const timeline = [...behind, ...latest, ...now];
  const { about } = await readWithDetails(operator.table, address);
  const input = await inputOf(operator.table, address, about);
  if (line.options.json) return { report: { ...summaryOf(address, task), input, timeline } };
  return { report: [begun, ...timeline], note: `${noteOf(task)}\nInput: ${shortJson(input)}` };
}

/** The input of a task in one line; `--json` shows all of it. */
function shortJson(input: unknown): string {
  const text = plain(JSON.stringify(input));
  return text.length > MAX_INPUT ? `${text.slice(0, MAX_INPUT - 1).toWellFormed()}…` : text;
}

const summaryOf = ({ organization, taskId }: TaskAddress, task: Task): CommandOutput => ({
  id: taskId,
  organization,
  api: task.face,
  state: task.state,
  stage: stageOf(task) ?? null,
  progress: task.progress,
  failures: task.failures,
  code: task.code ?? null,
  webhook: task.hook?.state ?? null,
  createdAt: timeOf(task.createdAt),
  startedAt: timeOf(task.startedAt),
  endedAt: timeOf(task.endedAt),
  ...(task.recurs
    ? { run: task.recurs.run, schedule: scheduleInWords(task.recurs.by), nextRunAt: timeOf(nextRunAt(task)) }
    : {}),
});

/** An ended task has no stage. */
const stageOf = (task: Task): string | undefined => (isOpen(task) ? task.stage : undefined);

function noteOf(task: Task): string {
  const { progress, code, hook: delivery, recurs } = task;
  const [stage, next] = [stageOf(task), nextRunAt(task)];
  const facts = [
    isOpen(task) && `${progress} %`,
    stage && `stage ${stage}`,
    code,
    delivery && `webhook ${delivery.state}`,
    recurs && `run ${recurs.run}, ${scheduleInWords(recurs.by)}`,
    recurs && next && `next at ${timeOf(next)}`,
  ];
  return `${[STATES[task.state], facts.filter(Boolean).join(', ')].filter(Boolean).join(': ')}.`;
}

const STATES: Record<Task['state'], string> = {
  queued: 'It is queued',
  running: 'It is running',
  succeeded: 'It has succeeded',
  failed: 'It has failed',
  cancelled: 'It was cancelled',
};

async function redrive(operator: Operator, line: CommandLine): Promise<ShownValue> {
  const { address } = await findTask(operator, line);
  await pushEvent(operator, { address, verb: 'redrive' }, { type: 'redrive' }, ({ ignored, row: { value } }) => {
    if (ignored === 'leased') return `runs, with a lease until ${timeOf(value.leaseUntil)}`;
    return isOpen(value) ? 'waits for its next run: see task run-now' : 'has ended: submit it again';
  });
  return { report: { id: address.taskId, state: 'queued' }, note: 'A worker picks it up within a minute.' };
}

async function runNow(operator: Operator, line: CommandLine): Promise<ShownValue> {
  const { address, task: existing } = await findTask(operator, line);
  if (!existing.recurs) throw refusal('runs once: submit it again');
  const task = await pushEvent(operator, { address, verb: 'run-now' }, { type: 'runNow' }, ({ ignored }) =>
    ignored === 'leased' ? 'is running: wait for the end of its run' : 'is cancelled',
  );
  const { run } = task?.recurs ?? existing.recurs;
  const note = `Run ${run} begins within a minute; its slots stay as they are.`;
  return { report: { id: address.taskId, run }, note };
}

type TaskCommand = { address: TaskAddress; verb: 'redrive' | 'run-now' };

/** An ignored event throws inside the audited action, so that the audit row records the failure. */
function pushEvent(
  operator: Operator,
  { address, verb }: TaskCommand,
  event: TaskEvent,
  why: (ignored: MoveOutcome) => string,
): Promise<Task | undefined> {
  const { table, clock, by } = operator;
  const { organization, taskId } = address;
  return withAudit(operator, { by, act: `task ${verb}`, organization, subject: taskId }, async () => {
    const outcome = await moveTask({ table, clock, hints: async () => undefined }, address, event);
    if (outcome?.ignored) throw refusal(why(outcome));
    return outcome?.row.value;
  });
}

const refusal = (why: string) => new Problem('invalid', `This task ${why}.`);

export const task: Noun = {
  show: {
    usage: 'show TASK --org ORG',
    about: 'shows every attempt at a task, and how it ended',
    args: [1, 1],
    needs: ['org'],
    run: show,
  },
  redrive: {
    usage: 'redrive TASK --org ORG',
    about: 'runs a task again now that waits or lost its worker',
    args: [1, 1],
    needs: ['org'],
    run: redrive,
  },
  'run-now': {
    usage: 'run-now TASK --org ORG',
    about: 'runs a recurring task once now, in addition to its schedule',
    args: [1, 1],
    needs: ['org'],
    run: runNow,
  },
};
