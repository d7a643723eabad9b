/** Compares the product with three systems that a team would build of well-known parts; all do the whole job in turns. */
import { join } from 'node:path';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { makeOrganizations, startErrand } from '../tasks/errand.ts';
import type { Side } from '../tasks/side.ts';
import { startOverPostgres, startYardstick } from '../tasks/yardstick.ts';
import { type Rate, rateOf, type Waited, waitForAll } from './load.ts';
import { memoryMb } from './processes.ts';
import { type SignedReceiver, startSignedReceiver } from './receiver.ts';

export const ORGANIZATIONS = 16;

export type Extent = { rounds: number; warmUps: number; tasks: number; alone: number; callers: number; among: number };

export const PEERS = ['errand', 'redis', 'redisSynced', 'postgres'] as const;
export type Peer = (typeof PEERS)[number];
export type Round = { rate: Rate; alone: Waited; among: Waited };
export type Found = { atRestMb: number; rounds: Round[] };

/** Calls `tell` with the progress of each round. */
export async function besideEachOther(extent: Extent, tell: (line: string) => void): Promise<Record<Peer, Found>> {
  const receiver = await startSignedReceiver();
  const folder = temporaryFolder();
  const sides: [Peer, Side][] = [];
  try {
    for (const peer of PEERS) {
      tell(`${peer}: starting`);
      sides.push([peer, await started(peer, folder.path, receiver.endpoint)]);
    }
    const found = Object.fromEntries(
      sides.map(([peer, { processes }]) => [peer, { atRestMb: memoryMb(processes), rounds: [] }]),
    ) as unknown as Record<Peer, Found>;
    for (let round = 0; round < extent.warmUps; round++) {
      for (const [, side] of sides) await rateOf(side, receiver, extent.tasks);
    }
    for (let round = 1; round <= extent.rounds; round++) {
      for (const [peer, side] of sides) {
        const measured = await measure(side, receiver, extent);
        found[peer].rounds.push(measured);
        tell(`round ${round}, ${peer}: ${Math.round(measured.rate.tasksASecond)} tasks/s`);
      }
    }
    return found;
  } finally {
    for (const [, side] of sides) await side.stop();
    receiver.stop();
    folder.remove();
  }
}

async function started(peer: Peer, folder: string, endpoint: string): Promise<Side> {
  if (peer === 'redis') return startYardstick('installed', ORGANIZATIONS, endpoint);
  if (peer === 'redisSynced') return startYardstick('always', ORGANIZATIONS, endpoint);
  if (peer === 'postgres') return startOverPostgres(ORGANIZATIONS, endpoint);
  const state = join(folder, 'state');
  return startErrand(state, await makeOrganizations(state, ORGANIZATIONS), endpoint);
}

const measure = async (side: Side, receiver: SignedReceiver, { tasks, alone, callers, among }: Extent) => ({
  rate: await rateOf(side, receiver, tasks),
  alone: await waitForAll(side, receiver, { callers: 1, tasks: alone }),
  among: await waitForAll(side, receiver, { callers, tasks: among }),
});
