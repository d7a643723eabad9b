/** Checks that everything a task names is there and the caller's own. */
import { Problem } from '../core/problem.ts';
import { isUuid } from '../core/uuid.ts';
import { type File, fileKey } from '../files/file.ts';
import type { Clock, Key, Row, Table } from '../ports.ts';
import { rulesetKey, workflowKey } from './knowledge.ts';

type Named = { fileIds: string[]; workflowIds: string[]; rulesetIds: string[] };

const KINDS = { fileIds: fileKey, workflowIds: workflowKey, rulesetIds: rulesetKey } as const;

const isGone = (row: Row<unknown> | undefined, now: number): boolean => {
  const { state, goneAt } = (row?.value ?? { goneAt: 0 }) as Partial<File>;
  return !row || state === 'awaited' || (goneAt !== undefined && goneAt <= now);
};

export async function checkReferences(
  { table, clock }: { table: Table; clock: Clock },
  organization: string,
  named: Named,
): Promise<void> {
  const asked = (Object.keys(KINDS) as (keyof Named)[]).flatMap((field) => named[field].map((id) => ({ field, id })));
  const known = asked.filter(({ id }) => isUuid(id));
  const keys: Key[] = known.map(({ field, id }) => KINDS[field](organization, id));
  const rows = keys.length === 0 ? [] : await table.getMany(keys);
  const found = new Set(known.filter((_, at) => !isGone(rows[at], clock.now())));
  const missing = asked.filter((each) => !found.has(each));
  const [first] = missing;
  if (!first) return;
  const ids = missing.filter(({ field }) => field === first.field).map(({ id }) => id);
  throw new Problem('invalid', `input.${first.field} are unknown: ${ids.join(', ')}`);
}
