/** Columns that a table does not have, calculated from two of its own: the days between them, what is left to pay, a rise. */
import { fold, stem, WHOLE } from '../../../retrieval/words.ts';
import { riseOrFall } from './changes.ts';
import { type Column, columnText, type Filter } from './figure-statement.ts';
import { NEUTRAL } from './figure-words.ts';
import {
  contentWords,
  namedColumn,
  namesColumn,
  namingColumn,
  numbersOf,
  type Planning,
  STATES,
  spaced,
  unitOf,
} from './match-columns.ts';
import type { Period } from './periods.ts';

const LONG =
  /(?<!\p{L})(?:how long|how many days|(?:number of )?days?|wie lange|wie viele tage|(?:anzahl )?tagen?|combien de (?:temps|jours)|(?:nombre de )?jours|cuant(?:o tiempo|os dias)|dias|did|does|dauer\p{L}*|take[sn]?|took|passed|lasted|vergingen|vergehen|passes)(?!\p{L})/u;
const ASKS_LONG = /(?<!\p{L})(?:how long|days?|wie lange|tagen?|combien de temps|jours?|cuanto tiempo|dias?)(?!\p{L})/u;
const FROM_TO =
  /(?<!\p{L})(?:from|between|von|vom|zwischen|entre|de|du|desde) (?:(?:the|der|dem|den|la|le|el|its|being) )?(\p{L}+)(?: (?:date|datum))? (?:to|and|until|till|bis|und|a|et|y|hasta|jusqu['’]a) (?:(?:the|zur|zum|der|dem|la|le|el|its|being) )?(\p{L}+)(?!\p{L})/u;

const SINCE =
  /(?<!\p{L})(?:after|nach|apres|despues de) (?:(?:the|der|dem|la|le|el|its) )?(\p{L}+)(?: date)?(?!\p{L})/u;

const OVERSPENT = WHOLE('over(?:spent|spends?|spending|ran|runs?)');
/**
 * Chooses the column that the question asks to calculate, and says which rows it is asked for. Undefined if the table lacks the two
 * columns for it.
 */
export function takeComputed(planning: Planning): Filter[] | undefined {
  takeDuration(planning);
  const filters = planning.computed ? [] : takeDifference(planning);
  return OVERSPENT.test(planning.open.text) ? undefined : filters;
}

/** "From order to delivery" is a column of days that the table does not have. */
function takeDuration(planning: Planning): void {
  const { open, table } = planning;
  if (!ASKS_LONG.test(open.text)) return;
  const days = table.columns.filter(({ type }) => type === 'date');
  const named = (word: string) => namedColumn(days, [stem(word)]);
  const found = FROM_TO.exec(open.text) ?? SINCE.exec(open.text);
  const [, first = '', second] = found ?? [];
  const before = contentWords(open.text.slice(0, found?.index));
  const [from, to] = [named(first), second ? named(second) : namedColumn(days, before)];
  if (!found || !from || !to || from === 'unclear' || to === 'unclear' || from === to) return;
  open.blank(found.index, found[0].length);
  while (open.take(LONG));
  const sql = `(julianday(substr(${columnText(to)}, 1, 10)) - julianday(substr(${columnText(from)}, 1, 10)))`;
  const heading = `days from ${from.heading} to ${to.heading}`;
  planning.computed = computedColumn(heading, sql, from);
  planning.isDuration = true;
}

const computedColumn = (heading: string, sql: string, { table }: Column): Column => ({
  column: heading,
  heading,
  type: 'number',
  table,
  sql,
});

/** How much more one column is than another. An empty cell of a part, such as what was paid, is zero. */
type Difference = { more: Column; less: Column; part?: Column };

/** Sums of money that are due as a whole: the price of one piece is none. */
const DUE =
  /^total(?: (?:price|amount|cost|fee|ttc))?\W*$|(?<!\p{L})(?:due|owed|fees?|invoiced?|charged?|billed|amount|soll|f(?:ä|ae)llig\p{L}*|betrag|beitrag|rechnungsbetrag|forderung\p{L}*|d[ûu]e?s?|montant|cotisations?|factur\p{L}*|importe|cuota|debid[oa])(?!\p{L})/iu;
const OF_ONE =
  /(?<!\p{L})(?:per|each|unit|hourly|daily|weekly|monthly|rate|pro|je|par|por|monatlich\p{L}*|mensuel\p{L}*|mensual)(?!\p{L})|\//iu;
const PAID =
  /(?<!\p{L})(?:paid|received|bezahlt|gezahlt|eingegangen|vers[ée]e?s?|pay[ée]e?s?|encaiss[ée]e?s?|r[ée]gl[ée]e?s?|pagad[oa]|cobrad[oa])(?!\p{L})/iu;
/** A column that holds what is left itself. */
const REST =
  /(?<!\p{L})(?:balance|open|outstanding|remaining|left|offen\p{L}*|ausstehend\p{L}*|rest\p{L}*|solde|saldo|pendiente)(?!\p{L})/iu;

/** Says that less was paid than is due: of a sum of money, and of who owes it. */
const OWES = WHOLE(
  [
    '(?:is|are|was|were|do|does|did|has|have|had) not(?: been)?(?: yet)? (?:yet )?(?:fully )?paid(?: us)?(?: in full| everything| (?:it )?all| up| off| the (?:full|whole) \\p{L}+)(?: yet)?',
    '(?:still |yet )?(?:owe[sd]?|owing)(?: us)?|(?:still |yet |left )to (?:be )?(?:pay|paid|collect(?:ed)?)|still ha(?:s|ve) to pay',
    'noch nicht (?:alles|voll(?:standig)?|komplett|ganz) (?:be|ge)zahlt|noch (?:zu )?(?:be)?zahlen|noch zu kassieren|schulde[nt](?: uns)?(?: noch)?',
    "(?:n['’](?:a|ont) )?pas (?:encore )?tout (?:paye|verse|regle)\\p{L}*|reste(?:nt)?(?:-t-(?:il|elle|on)|-il)? (?:encore )?(?:a (?:payer|encaisser|verser|regler|percevoir)|dus?)|doi(?:t|vent) encore(?: payer)?",
    'no (?:ha|han) pagado todo(?: todavia)?|quedan? por (?:pagar|cobrar)|pendientes? de (?:pago|cobro)|(?:aun|todavia) deben?|adeudan?',
  ].join('|'),
);
/** The same of a sum; of a list of things, "open" may be anything. */
const OPEN_SUM = WHOLE('(?:still |yet )?(?:outstanding|unpaid)|(?:still|yet) (?:open|due)|noch (?:offen|ausstehend)');
/** Headings of what was planned, and of what was spent. */
const BUDGET = {
  planned: /budget|plan(?!t)/i,
  spent: /(?<!\p{L})(?:spent|spend|actuals?|costs?|ausgaben|ausgegeben|ist|d[ée]pens\p{L}*|gastad[oa]|real)(?!\p{L})/iu,
};
const LEFT = WHOLE(
  '(?:under|below) (?:the |their |its )?budget|left(?: over)?|remain(?:s|ing)?|unspent|ubrig|verbleib\\p{L}*|nicht ausgegeben|reste(?:nt)?|restant\\p{L}*|quedan?|sobran?',
);
const OVER = WHOLE(
  'over(?:spent|spend|spends|ran|run|runs)(?: (?:its|their|the) (?:budget|plan))?|exceed\\p{L}* (?:(?:its|their|the) )?(?:budgets?|plan)|(?:(?:is|are|was|were|went|goes|gone|go|we|they|it) )*(?:over|above) (?:the |their |its )?(?:budget|plan)|(?:budget|plan) (?:am (?:meisten|starksten) )?uberschritt\\p{L}*|uberzogen|depass\\p{L}*(?: (?:son|leur|le) budget)?|(?:excedi\\p{L}*|supera\\p{L}*)(?: (?:su|el) presupuesto)?',
);

/** The only two columns of one unit and one year that are called so; of several wholes, the one that the question names. */
function pairOf({ open, table, request }: Planning, wholes: RegExp, parts: RegExp) {
  const numbers = numbersOf(table).filter(({ heading }) => isOfYears(heading, request.periods));
  const [part, another] = numbers.filter(({ heading }) => parts.test(spaced(heading)));
  const called = numbers.filter(({ heading }) => wholes.test(spaced(heading)) && !parts.test(spaced(heading)));
  const ofYear = called.filter(({ heading }) => yearIn(heading) === yearIn(part?.heading) && !OF_ONE.test(heading));
  const [first, second] = ofYear;
  const whole = second ? namedColumn(ofYear, contentWords(open.text)) : first;
  if (!whole || whole === 'unclear' || !part || another || unitOf(whole) !== unitOf(part)) return undefined;
  // `Actual headcount` does not belong to a `Budget`.
  const others = contentWords(spaced(part.heading).replaceAll(new RegExp(parts, 'giu'), ' '));
  const areOfWhole = others.every((word) => /^\d+$/.test(word) || NEUTRAL.has(word) || namesColumn(whole, [word]) > 0);
  return areOfWhole ? { whole, part } : undefined;
}

const yearIn = (heading = ''): string | undefined => /(?<!\d)(?:19|20)\d\d(?!\d)/u.exec(heading)?.[0];

/** "In 2025" names the columns of that year. */
const isOfYears = (heading: string, periods: readonly Period[]): boolean =>
  yearIn(heading) === undefined || periods.every(({ start }) => start === yearIn(heading));

const COMPUTED: ReadonlySet<string> = new Set(['list', 'count', 'sum', 'average', 'most', 'least', 'difference']);

/** Subtracts one column from another: "how much is still owed?" asks for the sum of it, "who still owes?" for the rows above zero. */
function takeDifference(planning: Planning): Filter[] {
  const { open, request, table } = planning;
  // "Combien d'élèves" counts, where "combien" alone adds up.
  if (!COMPUTED.has(request.kind) || (request.kind === 'sum' && COUNTS.test(open.text))) return [];
  const isOver = OVER.test(open.text);
  const owed = leftToPay(planning);
  const found = owed ?? riseOf(planning) ?? besideBudget(planning);
  if (!found) return [];
  const { more, less, part } = found;
  const [one, other] = [more, less].map((column) =>
    column === part ? `coalesce(${columnText(column)}, 0)` : columnText(column),
  );
  const value = `(${one} - ${other})`;
  const { kind } = planning.request;
  const isOfRows = kind === 'list' || kind === 'count';
  // Where somebody paid more than is due, the sum of what is owed is open: the row may stand for an earlier one.
  const isOpen = `(SELECT min(${value}) FROM ${table.from} WHERE ${table.tables.map((name) => `${name}.is_total = 0`).join(' AND ')}) < 0`;
  const sql = owed && !isOfRows ? `iif(${isOpen}, NULL, ${value})` : value;
  planning.computed = computedColumn(`${more.heading} − ${less.heading}`, sql, more);
  const years = [more, less].map(({ heading }) => yearIn(heading));
  planning.request = { ...planning.request, periods: request.periods.filter(({ start }) => !years.includes(start)) };
  if (!(isOfRows || isOver || kind === 'most' || (kind === 'least' && !part))) return [];
  return [{ column: more, sql: `${one} > ${other}`, said: `${more.heading} > ${less.heading}` }];
}

const COUNTS = /^\W*¤ *d(?:e |['’])/u;
/** "The fees that are unpaid" are whole fees. */
const OF_CLAUSE = /(?<=\p{L} |¤ *)(?:that|which|who|qui|que) (?:\p{L}+ ){0,3}¤|, (?:die|der|das) (?:\p{L}+ ){0,3}¤/u;

function leftToPay(planning: Planning): Difference | undefined {
  const { open, request, table } = planning;
  const isOfRows = request.kind === 'list' || request.kind === 'count';
  const hasRest = numbersOf(table).some(({ heading }) => REST.test(spaced(heading)));
  // A column of states says itself what is open, and several rows of one person may settle each other.
  if (hasRest || hasStates(planning) || (isOfRows && !namingColumn(table, planning.values))) return undefined;
  const pair = pairOf(planning, DUE, PAID);
  if (!pair) return undefined;
  const said = open.text;
  if (!open.take(OWES) && (isOfRows || !open.take(OPEN_SUM))) return undefined;
  if (!isOfRows && OF_CLAUSE.test(open.text)) {
    open.text = said;
    return undefined;
  }
  return { more: pair.whole, less: pair.part, part: pair.part };
}

const hasStates = ({ table, values }: Planning): boolean =>
  values.some(([of, , value]) => table.tables.includes(of) && STATES.includes(fold(value)));

function besideBudget(planning: Planning): Difference | undefined {
  const { open, request } = planning;
  const { whole, part } = pairOf(planning, BUDGET.planned, BUDGET.spent) ?? {};
  if (!whole || !part) return undefined;
  const isNamed = namesColumn(whole, contentWords(open.text)) > 0;
  const over = OVER.exec(open.text)?.[0] ?? '';
  // Of a sum, "over budget" may be meant of the whole or of the rows that are.
  const isClear = /^(?:list|count|most)$/.test(request.kind) || !/(?:over|above) [^¤]*$/.test(over);
  if (over !== '' && isClear && open.take(OVER)) return { more: part, less: whole, part };
  return over === '' && isNamed && open.take(LEFT) ? { more: whole, less: part, part } : undefined;
}

const BETWEEN =
  /(?<!\p{L})(?:from|between|von|vom|zwischen|entre|de|desde) (?:the )?([\p{L}\p{N}]+) (?:to|and|bis|zu|auf|und|a|et|y|hasta) (?:the )?([\p{L}\p{N}]+)(?!\p{L})/u;
const THAN =
  /(?<!\p{L})(?:in|for|during|im|fur|en|pour|para) (?:the )?([\p{L}\p{N}]+) (?:than|compared (?:to|with)|als|gegenuber|qu['’]|que|par rapport a) ?(?:(?:in|for|during|im|fur|en|pour|para) )?(?:the )?([\p{L}\p{N}]+)(?!\p{L})/u;
const THAN_YEARS = /¤ *(?:than|compared (?:to|with)|als|gegenuber|qu['’]|que|par rapport a) *¤/u;
const MORE = WHOLE('more|higher|greater|larger|bigger|mehr|hoher\\p{L}*|plus|mas|mayor(?:es)?');
const FEWER = WHOLE('fewer|less|lower|smaller|weniger|niedriger\\p{L}*|moins|menos|menor(?:es)?');

const YES_OR_NO =
  /^\W*(?:did|has|have|was|were|is|are|do|does|ist|sind|war|waren|hat|haben|a|ont|est|sont|ha|han|es|son)(?!\p{L})/u;

/** "From FY24 to FY25", with a word for a rise or a fall, and "more in FY25 than in FY24". */
function changeIn({ open: { text }, request: { asked, periods } }: Planning) {
  const [between, from = '', to = ''] = BETWEEN.exec(text) ?? [];
  const change = riseOrFall(text);
  if (between && change) return { from, to, rises: change.rises, said: [between, change.said] };
  const years = periods.length === 2 ? THAN_YEARS.exec(text)?.concat(periods.map(({ start }) => start)) : undefined;
  const [than, later = '', earlier = ''] = THAN.exec(text) ?? years ?? [];
  const [more, fewer] = [MORE, FEWER].map((pattern) => pattern.exec(`${asked} ${text}`)?.[0]);
  if (!than || (more === undefined) === (fewer === undefined)) return undefined;
  return { from: earlier, to: later, rises: more !== undefined, said: [than, more ?? fewer ?? ''] };
}

/** "Which department got the biggest rise from FY24 to FY25" compares two columns of each row. */
function riseOf(planning: Planning): Difference | undefined {
  const { open, table } = planning;
  const change = changeIn(planning);
  if (!change) return undefined;
  const of = contentWords(open.text.replace(change.said[0] ?? '', ' '));
  const [from, to] = [change.from, change.to].map((word) => namedColumn(numbersOf(table), [...of, stem(word)]));
  if (!from || !to || from === 'unclear' || to === 'unclear' || from === to || unitOf(from) !== unitOf(to))
    return undefined;
  for (const said of change.said) if (open.text.includes(said)) open.blank(open.text.indexOf(said), said.length);
  const { kind } = planning.request;
  if (kind === 'difference' || (kind === 'list' && YES_OR_NO.test(open.text)))
    planning.request = { ...planning.request, kind: 'sum' };
  return change.rises ? { more: to, less: from } : { more: from, less: to };
}
