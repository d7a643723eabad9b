/** The guard as the tests take it: the real one, or a mutant of it from another folder. */
import { pathToFileURL } from 'node:url';

type Judging = typeof import('../../engines/outbound/judge-address.ts') &
  typeof import('../../engines/outbound/public-ip.ts') &
  typeof import('../../engines/outbound/policy.ts');
export type Guard = Judging & typeof import('../../engines/outbound/outbound.ts');

const JUDGING = ['judge-address', 'public-ip', 'policy'];

async function loaded(folder: string, files: readonly string[]) {
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(`${folder}/${file}.ts`).href)));
  return Object.assign({}, ...modules);
}

/** The part that reads tables and touches no network. */
export const judgingIn = (folder: string): Promise<Judging> => loaded(folder, JUDGING);
export const guardIn = (folder: string): Promise<Guard> => loaded(folder, [...JUDGING, 'outbound']);
