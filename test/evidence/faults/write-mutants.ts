/** Removes each condition of the conditional writes: SQLite's from their SQL, the memory table's from its source. */

import { sourceOf } from '../../shared/tasks/loader.ts';
import type { Mutant } from '../../shared/tasks/mutants.ts';

export const STATEMENTS = 'adapters/local/database.ts';
export const MEMORY = 'test/evidence/faults/memory-table.ts';

type Without = { name: string; find: string; put: string };

/** Placeholders as they are written in the source. */
const LIVE = '$' + '{LIVE}';
const HELD = '$' + '{HELD}';

/** The key needs no mutant, because no two rows ever have the same version. */
const withoutHeld = (statement: string, begins: string): Without[] => {
  const find = `${begins} WHERE ${HELD}`;
  const where = `${begins} WHERE pk = ? AND sk = ? AND`;
  return [
    { name: `${statement}: any version`, find, put: `${where} (1 OR version = ?) AND ${LIVE}` },
    { name: `${statement}: also what has expired`, find, put: `${where} version = ? AND (1 OR expires > ?)` },
  ];
};

const IN_SQL: readonly Without[] = [
  ...withoutHeld('replace', 'update}'),
  ...withoutHeld('replace in place', 'due = ?'),
  ...withoutHeld('remove', 'DELETE FROM rows'),
  { name: 'insert: over what is held', find: 'WHERE rows.expires <= ?', put: 'WHERE (1 OR rows.expires <= ?)' },
  {
    name: 'insert: not over what has expired',
    find: 'WHERE rows.expires <= ?',
    put: 'WHERE (0 AND rows.expires <= ?)',
  },
];

const IN_MEMORY: readonly Without[] = [
  { name: 'replace: any version', find: 'live(draft)?.version === version ?', put: 'live(draft) ?' },
  {
    name: 'replace: what is absent too',
    find: 'live(draft)?.version === version ?',
    put: '(live(draft)?.version ?? version) === version ?',
  },
  { name: 'insert: over what is held', find: 'live(draft) ? undefined : keep', put: 'false ? undefined : keep' },
  {
    name: 'remove: any version',
    find: 'if (kept?.version !== held.version) return false;',
    put: 'if (!kept) return false;',
  },
  { name: 'first rows: over what is held', find: 'if (!live(one)) keep', put: 'keep' },
  { name: 'what has expired is alive', find: 'expiresAt === undefined || expiresAt > clock.now()', put: 'true' },
];

function without(file: string, changes: readonly Without[]): Mutant[] {
  const source = sourceOf(file);
  return changes.map(({ name, find, put }) => {
    if (!source.includes(find) || find === put) throw new Error(`${file} has no condition for this: ${name}`);
    return { file, name, source: source.replaceAll(find, () => put) };
  });
}

export const sqlMutants = (): Mutant[] => without(STATEMENTS, IN_SQL);
export const memoryMutants = (): Mutant[] => without(MEMORY, IN_MEMORY);
