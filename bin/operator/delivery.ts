/** `errand delivery`: the deliveries of a task's webhooks. */
import { withAudit } from '../../shared/accounts/audit.ts';
import type { Table } from '../../shared/ports.ts';
import type { TaskAddress } from '../../shared/tasks/rows.ts';
import { type Delivery, deliveriesOf, redeliver } from '../../shared/webhooks/deliveries.ts';
import type { NumberedAttempt } from '../../shared/webhooks/delivery-log.ts';
import { type CommandLine, type CommandOutput, type Noun, type Operator, type ShownValue, timeOf } from './command.ts';
import { findOrganization } from './org.ts';

async function addressIn(table: Table, { args: [typed = ''], options }: CommandLine): Promise<TaskAddress> {
  const { id: organization } = await findOrganization(table, options.org ?? '');
  return { organization, taskId: typed.replace(/^task_/, '') };
}

async function list({ table }: Operator, line: CommandLine): Promise<ShownValue> {
  const deliveries = await deliveriesOf({ table }, await addressIn(table, line));
  return { report: deliveries.flatMap(reportsOf) };
}

/** A line for each attempt, or a single line if there was no attempt yet. */
function reportsOf({ id, endpoint, state, nextAt, attempts }: Delivery): CommandOutput[] {
  const report = ({ number, at, ms, status, fault, nextAt: next }: Partial<NumberedAttempt>): CommandOutput => ({
    delivery: id,
    endpoint,
    state,
    attempt: number ?? null,
    at: timeOf(at),
    ms: ms ?? null,
    outcome: status ?? fault ?? null,
    next: timeOf(next),
  });
  return attempts.length > 0 ? attempts.map(report) : [report(nextAt === undefined ? {} : { nextAt })];
}

/** The command line cannot send hints; the product's reconciler finds due webhooks. */
const noHints = async (): Promise<void> => undefined;

async function again(operator: Operator, line: CommandLine): Promise<ShownValue> {
  const address = await addressIn(operator.table, line);
  const { organization, taskId } = address;
  const [, id = ''] = line.args;
  const act = { by: operator.by, act: 'delivery redeliver', organization, subject: `task:${taskId}`, detail: id };
  const { state, endpoint } = await withAudit(operator, act, () =>
    redeliver({ ...operator, hints: noHints }, address, { id }),
  );
  return { report: { delivery: id, endpoint, state }, note: 'It goes out within two minutes.' };
}

export const delivery: Noun = {
  list: {
    usage: 'list TASK --org ORG',
    about: 'shows each attempt to deliver the result of a task',
    args: [1, 1],
    needs: ['org'],
    run: list,
  },
  redeliver: {
    usage: 'redeliver TASK DELIVERY --org ORG',
    about: 'delivers it again, whatever its state',
    args: [2, 2],
    needs: ['org'],
    run: again,
  },
};
