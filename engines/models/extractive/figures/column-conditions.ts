/** Finds the rows that a question names by numbers and days: "over 500", "in March", "out of stock", `group 3`, "paid late". */

import { FIGURE_STOP_WORDS, fold, OpenText, stem, WHOLE, wordsOf } from '../../../retrieval/words.ts';
import { meansSame } from '../synonyms.ts';
import { type Column, columnText, type Filter, type Plan, quotedText } from './figure-statement.ts';
import { type FigureRequest, NEUTRAL } from './figure-words.ts';
import {
  type ColumnValue,
  contentWords,
  headingWords,
  isCounter,
  isOfState,
  MARKS,
  markOf,
  namedColumn,
  namesColumn,
  numbersOf,
  ownWords,
  type Planning,
  spaced,
  takeColumn,
  takeWord,
  unitOf,
} from './match-columns.ts';
import { columnOf, dimensionOf, takeMeasuring, thingsColumn } from './measured-column.ts';
import type { Period } from './periods.ts';

/** Undefined if it is unclear which column is compared with a number. */
export function numberFilters(planning: Planning): Filter[] | undefined {
  const filters = planning.request.thresholds.map((threshold) => thresholdFilter(planning, threshold));
  return filters.every((filter) => filter !== undefined) ? filters : undefined;
}

function thresholdFilter(planning: Planning, threshold: Threshold): Filter | undefined {
  const { open, request } = planning;
  const { sign, number, unit, at } = threshold;
  const isMoney = /^(?:eur|usd|gbp|chf)/.test(unit) || COSTS.test(request.rest.slice(Math.max(0, at - NEAR), at));
  const isOfDays = /^ *¤?(?:days?|tagen?|jours?|dias?)?(?!\p{L})/u.test(request.rest.slice(threshold.end));
  // "Who owes more than 50" is about the difference, "which orders over 50 are unpaid" is not.
  const isOfComputed = planning.isDuration ? isOfDays : /¤ *(?:(?:by|um|de|por) +)?$/u.test(open.text.slice(0, at));
  const computed = isOfComputed ? planning.computed : undefined;
  const column = computed ?? comparedColumn(planning, threshold, isMoney);
  if (!column || (number >= LARGE && IN_THOUSANDS.test(spaced(column.heading)))) return undefined;
  const isBare = unit === '%' && !columnOf('percent', [column]);
  if (isBare && namesColumn(column, contentWords(request.rest)) === 0) return undefined;
  if (isBare) planning.notes.push(`${number} % is compared with the column ${column.heading} as it is written.`);
  takeColumn(open, column);
  const [noun = ''] = contentWords(request.rest.slice(threshold.end));
  if (ownWords(column.heading).some((word) => meansSame(word, noun))) takeWord(open, noun);
  if (isMoney) open.take(COSTS);
  const shown = columnText({ ...column, column: `${column.column}_text` });
  // A cell that shows 70 % is stored as 0.7.
  const factor = unit === '%' ? `iif(instr(${shown}, '%') > 0, 100, 1) * ` : '';
  return {
    column,
    sql: `${factor}${columnText(column)} ${sign} ${number}`,
    said: `${column.heading} ${sign} ${number}`,
  };
}

const NEAR = 40;

/** A column in thousands or millions is not compared with a large number, which may be meant in single ones. */
const LARGE = 1e4;
const IN_THOUSANDS =
  /(?<!\p{L})(?:[mkt] ?(?:[$€£]|(?:eur|usd|gbp|chf)(?!\p{L}))|(?:[$€£]|eur|usd|gbp|chf) ?[mkt](?!\p{L})|(?:mn|mio|millions?|millionen|bn|tsd|thousands?|000s?)(?!\p{L}))/iu;

type Threshold = FigureRequest['thresholds'][number];

function comparedColumn(planning: Planning, threshold: Threshold, isMoney: boolean): Column | undefined {
  const { table, request, open } = planning;
  const { words, unit, at, end } = threshold;
  const { rest } = request;
  const numbers = numbersOf(table);
  const [noun = ''] = wordsOf(rest.slice(end));
  const isOfThings = headingWords(table.name).includes(stem(noun));
  const dimension = dimensionOf(words) ?? takeVerb(open, rest.slice(0, at));
  const measures = dimension ? numbers.filter(({ heading }) => dimension.test(heading)) : [];
  const behind =
    (isOfThings && thingsColumn(planning)) || columnBehind(numbers, rest.slice(end), unit, measures.length === 1);
  if (behind === 'unclear') return undefined;
  const before = lastNamed(numbers, contentWords(rest.slice(Math.max(0, at - NEAR), at)));
  const [measure, second] = measures;
  const named = behind ?? (second ? undefined : measure) ?? before ?? (isMoney ? columnOf('each', numbers) : undefined);
  const column = named ?? (numbers.length === 1 ? numbers[0] : columnOf('whole', numbers));
  return column === 'unclear' || (column && isOfOtherUnit(column, unit)) ? undefined : column;
}

/** "Which weigh more than 10 kg" measures weights. */
function takeVerb(open: OpenText, before: string): RegExp | undefined {
  const [, verb = ''] = /(\p{L}+) *$/u.exec(before) ?? [];
  const dimension = takeMeasuring(new OpenText(verb));
  if (dimension) takeWord(open, stem(verb));
  return dimension;
}
const MEASURES = /^(?:km\/h|mph|kwh?|hp|kg|g|km|cm|mm|m|ft|miles|t|h|eur|usd|gbp|chf|€|[$£])$/;

/** Two tonnes are not compared with kilograms. */
const isOfOtherUnit = (column: Column, unit: string): boolean =>
  [unitOf(column), markOf(unit)].every((one) => MEASURES.test(one)) && unitOf(column) !== markOf(unit);
const COSTS = /(?<!\p{L})(?:costs?|costing|kosten|kostet|coute\w*|cuesta\w*)(?!\p{L})/u;

/** "20 hours of downtime" measures downtime. */
const OF_NOUN = /^\W*(?:\p{L}+ )?(?:of|von|an|de|d['’]) ?(\p{L}+)/u;

/** The column that the words behind a number name. Unclear if they name something else. */
function columnBehind(
  numbers: readonly Column[],
  behind: string,
  unit: string,
  isMeasured: boolean,
): Column | undefined | 'unclear' {
  const [, of = ''] = OF_NOUN.exec(behind) ?? [];
  const named = of === '' ? undefined : namedColumn(numbers, [stem(of)]);
  if (named) return named;
  const ofUnit = unit === '' ? undefined : columnOfUnit(numbers, unit, isMeasured);
  if (ofUnit || isMeasured) return ofUnit;
  // A number of hours is compared with no amount of money.
  if (OTHER_UNITS.test(unit) && numbers.length > 1) return 'unclear';
  const after = /^\W*(\p{L}+)/u.exec(behind)?.[1] ?? '';
  const isNoun = after !== '' && !FIGURE_STOP_WORDS.has(after) && !NEUTRAL.has(stem(after));
  // "More than 10 sales" is a number of them, and no revenue.
  const isSynonym = (column: Column) =>
    !columnOf('whole', [column]) && ownWords(column.heading).some((word) => meansSame(word, stem(after)));
  const [synonym, another] = isNoun ? numbers.filter(isSynonym) : [];
  return namedColumn(numbers, [stem(after)]) ?? (another ? undefined : synonym) ?? (isNoun ? 'unclear' : undefined);
}

/** The only column of figures in this unit. */
function columnOfUnit(numbers: readonly Column[], unit: string, isMeasured: boolean): Column | undefined {
  const fitting = numbers.filter((column) => !isOfOtherUnit(column, unit));
  const written = fitting.filter((column) => unitOf(column) === markOf(unit));
  const named = fitting.filter((column) => namesColumn(column, [stem(unit)]) > 0);
  const heights =
    !isMeasured && OF_LENGTH.test(unit) ? fitting.filter(({ heading }) => HEIGHT.test(spaced(heading))) : [];
  return [written, named, heights].find(({ length }) => length === 1)?.[0];
}

const OTHER_UNITS =
  /^(?:hours?|stunden|heures|horas|km\/h|mph|kwh?|hp|ps|cv|cm|mm|[mtgh]|tonn?es?|tonnen|toneladas?|knots|nudos|n(?:œ|oe)uds|knoten|degr(?:ee|e)s?|grad|grados?)$/;
const OF_LENGTH = /^(?:feet|ft|met(?:er|re)s?|km|miles)$/;
const HEIGHT =
  /(?<!\p{L})(?:altitude|elevation|height|depth|length|distance|h(?:ö|oe)he|tiefe|l(?:ä|ae)nge|entfernung|hauteur|profondeur|longueur|altura|longitud|distancia)(?!\p{L})/iu;

function lastNamed(columns: readonly Column[], words: readonly string[]): Column | undefined | 'unclear' {
  for (const word of words.toReversed()) {
    const named = namedColumn(columns, [word]);
    if (named) return named;
  }
  return undefined;
}

const OUTGOING =
  /(?<!\p{L})(?:spen[dt]|spending|paid|pay|payments? (?:to|made|out)|outgoings?|expenses?|expenditures?|withdrawn|withdrawals?|debits?|ausgegeben|ausgaben?|bezahlt|gezahlt|abgebucht|abgang|abgange|zahlungen an|depense[sr]?|payee?s?|sorties|gast(?:ado|os?|e)|pag(?:ado|ue|amos|aron))(?!\p{L})/u;

const INCOMING =
  /(?<!\p{L})(?:payments? (?:received )?from|zahlungen von|paiements? de|pagos? de|received?|income|incoming|earned|deposits?|deposited|credits?|(?:came|come|paid) in|einnahmen?|eingenommen|eingegangen|erhalten|gutschriften?|recettes?|encaiss\w*|entrees|recus?|recibid[oa]s?|ingresos?|ingresado|cobrado)(?!\p{L})/u;

export const hasGaps = (column: Column, values: readonly ColumnValue[]): boolean => isOfState(column, 'gaps', values);

/** In a column of amounts below and above zero, what was spent is below. Undefined if both are asked for. */
function signFilters({ open, table, values }: Planning): Filter[] | undefined {
  const [column, another] = numbersOf(table).filter((one) => isOfState(one, 'signed', values));
  if (!column || another) return [];
  const incoming = open.take(INCOMING);
  const outgoing = open.take(OUTGOING);
  if (incoming && outgoing) return undefined;
  const sign = incoming ? '>' : '<';
  return incoming || outgoing
    ? [{ column, sql: `${columnText(column)} ${sign} 0`, said: `${column.heading} ${sign} 0`, sign }]
    : [];
}

const EMPTY =
  /(?<!\p{L})(out of|(?:with )?nothing in(?: the)?(?= \p{L}+ column)|without(?: an?| any)?|not any|no|missing(?: an?| the)?|ohne|kein\p{L}*|sans|pas de|sin) ([\p{L}]+)(?: (?:left|remaining|column|any ?more|mehr|ubrig))?(?!\p{L})/gu;

const SOME =
  /(?<!\p{L})(?:with|having|had|has|have|got|mit|hatten?|haben|avec|ont|avaient|con|tienen?|tuvieron) (?:an?|any|some|eine[nm]?|une?|un|algun[oa]?) (\p{L}+)(?!\p{L})/u;
/** "Had a discount" are the rows whose number is over zero. */
function someFilters({ open, table, request }: Planning): Filter[] {
  const found = request.kind === 'count' || request.kind === 'list' ? SOME.exec(open.text) : null;
  const column = found ? namedColumn(numbersOf(table), [stem(found[1] ?? '')]) : undefined;
  if (!found || !column || column === 'unclear') return [];
  open.blank(found.index, found[0].length);
  return [{ column, sql: `${columnText(column)} > 0`, said: `${column.heading} > 0` }];
}

const SOLD_OUT =
  /(?<!\p{L})(?:(?:been )?(?:run|ran|sold|all) out(?: of)?|out of stock|(?:none|nothing) left|used up|ausverkauft|vergriffen|aufgebraucht|nicht (?:mehr )?(?:auf lager|vorratig)|en rupture(?: de stock)?|epuisee?s?|agotad[oa]s?|sin existencias)(?!\p{L})/u;
/** "Sold out" are the rows whose stock is zero. */
function soldOutFilters({ open, table }: Planning): Filter[] {
  const column = SOLD_OUT.test(open.text) ? columnOf('stock', numbersOf(table)) : undefined;
  if (!column) return [];
  open.take(SOLD_OUT);
  return [{ column, sql: `${columnText(column)} = 0`, said: `${column.heading} = 0` }];
}

const AT_LOSS =
  /(?<!\p{L})(?:(?:at|with) a loss|(?:made|make|makes|making) (?:a )?loss(?:es)?|(?:lost|losing|lose) (?:us )?money|loss[- ]making|unprofitable|mit verlust|a perte|con perdidas?)(?!\p{L})/u;
const PROFIT =
  /(?<!\p{L})(?:profit|earnings|margin|gewinn|ergebnis|marge|b[ée]n[ée]fice|beneficio|ganancia)(?!\p{L})/iu;
/** What was sold at a loss has a profit below zero. */
function lossFilters({ open, table }: Planning): Filter[] {
  const [column, another] = AT_LOSS.test(open.text)
    ? numbersOf(table).filter(({ heading }) => PROFIT.test(spaced(heading)))
    : [];
  if (!column || another) return [];
  open.take(AT_LOSS);
  return [{ column, sql: `${columnText(column)} < 0`, said: `${column.heading} < 0` }];
}

/** "Out of stock" and "without a discount" are the rows whose number is zero, or that have none. */
function emptyFilters(planning: Planning): Filter[] {
  const { open, table, values } = planning;
  const said = [...soldOutFilters(planning), ...lossFilters(planning)];
  if (said.length > 0) return said;
  // Two tables read as one have no row for what one of them lacks.
  const found = table.tables.length > 1 ? [] : open.text.matchAll(EMPTY);
  for (const { 0: whole, 1: said = '', 2: word = '', index } of found) {
    const named = namedColumn(table.columns, [stem(word)]);
    const column = named ?? (word === 'stock' ? columnOf('stock', numbersOf(table)) : undefined);
    if (!column || column === 'unclear') continue;
    const isNumber = column.type === 'number' && (said === 'out of' || !hasGaps(column, values));
    open.blank(index, whole.length);
    return [isNumber ? { column, sql: `${columnText(column)} = 0`, said: `${column.heading} = 0` } : isEmpty(column)];
  }
  return someFilters(planning);
}

export const isEmpty = (column: Column): Filter => ({
  column,
  sql: `(${columnText(column)} IS NULL OR ${columnText(column)} = '')`,
  said: `${column.heading} empty`,
});

const comparedWith = (column: Column, sign: '<' | '>' | '<=', other: Column): Filter => ({
  column,
  sql: `${columnText(column)} ${sign} ${columnText(other)}`,
  said: `${column.heading} ${sign} ${other.heading}`,
});

const BESIDE_AVERAGE =
  /(?<!\p{L})(above|over|higher than|more than|below|under|lower than|less than|uber|unter|au-dessus de|au-dessous de|superieure?s? a|inferieure?s? a|por encima de|por debajo de) (?:the |dem |der |la |le |l['’]|el )?(?:average|mean|durchschnitt(?:s(?=\p{L}))?|moyenne|media|promedio)(?!\p{L}*\d)/u;
/** "Above the average amount" compares with the average of all rows. */
function besideAverage(planning: Planning, { 0: said, 1: words = '', index }: RegExpExecArray): Filter[] {
  const { open, table } = planning;
  const named = namedColumn(numbersOf(table), contentWords(open.text));
  const column = named ?? columnOf('whole', numbersOf(table));
  if (!column || column === 'unclear') return [];
  open.blank(index, said.length);
  takeColumn(open, column);
  const sign = /^(?:below|under|lower|less|unter|au-dessous|inferieur|por debajo)/.test(words) ? '<' : '>';
  const sql = `${columnText(column)} ${sign} (SELECT avg(${columnText(column)}) FROM ${table.from} WHERE ${table.tables.map((name) => `${name}.is_total = 0`).join(' AND ')})`;
  return [{ column, sql, said: `${column.heading} ${sign} the average` }];
}

const BESIDE_COLUMN =
  /(?<!\p{L})(?:(?:gone|go|went) )?(below|under|less than|lower than|above|over|more than|higher than|exceed\p{L}*|unter|uber|sous|au-dessous de|au-dessus de|por debajo de|por encima de)(?: (?:their|its|the|his|her|dem|der|den|ihrem|ihren|ihrer|le|la|leur|su|el)|(?<=de)l|(?= (?:budget|plan|target|limit|quota)(?!\p{L}))) ((?:\p{L}+ ?){1,3})/u;

const MORE_THAN_COLUMN =
  /(?<!\p{L})(?:more(?: expensive)?|higher|larger|bigger|greater|dearer|longer|older|heavier|warmer|hotter|faster|mehr|hoher|gro(?:ß|ss)er|teurer|langer|plus(?: \p{L}+)?|mas(?: \p{L}+)?|(less(?: expensive)?|lower|smaller|cheaper|shorter|younger|lighter|colder|cooler|slower|weniger|niedriger|kleiner|billiger|kurzer|moins(?: \p{L}+)?|menos(?: \p{L}+)?|plus (?:bas|petit|court|froid|jeune|leger|lent)\p{L}*)) (?:than|als|que) (?:the |der |die |das |den |le |la |les |el |los |las |l['’])?(\p{L}+)/u;
/** "Where copper was cheaper than zinc" compares two columns that are both named. */
function besideNamed({ open, table, request }: Planning): Filter[] {
  const found = request.kind === 'list' || request.kind === 'count' ? MORE_THAN_COLUMN.exec(open.text) : null;
  if (!found) return [];
  const [whole, less, name = ''] = found;
  const numbers = numbersOf(table);
  const other = namedColumn(numbers, [stem(name)]);
  const column = lastNamed(numbers, contentWords(open.text.slice(0, found.index)));
  if (!other || !column || other === 'unclear' || column === 'unclear' || other === column) return [];
  open.blank(found.index, whole.length);
  takeColumn(open, column);
  return [comparedWith(column, less === undefined ? '>' : '<', other)];
}

/** "Below their reorder level" compares two columns, and so does "over budget". */
export const besideColumn = (planning: Planning): Filter[] => [
  ...lateFilters(planning),
  ...reorderFilters(planning),
  ...besideOther(planning),
];

function besideOther(planning: Planning): Filter[] {
  const { open, table } = planning;
  const average = BESIDE_AVERAGE.exec(open.text);
  if (average && planning.request.kind !== 'average') return besideAverage(planning, average);
  const found = BESIDE_COLUMN.exec(open.text);
  if (!found) return besideNamed(planning);
  const [whole, comparing = '', name = ''] = found;
  const numbers = numbersOf(table);
  const other = namedColumn(numbers, contentWords(name));
  if (!other || other === 'unclear') return [];
  const said = leadingName(other, name);
  if (said === '') return [];
  // What stands behind the name is another condition.
  const length = whole.length - name.length + said.length;
  const words = contentWords(open.text.replace(whole.slice(0, length), ' '));
  const named = namedColumn(
    numbers.filter((column) => column !== other),
    words,
  );
  const column = named ?? besideMinimum(other, numbers);
  if (!column || column === 'unclear' || column === other) return [];
  open.blank(found.index, length);
  takeColumn(open, column);
  const isBelow = /^(?:below|under|less|lower|unter|sous|au-dessous|por debajo)/.test(comparing);
  return [comparedWith(column, isBelow ? '<' : '>', other)];
}

/** The first words of a text, as far as they name the column. */
function leadingName(column: Column, text: string): string {
  const words = text.split(' ');
  const end = words.findIndex((word) => namesColumn(column, [stem(word)]) === 0);
  return (end < 0 ? words : words.slice(0, end)).join(' ');
}

/** The least that can be ordered says nothing of the least stock. */
const OF_ORDER = /(?<!re-?)order|bestellmenge|commande|pedido/iu;
const MINIMUM = /reorder|min(?!\p{L})|m[íi]nim|melde|mindest|seuil/iu;
/** What is compared with a minimum, where the question names no column for it. */
const besideMinimum = ({ heading }: Column, numbers: Column[]): Column | undefined =>
  MINIMUM.test(heading) ? columnOf('stock', numbers) : undefined;

const REORDER = WHOLE(
  '(?:(?:needs? to|ha(?:s|ve) to|must|should) be (?:re-?ordered|restocked)|(?:do|should|must) (?:we|i) (?:(?:need|have) to )?(?:re-?order|restock)|(?:mussen|mussten|sollten) (?:wir )?(?:nachbestell(?:en|t werden)|nachbestellt werden)|nachbestellt werden (?:mussen|mussten)|(?:faut-il|devons-nous) (?:re)?commander|hay que (?:reponer|pedir))',
);
/** "Which items must be reordered?" */
function reorderFilters({ open, table, request }: Planning): Filter[] {
  if (request.kind !== 'list') return [];
  const numbers = numbersOf(table);
  const [minimum, another] = numbers.filter(
    ({ heading }) => MINIMUM.test(spaced(heading)) && !OF_ORDER.test(spaced(heading)),
  );
  const stock = columnOf('stock', numbers);
  return stock && minimum && !another && open.take(REORDER) ? [comparedWith(stock, '<', minimum)] : [];
}

/** Undefined if a period is asked for and the table has no column for it. */
export function dayFilters(planning: Planning): Filter[] | undefined {
  const { table, open, notes, request } = planning;
  const { periods } = request;
  if (periods.length === 0) return [];
  const days = table.columns.filter(({ type }) => type === 'date');
  const isYear = periods.every(({ start }) => /^\d{4}$/.test(start));
  const year = isYear ? yearColumn(planning) : undefined;
  const column = year ?? dayColumn(days, open) ?? firstDay(days, notes);
  if (!column || column === 'unclear') return undefined;
  return periods.map((period) => ({
    column,
    said: `${column.heading} ${period.sign} ${period.start}`,
    sql: dayCondition(column, period),
  }));
}

const OF_YEAR = /year|jahr|ann[ée]e|año/iu;
/** Figures of a year, and not a year. */
const OF_ONE_YEAR = /(?<!\p{L})(?:per|pro|par|por|je|a|last|previous|prior|this) (?:year|jahr|an|ann[ée]e|año)/iu;
/** The one that is called "Year", that the question names, or the only one in a table without days. */
function yearColumn({ table: { columns }, open, values, request }: Planning): Column | undefined {
  const numbers = columns.filter(({ type }) => type === 'number');
  const plain = numbers.find(({ heading }) => /^(?:year|jahr|ann[ée]e|año)$/i.test(heading.trim()));
  const years = numbers.filter(
    (column) => isCounter(column) && OF_YEAR.test(column.heading) && !OF_ONE_YEAR.test(spaced(column.heading)),
  );
  // "Which countries joined the EU in 2004" is asked of a column `EU` with the years.
  const isOfRows = request.kind === 'count' || request.kind === 'list';
  const ofYears = isOfRows ? numbers.filter((one) => !years.includes(one) && isOfState(one, 'years', values)) : [];
  const named = namedColumn([...years, ...ofYears], contentWords(open.text));
  const only = columns.some(({ type }) => type === 'date') || years.length > 1 ? undefined : years[0];
  const column = plain ?? (named === 'unclear' ? undefined : named) ?? only;
  // "Founded" is said of a `foundingyear`.
  const root = column === plain ? '' : fold(column?.heading ?? '').slice(0, ROOT);
  if (root !== '') open.take(new RegExp(`(?<!\\p{L})${root}\\p{L}*`, 'u'));
  return column;
}
const ROOT = 5;

/** The first column of days says when a row came about; the answer names it. */
function firstDay(days: readonly Column[], notes: string[]): Column | undefined {
  const [first] = days;
  if (first) notes.push(`The days are those of the column ${first.heading}.`);
  return first;
}

/** Times of a day are equal or not; which is the earlier one, no condition says. */
export const LIMITS_TIME =
  /(?<!\p{L})(?:before|after|until|till|since|from|between|by|past|earlier than|later than|vor|nach|bis|ab|seit|von|zwischen|avant|apres|jusqu\p{L}*|depuis|entre|de|antes|despues|desde|hasta)(?: (?:de|a|the))? \d{1,2}:\d\d/u;

const PERIODS: Record<'year' | 'quarter' | 'month', [RegExp, (day: string) => string]> = {
  year: [/year|jahr|annee|ano/, (day) => day.slice(0, 4)],
  quarter: [/qu?art|trimestre/, (day) => `${day.slice(0, 4)} ${Math.ceil(Number(day.slice(5, 7)) / 3)}`],
  month: [/month|monat|mois|mes/, (day) => day.slice(0, 7)],
};
const WHOLE_PERIOD =
  /(?<!\p{L})(?:for|in|over|during|of|across|throughout|fur|uber|pour|sur|durant|pendant|durante|en|por) (?:the|das|le|la|l|el)[ '’](?:whole |entire |full |ganze |gesamte )?(year|quarter|month|jahr|quartal|monat|annee|trimestre|mois|ano|mes)(?!\p{L})(?! (?:with|of|when|where|that|mit|avec|de|con|\d))/u;

/** "For the quarter" limits nothing in a table of one. False if its days go beyond. */
export function takeWholePeriod({ open, table, values, request, notes }: Planning): boolean {
  const [, named = ''] = WHOLE_PERIOD.exec(open.text) ?? [];
  const [day, another] = table.columns.filter(({ type }) => type === 'date');
  const span = values.find(([mark, of]) => mark === MARKS.span && day && of === `${day.table}.${day.column}`)?.[2];
  const [, periodOf] = Object.values(PERIODS).find(([word]) => word.test(named)) ?? [];
  if (!day || another || !span || !periodOf || request.periods.length > 0) return true;
  const [first = '', last = ''] = span.split(' ');
  if (periodOf(first) !== periodOf(last)) return false;
  open.take(WHOLE_PERIOD);
  notes.push(`The days of the column ${day.heading} go from ${first} to ${last}.`);
  return true;
}

function dayCondition(column: Column, { sign, start, hasYear }: Period): string {
  if (column.type === 'number') return `${columnText(column)} ${sign} ${start}`;
  return `substr(${columnText(column)}, ${hasYear ? 1 : 6}, ${start.length}) ${sign} ${quotedText(start)}`;
}

const LATE =
  /(?<!\p{L})(?:(?:too )?late(?!r)|(?:later than|after)(?: (?:they|it|he|she|the|its|their|were|was|is|are|had|been))*(?: due| planned| promised| expected| agreed)(?: back| date)*|zu spat|verspatet|en retard|trop tard|con retraso|tarde)(?!\p{L})/u;

const ON_TIME =
  /(?<!\p{L})(?:on time|in time|punctually|punktlich|rechtzeitig|a temps|a tiempo|puntualmente)(?!\p{L})/u;

const DUE_ON =
  /(?<!\p{L})(?:due|deadline|f[äa]llig\p{L}*|[ée]ch[ée]ance|venc\p{L}+|planned|promised|expected|geplant)(?!\p{L})/iu;

/** What was paid or delivered late has a day after the day it was due. */
function lateFilters({ open, table }: Planning): Filter[] {
  const isOnTime = ON_TIME.test(open.text);
  if (!LATE.test(open.text) && !isOnTime) return [];
  const days = table.columns.filter(({ type }) => type === 'date');
  const [due, second] = days.filter(({ heading }) => DUE_ON.test(spaced(heading)));
  const words = contentWords(open.text);
  const [done, another] = days.filter((column) => column !== due && namesColumn(column, words) > 0);
  if (!due || !done || second || another) return [];
  open.take(isOnTime ? ON_TIME : LATE);
  takeColumn(open, done);
  return [comparedWith(done, isOnTime ? '<=' : '>', due)];
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

/** What a column of numbers or days says by its sign or its gaps. Undefined if amounts below and above zero are both asked for. */
export function filledFilters(planning: Planning): Filter[] | undefined {
  const signs = signFilters(planning);
  return signs && [...signs, ...emptyFilters(planning)];
}

/** How the plan reads what could be read otherwise. */
export function notesOn(
  { kind, measures, days, sides, group, table }: Plan,
  { values }: Planning,
  hasSign: boolean,
): string[] {
  const [measure] = measures;
  const ofDays = [...days.map(({ column }) => column), ...(group ? [group.column] : [])];
  const unread = [...new Set(ofDays)].filter((column) => column.type === 'date' && isOfState(column, 'texts', values));
  const left = unread.map(
    ({ heading }) => `Check this: some cells of ${heading} could not be read as a day, and their rows are left out.`,
  );
  const isBoth =
    measure &&
    !hasSign &&
    kind !== 'count' &&
    kind !== 'most' &&
    kind !== 'least' &&
    isOfState(measure, 'signed', values);
  const isOfSheet = [...sides.map(({ column }) => column), group?.column].some((column) => column?.heading === 'Sheet');
  if (table.parts && !isOfSheet) left.push(`The rows of the sheets ${table.place} are taken together.`);
  return [...left, ...(isBoth ? [`Amounts below and above zero of ${measure.heading} are added up.`] : [])];
}
