/** The guard under test: the real one, or a mutant in another folder. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { nameServerLookup, systemNetwork } from '../../../engines/outbound/connection-pool.ts';
import type { outbound } from '../../../engines/outbound/request.ts';

/** The part that reads tables and touches no network. */
export type Judging = typeof import('../../../engines/outbound/ssrf-policy.ts') &
  typeof import('../../../engines/outbound/public-ip.ts');
export type Guard = Judging & {
  nameServerLookup: typeof nameServerLookup;
  systemNetwork: typeof systemNetwork;
  outbound: typeof outbound;
};

const JUDGING = ['ssrf-policy', 'public-ip'];

/** Loaded by Node itself, as the test runner would take ten times as long for hundreds of copies. */
const load = createRequire(import.meta.url);

const loaded = (folder: string, files: readonly string[]) =>
  Object.assign({}, ...files.map((file) => load(join(folder, `${file}.ts`))));

export const judgingIn = (folder: string): Judging => loaded(folder, JUDGING);
export const guardIn = (folder: string): Guard => loaded(folder, [...JUDGING, 'connection-pool', 'request']);
