/** Calls a function at an interval, as EventBridge Scheduler does. */
import { randomUUID } from 'node:crypto';
import type { Request } from '../recorder/recording.ts';
import type { ScheduleMapping } from '../stack/callers.ts';
import type { Fleet } from './fleet.ts';

/** Shorter than a real minute, because a rehearsal ends within a few minutes. */
const MINUTE_MS = 2_000;

export type Ticking = { stop(): Promise<void> };

/** Calls the function immediately, so that it runs at least once. */
export function startSchedule(
  { expression, input }: ScheduleMapping,
  { fleet, answered }: { fleet: Fleet; answered(request: Request): void },
): Ticking {
  const going = new Set<Promise<void>>();

  async function tick(): Promise<void> {
    const id = randomUUID();
    const event = input ?? { id, source: 'aws.scheduler', 'detail-type': 'Scheduled Event', detail: '{}' };
    const outcome = await fleet.invoke(event, { route: expression, request: id });
    answered({ function: fleet.name, route: expression, id, status: 'error' in outcome ? 500 : 200 });
  }

  const go = () => {
    const gone = tick().finally(() => going.delete(gone));
    going.add(gone);
  };
  const timer = setInterval(go, minutesOf(expression) * MINUTE_MS);
  go();
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(going);
    },
  };
}

function minutesOf(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour)s?\)$/.exec(expression) ?? [];
  if (!count) throw new Error(`The rehearsal does not understand the schedule ${expression}.`);
  return Number(count) * (unit === 'hour' ? 60 : 1);
}
