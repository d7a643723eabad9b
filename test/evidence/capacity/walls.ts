/** Limits of AWS and of the stage's settings: the load of each, and the tasks a second at which it is reached. */
import { MAX_WORKERS, type Settings } from '../../../infra/settings.ts';
import { ids } from '../../../shared/core/ids.ts';
import { instancesOf } from '../../../shared/core/lane.ts';
import { systemClock } from '../../../shared/core/time.ts';
import { seatLimits } from '../../../shared/lanes/worker-seats.ts';
import { type Peaks, simulate } from './simulate.ts';
import type { Life } from './touches.ts';

export type Wall = { name: string; bears: number; unit: string; load: (peaks: Peaks) => number; turn: string };
export type Standing = {
  wall: Wall /** Offered, a second; undefined = beyond all that was tried. */;
  at: number | undefined;
};

/** Assumptions about tasks, and about an AWS account with default quotas. */
const ASSUMED = {
  secondsOfATask: 20,
  secondsOfAWebhook: 0.3,
  /** The share of webhooks that the worker's own attempt did not deliver. */
  sentAgain: 0.1,
  secondsOfARequest: 0.03,
  functionsAtOnce: 1_000,
  gatewayRequests: 10_000,
  tableUnits: 40_000,
  partitionWrites: 1_000,
  partitionReads: 3_000,
} as const;

const A = ASSUMED;

/** The bytes of a seat: the name of its holder, an instant, and what JSON puts around them. */
const SEAT_BYTES = JSON.stringify({ [ids(systemClock).mark()]: Date.now() }).length;
const WRITE_UNIT = 1_024;

/** Write units a second of the row with the shared seats of a lane, if each holder renews its seat once a minute. */
function seatUnits(instances: number): number {
  const { open } = seatLimits(instances);
  const units = Math.ceil((open * SEAT_BYTES) / WRITE_UNIT);
  return (open / 60) * units;
}

/** `roundRows`: due rows that a round of the reconciler moves, once a minute. */
type Capacities = Pick<Settings, 'workers' | 'senders' | 'throttle'> & { roundRows: number };

export function walls({ workers, senders, throttle, roundRows }: Capacities): Wall[] {
  const lane = instancesOf('normal', workers.atOnce);
  const most = instancesOf('normal', MAX_WORKERS);
  // A backlog waits in its queue, so workers need the mean rate, not the peak.
  const atWork = ({ accepted }: Peaks) => accepted * (A.secondsOfATask + A.secondsOfAWebhook);
  const sending = ({ accepted }: Peaks) => accepted * A.sentAgain * A.secondsOfAWebhook;
  const functions = (peaks: Peaks) =>
    atWork(peaks) / workers.batchSize + sending(peaks) / senders.batchSize + peaks.calls * A.secondsOfARequest;
  return [
    {
      name: 'workers of the middle lane',
      bears: lane * workers.batchSize,
      unit: 'concurrent tasks',
      load: atWork,
      turn: '`worker-instances` of the stage, up to the functions of the account',
    },
    {
      name: 'the most workers of the middle lane',
      bears: most * workers.batchSize,
      unit: 'concurrent tasks',
      load: atWork,
      turn: '`TASKS_PER_INSTANCE`; several queues for a lane',
    },
    {
      name: 'writes of the row of seats',
      bears: A.partitionWrites,
      unit: 'units/s',
      load: (peaks) => seatUnits(Math.min(most, Math.ceil(atWork(peaks) / workers.batchSize))),
      turn: 'several rows of seats for a lane',
    },
    {
      name: 'the reconciler, if every hint is lost',
      bears: roundRows,
      unit: 'rows/minute',
      load: ({ accepted }) => accepted * 60,
      turn: 'several functions that divide the shards',
    },
    {
      name: 'senders of webhooks',
      bears: senders.atOnce * senders.batchSize,
      unit: 'concurrent webhooks',
      load: sending,
      turn: '`senders.atOnce` of the stage',
    },
    {
      name: 'throttle of the API',
      bears: throttle.requestsPerSecond,
      unit: 'requests/s',
      load: ({ calls }) => calls,
      turn: '`throttle` of the stage; webhooks instead of polling',
    },
    {
      name: 'concurrent functions of the account',
      bears: A.functionsAtOnce,
      unit: 'functions',
      load: functions,
      turn: "Lambda's quota of concurrent executions",
    },
    {
      name: 'requests of the account',
      bears: A.gatewayRequests,
      unit: 'requests/s',
      load: ({ calls }) => calls,
      turn: "API Gateway's quota of requests",
    },
    {
      name: 'write units of the table',
      bears: A.tableUnits,
      unit: 'units/s',
      load: ({ tableWrites }) => tableWrites,
      turn: "DynamoDB's quota for a table; set warm throughput in advance",
    },
    {
      name: 'read units of the table',
      bears: A.tableUnits,
      unit: 'units/s',
      load: ({ tableReads }) => tableReads,
      turn: "DynamoDB's quota for a table",
    },
    {
      name: 'writes of the busiest key',
      bears: A.partitionWrites,
      unit: 'units/s',
      load: ({ keyWrites }) => keyWrites,
      turn: 'the rate limits of that organization',
    },
    {
      name: 'reads of the busiest key',
      bears: A.partitionReads,
      unit: 'units/s',
      load: ({ keyReads }) => keyReads,
      turn: 'cache webhook secrets in the sender',
    },
    {
      name: 'writes of the busiest list of tasks',
      bears: A.partitionWrites,
      unit: 'units/s',
      load: ({ listWrites }) => listWrites,
      turn: 'the rate limits of that organization; a list for each month',
    },
    {
      name: 'writes of the busiest shard of due rows',
      bears: A.partitionWrites,
      unit: 'units/s',
      load: ({ shardWrites }) => shardWrites,
      turn: '`DUE_SHARDS`',
    },
  ];
}

const FROM = 1;
const GROWTH = 1.6;

/** Raises the load until every limit has been reached, or it exceeds `most`. */
export function standings(
  life: Life,
  all: Wall[],
  o: { seed: number; most: number; withLimits: boolean },
): { found: Standing[]; last: Peaks } {
  const at = new Map<Wall, number>();
  let last: Peaks | undefined;
  for (let aSecond = FROM; aSecond <= o.most && at.size < all.length; aSecond *= GROWTH) {
    const peaks = simulate(life, { ...o, aSecond });
    for (const wall of all) {
      if (at.has(wall) || wall.load(peaks) < wall.bears) continue;
      at.set(wall, between({ wall, peaks, last }));
    }
    last = peaks;
  }
  if (!last) throw new Error('Nothing was tried.');
  const found = all.map((wall) => ({ wall, at: at.get(wall) }));
  return { found: found.sort((a, b) => (a.at ?? Number.POSITIVE_INFINITY) - (b.at ?? Number.POSITIVE_INFINITY)), last };
}

/** Interpolates between the last load within the limit and the first beyond it. */
function between({ wall, peaks, last }: { wall: Wall; peaks: Peaks; last: Peaks | undefined }): number {
  const [low, high] = [last ? wall.load(last) : 0, wall.load(peaks)];
  const from = last?.offered ?? 0;
  return from + ((peaks.offered - from) * (wall.bears - low)) / (high - low);
}
