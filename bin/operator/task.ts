/** `errand task`: what became of a task, and a push for one that does not move. */
import { audited } from '../../shared/accounts/audit.ts';
import { Problem } from '../../shared/core/problem.ts';
import { moveTask } from '../../shared/tasks/move-task.ts';
import type { Task } from '../../shared/tasks/task.ts';
import { taskHistory } from '../../shared/tasks/task-history.ts';
import { type TaskAddress, taskKey } from '../../shared/tasks/task-rows.ts';
import { findOrganization } from './find-organization.ts';
import { type Report, type Shown, timeOf } from './show.ts';
import type { Line, Noun, Operator } from './verb.ts';

type Found = { address: TaskAddress; task: Task };

async function findTask({ table }: Operator, { args: [typed = ''], options }: Line): Promise<Found> {
  const { id } = await findOrganization(table, options.org ?? '');
  const address = { organization: id, taskId: typed.replace(/^task_/, '') };
  const row = await table.get<Task>(taskKey(address));
  if (!row) throw new Problem('notFound', `There is no task ${JSON.stringify(typed.slice(0, 80))} in ${options.org}.`);
  return { address, task: row.value };
}

async function show(operator: Operator, line: Line): Promise<Shown> {
  const { address, task } = await findTask(operator, line);
  const attempts = await taskHistory(operator.table, address, task);
  const begun: Report = { at: timeOf(task.createdAt), attempt: null, what: 'accepted', until: null, message: null };
  const timeline: Report[] = attempts.map(({ attempt, from, to, how, message }) => ({
    at: timeOf(from),
    attempt,
    what: how,
    until: timeOf(to),
    message: message ?? null,
  }));
  if (line.options.json) return { report: { ...summaryOf(address, task), timeline } };
  return { report: [begun, ...timeline], note: noteOf(task) };
}

const summaryOf = ({ organization, taskId }: TaskAddress, task: Task): Report => ({
  id: taskId,
  organization,
  api: task.face,
  state: task.state,
  stage: task.stage ?? null,
  progress: task.progress,
  failures: task.failures,
  code: task.code ?? null,
  webhook: task.hook?.state ?? null,
  createdAt: timeOf(task.createdAt),
  startedAt: timeOf(task.startedAt),
  endedAt: timeOf(task.endedAt),
});

function noteOf({ state, stage, progress, code, hook }: Task): string {
  const facts = [`${progress} %`, stage && `stage ${stage}`, code, hook && `webhook ${hook.state}`];
  return `It is ${state}: ${facts.filter((fact) => fact !== undefined).join(', ')}.`;
}

async function redrive(operator: Operator, line: Line): Promise<Shown> {
  const { table, clock, by } = operator;
  const { address } = await findTask(operator, line);
  const { organization, taskId } = address;
  const outcome = await audited(operator, { by, act: 'task redrive', organization, subject: taskId }, () =>
    moveTask({ table, clock, hints: async () => undefined }, address, { type: 'redrive' }),
  );
  if (outcome?.ignored === 'leased') throw refused(`is being worked on until ${leaseOf(outcome.row.value)} at least`);
  if (outcome?.ignored) throw refused('has ended: submit it anew');
  return { report: { id: taskId, state: 'queued' }, note: 'A worker is told of it within a minute.' };
}

const leaseOf = ({ leaseUntil }: Task): string | null => timeOf(leaseUntil);
const refused = (why: string) => new Problem('invalid', `This task ${why}.`);

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
    about: 'has a task that waits, or lost its worker, tried again now',
    args: [1, 1],
    needs: ['org'],
    run: redrive,
  },
};
