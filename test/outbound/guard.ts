/** The guard as the tests take it: the real one, or a mutant of it from another folder. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

type Judging = typeof import('../../engines/outbound/judge-address.ts') &
  typeof import('../../engines/outbound/public-ip.ts') &
  typeof import('../../engines/outbound/policy.ts');
export type Guard = Judging &
  typeof import('../../engines/outbound/name-servers.ts') &
  typeof import('../../engines/outbound/outbound.ts') &
  typeof import('../../engines/outbound/wire.ts');

const JUDGING = ['judge-address', 'public-ip', 'policy'];

/** By Node itself: the test runner would need ten times as long to take hundreds of copies in. */
const load = createRequire(import.meta.url);

const loaded = (folder: string, files: readonly string[]) =>
  Object.assign({}, ...files.map((file) => load(join(folder, `${file}.ts`))));

/** The part that reads tables and touches no network. */
export const judgingIn = (folder: string): Judging => loaded(folder, JUDGING);
export const guardIn = (folder: string): Guard => loaded(folder, [...JUDGING, 'name-servers', 'outbound', 'wire']);
