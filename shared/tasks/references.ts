/** Resolves the ids in a task: each must exist and belong to the organization. The task gets their current content. */

import { isUuid } from '../core/ids.ts';
import { Problem } from '../core/problem.ts';
import { type File, fileKey } from '../files/file.ts';
import { knowledgeKey } from '../knowledge/knowledge.ts';
import type { Ruleset, RulesetReference } from '../knowledge/rulesets.ts';
import type { Workflow, WorkflowStep } from '../knowledge/workflows.ts';
import type { Clock, Key, Row, Table } from '../ports.ts';

type NamedReferences = { fileIds: string[]; workflowIds: string[]; rulesetIds: string[] };
type ReferenceField = keyof NamedReferences;
type ResolvedReferences = { field: ReferenceField; id: string; row: Row<unknown> | undefined };

const KEYS: Record<ReferenceField, (organization: string, id: string) => Key> = {
  fileIds: fileKey,
  workflowIds: (organization, id) => knowledgeKey('workflow', organization, id),
  rulesetIds: (organization, id) => knowledgeKey('ruleset', organization, id),
};
const FIELDS = Object.keys(KEYS) as ReferenceField[];

/** One read for all ids. */
export async function resolveReferences(
  { table, clock }: { table: Table; clock: Clock },
  organization: string,
  idsByField: NamedReferences,
): Promise<{ steps: WorkflowStep[]; rulesets: RulesetReference[] }> {
  const references = FIELDS.flatMap((field) => idsByField[field].map((id) => ({ field, id })));
  const validReferences = references.filter(({ id }) => isUuid(id));
  const keys = validReferences.map(({ field, id }) => KEYS[field](organization, id));
  const rows = keys.length === 0 ? [] : await table.getMany(keys);
  const resolved = references.map(
    (reference): ResolvedReferences => ({ ...reference, row: rows[validReferences.indexOf(reference)] }),
  );
  checkExist(resolved, clock.now());
  const valuesOf = <T>(field: ReferenceField): T[] =>
    resolved.flatMap((reference) => (reference.field === field && reference.row ? [reference.row.value as T] : []));
  return {
    steps: valuesOf<Workflow>('workflowIds').flatMap(({ steps }) => steps),
    rulesets: valuesOf<Ruleset>('rulesetIds').map(({ id, version }) => ({ id, version })),
  };
}

function checkExist(resolved: ResolvedReferences[], now: number): void {
  const missing = resolved.filter(({ field, row }) => !row || (field === 'fileIds' && isGone(row.value as File, now)));
  const [firstMissing] = missing;
  if (!firstMissing) return;
  const ids = missing.filter(({ field }) => field === firstMissing.field).map(({ id }) => id);
  const remedy = firstMissing.field === 'fileIds' ? COMPLETE_FIRST : '';
  throw new Problem(
    'invalid',
    `input.${firstMissing.field} are unknown: ${ids.map(quotedReference).join(', ')}${remedy}`,
  );
}

const COMPLETE_FIRST = ' (an uploaded file is known after POST /files/:fileId/complete)';

const MAX_SHOWN = 100;

/** Quotes a blank id and truncates a long one, because ids come from callers. */
function quotedReference(id: string): string {
  if (id.trim() === '') return JSON.stringify(id.slice(0, MAX_SHOWN));
  return id.length > MAX_SHOWN ? `${id.slice(0, MAX_SHOWN).toWellFormed()}…` : id;
}

const isGone = ({ state, goneAt }: File, now: number): boolean => state !== 'stored' || goneAt <= now;
