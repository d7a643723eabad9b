/** Measures one round of the reconciler over a stopped product's state, with a hundred tasks whose hints were lost. */
import { openLocal } from '../../../../adapters/local/context.ts';
import { logger } from '../../../../shared/core/log.ts';
import { reconcile } from '../../../../shared/reconcile/reconcile.ts';
import { detailsKey } from '../../../../shared/tasks/details.ts';
import type { Hints } from '../../../../shared/tasks/hints.ts';
import { taskKey } from '../../../../shared/tasks/rows.ts';
import { submitTask } from '../../../../shared/tasks/submit.ts';

const DUE = 100;
/** Long enough that the first hint is overdue, but short of the tasks' deadline. */
const AGO_MS = 600_000;

/** Returns microseconds. */
export async function reconcileCost(state: string): Promise<number> {
  const local = openLocal({ ERRAND_STATE: state });
  const { table, clock, ids, blobs, scheduler } = local;
  let hinted = 0;
  const lost = { table, clock: { now: () => clock.now() - AGO_MS }, hints: async () => undefined };
  const organization = ids.uuid();
  const given = { face: 'agents', type: 'research_agent', priority: 5, about: { input: {} } } as const;
  const addresses = Array.from({ length: DUE }, () => ({ organization, taskId: ids.uuid() }));
  await Promise.all(addresses.map((address) => submitTask(lost, address, given)));
  const log = logger({ clock, write: (line) => process.stderr.write(line), minLevel: 'error' });
  const hints: Hints = async (_effects, about) => {
    if (about.organization === organization) hinted++;
  };
  const startedAt = performance.now();
  await reconcile({ table, clock, blobs, scheduler, log, hints, sayEnding: async () => 'gone' });
  const cost = (performance.now() - startedAt) * 1_000;
  if (hinted !== DUE) throw new Error(`The reconciler hinted ${hinted} tasks, not ${DUE}.`);
  await table.erase(addresses.flatMap((address) => [taskKey(address), detailsKey(address)]));
  local.close();
  return cost;
}
