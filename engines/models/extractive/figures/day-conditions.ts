/** Finds the rows that a question names by their days: "in March", "started before 2024", "paid late". */
import type { OpenText } from '../words.ts';
import { type Column, columnText, type Filter, quotedText } from './figure-statement.ts';
import { contentWords, namedColumn, namesColumn, type Planning, spaced, takeColumn } from './match-columns.ts';
import { comparedWith } from './number-conditions.ts';
import type { Period } from './periods.ts';

/** Undefined if a period is asked for and the table has no column for it. */
export function dayFilters({ table, request: { periods }, open }: Planning): Filter[] | undefined {
  if (periods.length === 0) return [];
  const days = table.columns.filter(({ type }) => type === 'date');
  const isYear = periods.every(({ start }) => /^\d{4}$/.test(start));
  const years = isYear
    ? table.columns.filter(
        ({ type, heading }) => type === 'number' && /^(?:year|jahr|ann[ée]e|año)$/i.test(heading.trim()),
      )
    : [];
  const column = years[0] ?? dayColumn(days, open);
  if (!column || column === 'unclear') return undefined;
  return periods.map((period) => ({
    column,
    said: `${column.heading} ${period.sign} ${period.start}`,
    sql: dayCondition(column, period),
  }));
}

function dayCondition(column: Column, { sign, start, hasYear }: Period): string {
  if (column.type === 'number') return `${columnText(column)} ${sign} ${start}`;
  return `substr(${columnText(column)}, ${hasYear ? 1 : 6}, ${start.length}) ${sign} ${quotedText(start)}`;
}

const LATE =
  /(?<!\p{L})(?:(?:too )?late|after (?:the|its|their) due date|zu spat|verspatet|en retard|trop tard|con retraso|tarde)(?!\p{L})/u;

const DUE_ON =
  /(?<!\p{L})(?:due|deadline|f[äa]llig\p{L}*|[ée]ch[ée]ance|venc\p{L}+|planned|promised|expected|geplant)(?!\p{L})/iu;

/** What was paid or delivered late has a day after the day it was due. */
export function lateFilters({ open, table }: Planning): Filter[] {
  if (!LATE.test(open.text)) return [];
  const days = table.columns.filter(({ type }) => type === 'date');
  const [due, second] = days.filter(({ heading }) => DUE_ON.test(spaced(heading)));
  const words = contentWords(open.text);
  const [done, another] = days.filter((column) => column !== due && namesColumn(column, words) > 0);
  if (!due || !done || second || another) return [];
  open.take(LATE);
  takeColumn(open, done);
  return [comparedWith(done, '>', due)];
}

/** Headings of the days on which something began. */
export const STARTED =
  /start|begin|join|hire|entry|since|eintritt|seit|beginn|d[ée]but|entr[ée]e|embauche|inicio|alta/i;

/** What is said of days, and what their columns are called. */
const EVENTS: [RegExp, RegExp][] = [
  [
    /(?<!\p{L})(?:joined|hired|recruited|start(?:s|ed|ing)?|beg[iau]ns?|eingestellt|angefangen|beginn\p{L}*|embauche\p{L}*|commenc\p{L}*|contratad\p{L}*|empez\p{L}*)(?!\p{L})/u,
    STARTED,
  ],
  [
    /(?<!\p{L})(?:end(?:s|ed|ing)?|finish\p{L}*|expire[sd]?|complet\p{L}*|ende[nt]?|endet|lauft ab|se termine\p{L}*|termin\p{L}*|acab\p{L}*)(?!\p{L})/u,
    /end|finish|expir|complet|ende|ablauf|fin(?!\p{L})|[ée]ch[ée]ance|vencim/iu,
  ],
  [/(?<!\p{L})(?:due|fallig\p{L}*|vence\p{L}*)(?!\p{L})/u, /due|f[äa]llig|[ée]ch[ée]ance|venc/i],
];

/** The only one, the one that the question names or tells what happened on it, or the one that says no more than "Date". */
function dayColumn(days: readonly Column[], open: OpenText): Column | undefined | 'unclear' {
  const event = EVENTS.find(([said]) => said.test(open.text));
  const [happened, another] = event ? days.filter(({ heading }) => event[1].test(heading)) : [];
  if (event && happened && !another) {
    open.take(event[0]);
    return happened;
  }
  if (days.length <= 1) return days[0];
  const plain = days.filter(({ heading }) => /^(?:date|datum|fecha)$/i.test(heading.trim()));
  return namedColumn(days, contentWords(open.text)) ?? (plain.length === 1 ? plain[0] : undefined);
}
