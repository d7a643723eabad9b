/** Workflows and rulesets, which a task may name in addition to files. */

import { definedFields } from '../core/optional-fields.ts';
import { Problem } from '../core/problem.ts';
import type { Clock, Draft, Ids, Key, Page, Row, Table } from '../ports.ts';

/** Each kind has versions that rise with every change. */
export type KnowledgeKind = 'workflow' | 'ruleset';

/** `name` is unique in the organization: another PUT of it creates the next version. */
export type KnowledgeEntry = { id: string; name: string; version: number; createdAt: number; changedAt: number };

const LETTER: Record<KnowledgeKind, string> = { workflow: 'W', ruleset: 'R' };
const MAX_NAME = 200;
const MAX_KNOWN = 1_000;
const PAGE = 100;

export const knowledgeKey = (kind: KnowledgeKind, organization: string, id: string): Key => ({
  pk: `O#${organization}#${LETTER[kind]}#${id}`,
  sk: kind.toUpperCase(),
});

export function knowledgeDraft<T extends KnowledgeEntry>(
  kind: KnowledgeKind,
  organization: string,
  value: T,
): Draft<T> {
  const { id, createdAt: at } = value;
  const listed = { list: listOf(kind, organization), at, id, state: 'active', type: kind, priority: 0 };
  return { ...knowledgeKey(kind, organization, id), value, listed };
}

/** Oldest first. */
export async function listKnowledge<T extends KnowledgeEntry>(
  table: Table,
  kind: KnowledgeKind,
  { organization, ...paging }: { organization: string; limit: number; after?: string },
): Promise<Page<Row<T>>> {
  const { rows: entries, next } = await table.listed(listOf(kind, organization), paging);
  const rows = await table.getMany<T>(entries.map(({ id }) => knowledgeKey(kind, organization, id)));
  return { rows: rows.flatMap((row) => row ?? []), ...definedFields({ next }) };
}

/** Oldest first. */
export async function allKnowledge<T extends KnowledgeEntry>(
  table: Table,
  kind: KnowledgeKind,
  organization: string,
): Promise<Row<T>[]> {
  const allRows: Row<T>[] = [];
  let after: string | undefined;
  do {
    const page = await listKnowledge<T>(table, kind, { organization, limit: PAGE, ...definedFields({ after }) });
    allRows.push(...page.rows);
    after = page.next;
  } while (after !== undefined && allRows.length < MAX_KNOWN);
  return allRows;
}

type KnowledgePorts = { table: Table; clock: Clock; ids: Ids };
type NewKnowledge<T> = {
  kind: KnowledgeKind;
  organization: string;
  name: string;
  fields: Omit<T, keyof KnowledgeEntry>;
  /** Writes the version's other rows first, so that a reader who finds the version finds all of it. */
  writeFirst?(head: KnowledgeEntry): Promise<void>;
};

/** Creates the entry or its next version. */
export async function putKnowledge<T extends KnowledgeEntry>(
  { table, clock, ids }: KnowledgePorts,
  o: NewKnowledge<T>,
): Promise<T> {
  const { kind, organization, fields } = o;
  const name = checkName(o.name);
  const now = clock.now();
  const existing = (await allKnowledge<T>(table, kind, organization)).find(({ value }) => value.name === name);
  const head: KnowledgeEntry = existing
    ? { ...existing.value, version: existing.value.version + 1, changedAt: now }
    : { id: ids.uuid(), name, version: 1, createdAt: now, changedAt: now };
  await o.writeFirst?.(headOf(head));
  const draft = knowledgeDraft(kind, organization, { ...fields, ...headOf(head) } as T);
  const written = existing ? await table.replace(existing, draft) : await table.insert(draft);
  if (!written) throw new Problem('busy', `The ${kind} was changed by another request meanwhile; try again.`);
  return written.value;
}

/** By id or by name, including the rows that belong to it. */
export async function removeKnowledge(
  table: Table,
  kind: KnowledgeKind,
  o: { organization: string; of: string },
): Promise<KnowledgeEntry> {
  const existing = (await allKnowledge(table, kind, o.organization)).find(
    ({ value }) => value.id === o.of || value.name === o.of,
  );
  if (!existing || !(await table.remove(existing))) {
    throw new Problem('notFound', `There is no ${kind} ${JSON.stringify(o.of.slice(0, 80))}.`);
  }
  for (let page = await table.rows(existing.pk, '', { limit: PAGE }); page.rows.length > 0; ) {
    for (const row of page.rows) await table.remove(row);
    page = await table.rows(existing.pk, '', { limit: PAGE });
  }
  return existing.value;
}

export const invalid = (message: string) => new Problem('invalid', message);

const listOf = (kind: KnowledgeKind, organization: string): string => `O#${organization}#${kind.toUpperCase()}S`;

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== '' && trimmed.length <= MAX_NAME && !/\p{Cc}/u.test(trimmed)) return trimmed;
  throw new Problem('invalid', `A name has 1 to ${MAX_NAME} characters, none of them a control character.`);
}

const headOf = ({ id, name, version, createdAt, changedAt }: KnowledgeEntry): KnowledgeEntry => ({
  id,
  name,
  version,
  createdAt,
  changedAt,
});
