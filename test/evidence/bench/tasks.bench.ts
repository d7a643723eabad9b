/** The task engine from submit to finished, against Fastify, BullMQ and Redis, with a model that takes no time. */
import { join } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Bench, type Comparison, inTurns } from './side-by-side.ts';
import { agentLists } from './tasks/agent-lists.ts';
import { makeOrganizations, startErrand } from './tasks/errand.ts';
import { growth } from './tasks/growth.ts';
import { type Latency, latencyOf } from './tasks/latency.ts';
import { ORGANIZATIONS as OVERLOADED, overload, ROOM, SECONDS } from './tasks/overload.ts';
import { startReceiver } from './tasks/receiver.ts';
import type { Side } from './tasks/side.ts';
import { AMOUNT, IN_FLIGHT, tasksASecond } from './tasks/throughput.ts';
import { startYardstick } from './tasks/yardstick.ts';
import { missingRedis } from './yardstick/redis.ts';

const ORGANIZATIONS = 16;
const ROUNDS = 5;
/** All sides still speed up in their first rounds. */
const WARM_UPS = 2;

type Pair = { ours: Side; reference: Side; over: string };

async function throughput(pair: Pair, atLeast: number): Promise<Comparison> {
  const rates = await inTurns(tasksASecond, pair, ROUNDS);
  return { what: `submit to finished, over ${pair.over}`, unit: 'tasks/s', ...rates, wanted: { atLeast } };
}

async function latency(pair: Pair): Promise<Comparison> {
  const last = new Map<Side, Latency>();
  const times = await inTurns(
    async (side: Side) => {
      const taken = await latencyOf(side);
      last.set(side, taken);
      return taken.p50;
    },
    pair,
    ROUNDS,
  );
  const p99 = [pair.ours, pair.reference].map((side) => `${Math.round(last.get(side)?.p99 ?? Number.NaN)} µs`);
  console.log(`one task in flight, over ${pair.over}: p99 of the last round ${p99.join(' against ')}`);
  return { what: `one task in flight, p50, over ${pair.over}`, unit: 'µs', ...times, wanted: { atMost: 2 } };
}

async function backlogs({ ours, reference, over }: Pair): Promise<Comparison[]> {
  const found = { ours: await overload(ours), reference: await overload(reference) };
  for (const [name, { accepted, refused, backlogs }] of Object.entries(found)) {
    console.log(`overload, ${name}: ${accepted} accepted, ${refused} refused, backlog in turn ${backlogs.join(' ')}`);
  }
  const what = `biggest backlog in ${SECONDS} s of overload by ${OVERLOADED} organizations`;
  const biggest = found.ours.biggest;
  const compareWith = (than: string, most: number): Comparison => ({
    what: `${what}, over ${than}`,
    unit: 'tasks',
    ours: biggest,
    reference: most,
    ratio: biggest / most,
    wanted: { atMost: 1 },
  });
  return [compareWith('the room they have', ROOM), compareWith(over, found.reference.biggest)];
}

async function overYardsticks(endpoint: string): Promise<Comparison[]> {
  const folder = temporaryFolder();
  const state = join(folder.path, 'state');
  const sides: Side[] = [];
  const startSide = async (starting: Promise<Side>): Promise<Side> => {
    const side = await starting;
    sides.push(side);
    return side;
  };
  try {
    const ours = await startSide(startErrand(state, await makeOrganizations(state, ORGANIZATIONS), endpoint));
    const installed = await startSide(startYardstick('installed', ORGANIZATIONS, endpoint));
    const always = await startSide(startYardstick('always', ORGANIZATIONS, endpoint));
    const overInstalled = { ours, reference: installed, over: 'Redis as installed (snapshots)' };
    const overAlways = { ours, reference: always, over: 'Redis with appendfsync always' };
    for (let round = 0; round < WARM_UPS; round++) for (const side of sides) await tasksASecond(side);
    return [
      await throughput(overInstalled, 0.7),
      await throughput(overAlways, 1),
      await latency(overInstalled),
      await latency(overAlways),
      ...(await backlogs(overInstalled)),
    ];
  } finally {
    for (const side of sides) await side.stop();
    folder.remove();
  }
}

export const bench: Bench = {
  title: 'Tasks',
  about: [
    `The product against Fastify, BullMQ and its worker in one process with redis-server beside it, both with a model that responds instantly: ${AMOUNT.toLocaleString('en-US')} tasks of ${ORGANIZATIONS} organizations, ${IN_FLIGHT} submits in flight.`,
    'Errand is durable before it responds: SQLite in WAL mode with group commit, its log synced before each response. Redis as installed takes periodic snapshots and may lose the last seconds; with appendfsync always it syncs before it responds.',
    'The reference checks the same fields and hashed keys, and sends each result as a job of its own, signed in the same two ways, over kept connections; it has no rate limits, no idempotency, no delivery log and no capacity.',
  ].join(' '),
  missing: missingRedis,
  async run() {
    const receiver = await startReceiver();
    try {
      return [
        ...(await overYardsticks(receiver.endpoint)),
        ...(await growth(receiver.endpoint)),
        ...(await agentLists()),
      ];
    } finally {
      receiver.stop();
    }
  },
};
