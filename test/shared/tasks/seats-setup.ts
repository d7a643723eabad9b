/** Worker instances that take seats in one table, with a count of each instance's calls. */
import { settingsOf } from '../../../infra/settings.ts';
import { type EachLane, instancesOf, type Lane } from '../../../shared/core/lane.ts';
import { laneSeats } from '../../../shared/lanes/worker-seats.ts';
import type { Every, Table } from '../../../shared/ports.ts';
import { interceptedTable } from './intercepted-table.ts';
import type { TaskSetup } from './setup.ts';

const { atOnce } = settingsOf('production').workers;

export const INSTANCES_OF_A_STAGE: EachLane<number> = {
  high: instancesOf('high', atOnce),
  normal: instancesOf('normal', atOnce),
  low: instancesOf('low', atOnce),
};

export function seatsOver({ table, clock, log, ids }: TaskSetup, setting: { lane: Lane; instances: number }) {
  const runs = new Set<() => void>();
  let calls = 0;
  let underWay = 0;
  let isFailing = false;
  const every: Every = (_ms, run) => {
    runs.add(run);
    return () => runs.delete(run);
  };
  const counted: Table = interceptedTable(table, async (_call, go) => {
    calls++;
    if (isFailing) throw new Error('The table does not answer.');
    underWay++;
    return go().finally(() => underWay--);
  });
  return {
    seats: laneSeats({ table: counted, clock, every, log }, { ...setting, holder: ids.mark() }),
    calls: () => calls,
    fail(): void {
      isFailing = true;
    },
    /** Triggers the renewal that runs every 20 seconds while tasks run, and waits until its calls have ended. */
    async strike(): Promise<void> {
      for (const run of runs) run();
      await table.get({ pk: 'LANES', sk: 'AGES' });
      for (let quiet = 0; quiet < 20; quiet = underWay > 0 ? 0 : quiet + 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}
