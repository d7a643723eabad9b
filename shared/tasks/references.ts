/** Looks up everything a task names: it must be there and the caller's own. What it stands for now is what the task gets. */
import { Problem } from '../core/problem.ts';
import { isUuid } from '../core/uuid.ts';
import { type File, fileKey } from '../files/file.ts';
import { knowledgeKey } from '../knowledge/knowledge.ts';
import type { Ruleset, RulesetReference } from '../knowledge/ruleset.ts';
import type { Workflow, WorkflowStep } from '../knowledge/workflow.ts';
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

/** One read, however many there are. */
export async function resolveReferences(
  { table, clock }: { table: Table; clock: Clock },
  organization: string,
  named: NamedReferences,
): Promise<{ steps: WorkflowStep[]; rulesets: RulesetReference[] }> {
  const asked = FIELDS.flatMap((field) => named[field].map((id) => ({ field, id })));
  const known = asked.filter(({ id }) => isUuid(id));
  const keys = known.map(({ field, id }) => KEYS[field](organization, id));
  const rows = keys.length === 0 ? [] : await table.getMany(keys);
  const found = asked.map((each): ResolvedReferences => ({ ...each, row: rows[known.indexOf(each)] }));
  checkThere(found, clock.now());
  const valuesOf = <T>(field: ReferenceField): T[] =>
    found.flatMap((each) => (each.field === field && each.row ? [each.row.value as T] : []));
  return {
    steps: valuesOf<Workflow>('workflowIds').flatMap(({ steps }) => steps),
    rulesets: valuesOf<Ruleset>('rulesetIds').map(({ id, version }) => ({ id, version })),
  };
}

function checkThere(found: ResolvedReferences[], now: number): void {
  const missing = found.filter(({ field, row }) => !row || (field === 'fileIds' && isGone(row.value as File, now)));
  const [first] = missing;
  if (!first) return;
  const ids = missing.filter(({ field }) => field === first.field).map(({ id }) => id);
  throw new Problem('invalid', `input.${first.field} are unknown: ${ids.map(shownReference).join(', ')}`);
}

const MOST_SHOWN = 100;

/** An id is the caller's word: a blank one is shown in quotes, and of a long one its beginning. */
function shownReference(id: string): string {
  if (id.trim() === '') return JSON.stringify(id.slice(0, MOST_SHOWN));
  return id.length > MOST_SHOWN ? `${id.slice(0, MOST_SHOWN).toWellFormed()}…` : id;
}

const isGone = ({ state, goneAt }: File, now: number): boolean => state !== 'stored' || goneAt <= now;
