/** Shows the few rows that a question names by a value, where no figure of them was understood: they may hold what it asks for. */

import { synonymsOf } from '../synonyms.ts';
import { ASKING, OpenText, stem, wordsOf } from '../words.ts';
import { askedTables, type DescribedTable } from './asked-tables.ts';
import { type AskedTable, type Plan, toQuery } from './figure-statement.ts';
import { type FigureRequest, NEUTRAL, ROW_NOUNS, readFigureRequests } from './figure-words.ts';
import { type ColumnValue, contentWords, headingWords, isAlike, valueFilters } from './match-columns.ts';

/** The rows that are named may be those that are not meant. */
const DENIES =
  /(?<!\p{L})(?:not|no|none|never|without|except|excluding|other|nicht|kein\p{L}*|ohne|au(?:ß|ss)er|pas|jamais|sans|sauf|autres?|nunca|sin|excepto|otr[oa]s?)(?!\p{L})/u;

const MAX_ROWS = 3;
const OF_ROWS: ReadonlySet<string> = new Set(['count', 'sum', 'list', 'compare', 'difference']);
const NOT_COMPARED = 'I cannot calculate what is asked; these are the rows that it names.';

export function planRows(
  question: string,
  tables: readonly DescribedTable[],
  values: readonly ColumnValue[],
): ReturnType<typeof toQuery> | undefined {
  const [request] = readFigureRequests(question);
  if (!request || !OF_ROWS.has(request.kind) || request.periods.length + request.thresholds.length > 0)
    return undefined;
  const plans = askedTables(tables, values).single.flatMap(
    (table) => rowsPlan(table, { question, request }, values) ?? [],
  );
  const [best, next] = plans.sort((a, b) => b.score - a.score);
  return best && next?.score !== best.score ? toQuery(best) : undefined;
}

function rowsPlan(
  table: AskedTable,
  { question, request }: { question: string; request: FigureRequest },
  values: readonly ColumnValue[],
): Plan | undefined {
  const open = new OpenText(request.rest);
  const named = valueFilters({ open, table, values });
  if (!named || named.length === 0 || named.some(({ value }) => value === undefined) || DENIES.test(open.text))
    return undefined;
  // `EWR` is meant in capitals, where `sea` is a word.
  const exact = named.filter(({ value = '' }) => question.includes(value));
  const sides = exact.length > 0 ? exact : named;
  const parts = table.columns.flatMap(({ heading }) => headingWords(heading));
  const said = [...new Set(wordsOf(open.text))].filter((word) =>
    contentWords(word).some((one) => !ASKING.has(one) && !NEUTRAL.has(one) && !ROW_NOUNS.has(one)),
  );
  const isKnown = (word: string) => parts.some((part) => isAlike(word, part) || synonymsOf(word).has(part));
  const unsaid = said.filter((word) => !isKnown(stem(word)));
  // A row without anything that the question calls by name does not answer it.
  if (unsaid.length === said.length) return undefined;
  const notes = request.kind === 'compare' || request.kind === 'difference' ? [NOT_COMPARED] : [];
  const nothing = { measures: [], group: undefined, of: undefined, days: [], limits: [], read: [], notes };
  const score = sides.reduce((sum, { value = '' }) => sum + value.length, 0);
  return { kind: 'list', table, sides, ...nothing, rank: 1, limit: undefined, score, unsaid, mostRows: MAX_ROWS };
}
