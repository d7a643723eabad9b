/**
 * The sources of an organization: one row each, and their names in the organization's own row, which every submit
 * reads.
 */

import * as v from 'valibot';
import { setSources } from '../accounts/organizations.ts';
import { Problem } from '../core/problem.ts';
import { putRow } from '../core/table-access.ts';
import type { Clock, Key, Table } from '../ports.ts';
import { isSourceName, type ResearchSource, sourceSchema } from './source-schema.ts';

export type SourceRow = ResearchSource & { changedAt: number };

const MAX_SOURCES = 50;
/** The largest source as JSON: a row of DynamoDB holds 400 KB. */
const MAX_CHARACTERS = 50_000;
const PAGE = 100;
const PREFIX = 'SOURCE#';

const keyOf = (organization: string, name: string): Key => ({ pk: `O#${organization}`, sk: PREFIX + name });

export async function sourceOf(table: Table, organization: string, name: string): Promise<ResearchSource | undefined> {
  return isSourceName(name) ? (await table.get<SourceRow>(keyOf(organization, name)))?.value : undefined;
}

export async function listSources(table: Table, organization: string): Promise<SourceRow[]> {
  const page = await table.rows<SourceRow>(`O#${organization}`, PREFIX, { limit: PAGE });
  return page.rows.map(({ value }) => value);
}

/** Replaces the source of that name. The row is written first, so that every name that a task may use can be looked up. */
export async function putSource(
  { table, clock }: { table: Table; clock: Clock },
  organization: string,
  { name, value }: { name: string; value: unknown },
): Promise<SourceRow> {
  if (!isSourceName(name)) {
    throw new Problem(
      'invalid',
      'The name of a source has up to 64 lower-case letters, digits, _ and -, and starts with a letter.',
    );
  }
  const source = { name, ...checkedSource(value), changedAt: clock.now() };
  const otherSources = (await listSources(table, organization)).filter((existing) => existing.name !== name);
  if (otherSources.length >= MAX_SOURCES) {
    throw new Problem('invalid', `An organization has at most ${MAX_SOURCES} sources; remove one first.`);
  }
  await putRow<SourceRow>(table, { ...keyOf(organization, name), value: source });
  await setSources(table, organization, (names) => [...new Set([...names, name])].sort());
  return source;
}

/** The name is removed first, for the same reason. */
export async function removeSource(table: Table, organization: string, name: string): Promise<SourceRow> {
  const row = await table.get<SourceRow>(keyOf(organization, name));
  if (!row) throw new Problem('notFound', `There is no source ${JSON.stringify(name.slice(0, 80))}.`);
  await setSources(table, organization, (names) => names.filter((existing) => existing !== name));
  if (!(await table.remove(row)))
    throw new Problem('busy', 'The source was changed by another request meanwhile; try again.');
  return row.value;
}

function checkedSource(value: unknown): Omit<ResearchSource, 'name'> {
  const parsed = v.safeParse(sourceSchema, value);
  if (parsed.success) {
    if (JSON.stringify(parsed.output).length <= MAX_CHARACTERS) return parsed.output;
    throw new Problem('invalid', `A source has at most ${MAX_CHARACTERS} characters.`);
  }
  const [issue] = parsed.issues;
  const field = v.getDotPath(issue);
  throw new Problem('invalid', field === null ? 'A source has a title and connectors.' : `${field}: ${issue.message}`);
}
