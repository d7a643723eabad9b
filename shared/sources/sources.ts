/** The sources of an organization: a row for each, and their names in the organization's own row, which every submit reads. */
import * as v from 'valibot';
import { setSources } from '../accounts/change-organization.ts';
import { putRow } from '../accounts/put-row.ts';
import { Problem } from '../core/problem.ts';
import type { Clock, Key, Table } from '../ports.ts';
import { isSourceName, type ResearchSource, sourceSchema } from './source.ts';

export type SourceRow = ResearchSource & { changedAt: number };

const MOST_SOURCES = 50;
/** Of one as JSON: a row of DynamoDB holds 400 KB. */
const MOST_CHARACTERS = 50_000;
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

/** In place of the one of that name. The row comes first: a name that tasks may give can always be looked up. */
export async function putSource(
  { table, clock }: { table: Table; clock: Clock },
  organization: string,
  { name, given }: { name: string; given: unknown },
): Promise<SourceRow> {
  if (!isSourceName(name)) {
    throw new Problem('invalid', 'The name of a source has up to 64 small letters, digits, _ and -, a letter first.');
  }
  const source = { name, ...checkedSource(given), changedAt: clock.now() };
  const others = (await listSources(table, organization)).filter((one) => one.name !== name);
  if (others.length >= MOST_SOURCES) {
    throw new Problem('invalid', `An organization has at most ${MOST_SOURCES} sources; remove one first.`);
  }
  await putRow<SourceRow>(table, { ...keyOf(organization, name), value: source });
  await setSources(table, organization, (names) => [...new Set([...names, name])].sort());
  return source;
}

/** The name goes first, for the same reason. */
export async function removeSource(table: Table, organization: string, name: string): Promise<SourceRow> {
  const row = await table.get<SourceRow>(keyOf(organization, name));
  if (!row) throw new Problem('notFound', `There is no source ${JSON.stringify(name.slice(0, 80))}.`);
  await setSources(table, organization, (names) => names.filter((one) => one !== name));
  if (!(await table.remove(row))) throw new Problem('busy', 'Somebody else changed the source meanwhile; try again.');
  return row.value;
}

function checkedSource(given: unknown): Omit<ResearchSource, 'name'> {
  const parsed = v.safeParse(sourceSchema, given);
  if (parsed.success) {
    if (JSON.stringify(parsed.output).length <= MOST_CHARACTERS) return parsed.output;
    throw new Problem('invalid', `A source has at most ${MOST_CHARACTERS} characters.`);
  }
  const [issue] = parsed.issues;
  const field = v.getDotPath(issue);
  throw new Problem('invalid', field === null ? 'A source has a title and connectors.' : `${field}: ${issue.message}`);
}
