/** Columns that a table does not have, calculated from two of its own: the days between them, what is left to pay, a rise. */
import { fold, stem, WHOLE } from '../words.ts';
import { riseOrFall } from './changes.ts';
import { type Column, columnText, type Filter } from './figure-statement.ts';
import { NEUTRAL } from './figure-words.ts';
import {
  contentWords,
  namedColumn,
  namesColumn,
  numbersOf,
  OPEN_STATES,
  type Planning,
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

const only = <T>([first, another]: readonly T[]): T | undefined => (another === undefined ? first : undefined);

/** Chooses the column that the question asks to calculate, and says which rows it is asked for. */
export function takeComputed(planning: Planning): Filter[] {
  takeDuration(planning);
  return planning.computed ? [] : takeDifference(planning);
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

/**
 * How much more one column is than another. An empty cell of a part, such as what was paid, is zero. `isAbove`: in every kind of
 * figure, rows with less do not count.
 */
type Difference = { more: Column; less: Column; part?: Column; isAbove?: boolean };

const DUE =
  /(?<!\p{L})(?:owed|fees?|invoiced?|charged?|billed|amount|price|total|soll|f(?:ä|ae)llig\p{L}*|betrag|beitrag|rechnungs?\p{L}*|forderung\p{L}*|preis|kosten|d[ûu]e?s?|montant|cotisations?|factur\p{L}*|prix|importe|cuota|debid[oa]|precio)(?!\p{L})/iu;
const PAID =
  /(?<!\p{L})(?:paid|received|payment|deposit|bezahlt|gezahlt|eingegangen|einzahlung|zahlung|vers[ée]e?s?|pay[ée]e?s?|encaiss[ée]e?s?|r[ée]gl[ée]e?s?|acompte|pagad[oa]|cobrad[oa]|abonad[oa])(?!\p{L})/iu;

/** Says that less was paid than is due: of a sum of money, and of who owes it. */
const OWES = WHOLE(
  [
    '(?:is|are|was|were|do|does|did|has|have|had) not(?: been)?(?: yet)? (?:yet )?(?:fully )?paid(?: us)?(?: in full| everything| (?:it )?all| up| off| the (?:full|whole) \\p{L}+)(?: yet)?',
    '(?:still |yet )?(?:owe[sd]?|owing|outstanding|unpaid|left to (?:be )?(?:pay|paid|collect(?:ed)?))(?: us)?',
    '(?:still|yet) (?:to (?:be )?(?:pay|paid|collect(?:ed)?|come in)|open|due|missing)',
    'noch nicht (?:alles|voll(?:standig)?|komplett|ganz) (?:be|ge)zahlt|noch (?:offen\\p{L}*|ausstehend\\p{L}*|zu (?:be)?zahlen|zu kassieren)|schulde[nt](?: uns)?(?: noch)?|steh(?:t|en) noch aus',
    "(?:n['’](?:a|ont) )?pas (?:encore )?tout (?:paye|verse|regle)\\p{L}*|reste(?:nt)?(?:-t-(?:il|elle|on)|-il)? (?:encore )?(?:a (?:payer|encaisser|verser|regler|percevoir)|dus?)|doi(?:t|vent) encore(?: payer)?",
    'no (?:ha|han) pagado todo(?: todavia)?|quedan? por (?:pagar|cobrar)|pendientes? de (?:pago|cobro)|(?:aun |todavia )?(?:deben?|adeudan?)',
  ].join('|'),
);
/** Headings of what was planned, and of what was spent. */
const BUDGET = {
  planned: /budget|plan(?!t)|target/i,
  spent: /(?<!\p{L})(?:spent|spend|actuals?|costs?|ausgaben|ausgegeben|ist|d[ée]pens\p{L}*|gastad[oa]|real)(?!\p{L})/iu,
};
const LEFT = WHOLE(
  '(?:under|below) (?:the |their |its )?budget|left(?: over)?|remain(?:s|ing)?|unspent|ubrig|verbleib\\p{L}*|nicht ausgegeben|reste(?:nt)?|restant\\p{L}*|quedan?|sobran?',
);
const OVER = WHOLE(
  '(?:gone |goes |went )?(?:over|above) (?:the |their |its )?(?:budget|plan|target)|over(?:spent|spend|spends|ran|run|runs)(?: (?:its|their|the) (?:budget|plan))?|exceed\\p{L}* (?:(?:its|their|the) )?(?:budgets?|plan|target)|(?:budget|plan) (?:am (?:meisten|starksten) )?uberschritt\\p{L}*|uberzogen|depass\\p{L}*(?: (?:son|leur|le) budget)?|(?:excedi\\p{L}*|supera\\p{L}*)(?: (?:su|el) presupuesto)?',
);

/** The only two columns of one unit that are called so; of several, those of one year, or the one that the question names. */
function pairOf({ open, table, request }: Planning, wholes: RegExp, parts: RegExp) {
  const numbers = numbersOf(table).filter(({ heading }) => isOfYears(heading, request.periods));
  const part = only(numbers.filter(({ heading }) => parts.test(spaced(heading))));
  const called = numbers.filter(({ heading }) => wholes.test(spaced(heading)) && !parts.test(spaced(heading)));
  const ofYear = called.filter(({ heading }) => yearIn(heading) === yearIn(part?.heading));
  const whole = only(called) ?? only(ofYear) ?? namedColumn(ofYear, contentWords(open.text));
  if (!whole || whole === 'unclear' || !part || unitOf(whole) !== unitOf(part)) return undefined;
  // `Actual headcount` does not belong to a `Budget`.
  const others = contentWords(spaced(part.heading).replaceAll(new RegExp(parts, 'giu'), ' '));
  const areOfWhole = others.every((word) => /^\d+$/.test(word) || NEUTRAL.has(word) || namesColumn(whole, [word]) > 0);
  return areOfWhole ? { whole, part } : undefined;
}

const yearIn = (heading = ''): string | undefined => /(?<!\d)(?:19|20)\d\d(?!\d)/u.exec(heading)?.[0];

/** "In 2025" names the columns of that year. */
const isOfYears = (heading: string, periods: readonly Period[]): boolean =>
  yearIn(heading) === undefined || periods.every(({ start }) => start === yearIn(heading));

/** "How much is still owed?" is what is due without what was paid, and "who still owes" are the rows where it is more. */
function takeDifference(planning: Planning): Filter[] {
  const { open, request } = planning;
  // "Combien d'élèves" counts, where "combien" alone adds up.
  if (request.kind === 'sum' && COUNTS.test(open.text)) return [];
  const rise = riseOf(planning);
  const found = rise ?? leftToPay(planning) ?? besideBudget(planning);
  if (!found) return [];
  const { more, less, part } = found;
  const [one, other] = [more, less].map((column) =>
    column === part ? `coalesce(${columnText(column)}, 0)` : columnText(column),
  );
  planning.computed = computedColumn(`${more.heading} − ${less.heading}`, `(${one} - ${other})`, more);
  planning.request = { ...request, periods: request.periods.filter(({ start }) => start !== yearIn(more.heading)) };
  const isAbove =
    found.isAbove || /^(?:list|count|most)$/.test(request.kind) || (request.kind === 'least' && rise !== undefined);
  if (!isAbove || request.thresholds.length > 0) return [];
  return [{ column: more, sql: `${one} > ${other}`, said: `${more.heading} > ${less.heading}` }];
}

const COUNTS = /^\W*¤ *d(?:e |['’])/u;

function leftToPay(planning: Planning): Difference | undefined {
  // A column of states says itself what is open.
  if (hasStates(planning) && !IN_FULL.test(planning.open.text)) return undefined;
  const pair = pairOf(planning, DUE, PAID);
  if (!pair || !planning.open.take(OWES)) return undefined;
  // What one paid too much is not owed by another.
  return { more: pair.whole, less: pair.part, part: pair.part, isAbove: true };
}

const hasStates = ({ table, request, values }: Planning): boolean =>
  /^(?:list|count)$/.test(request.kind) &&
  values.some(([of, , value]) => table.tables.includes(of) && OPEN_STATES.includes(fold(value)));
const IN_FULL = WHOLE('in full|everything|all|alles|voll(?:standig)?|komplett|tout|todo');

function besideBudget(planning: Planning): Difference | undefined {
  const { open } = planning;
  const { whole, part } = pairOf(planning, BUDGET.planned, BUDGET.spent) ?? {};
  if (!whole || !part) return undefined;
  if (open.take(OVER)) return { more: part, less: whole, part };
  return open.take(LEFT) ? { more: whole, less: part, part } : undefined;
}

const BETWEEN =
  /(?<!\p{L})(?:from|between|von|vom|zwischen|entre|de|desde) (?:the )?([\p{L}\p{N}]+) (?:to|and|bis|zu|auf|und|a|et|y|hasta) (?:the )?([\p{L}\p{N}]+)(?!\p{L})/u;

/** "Which department got the biggest rise from FY24 to FY25" compares two columns of each row. */
function riseOf({ open, table }: Planning): Difference | undefined {
  const [whole, first = '', second = ''] = BETWEEN.exec(open.text) ?? [];
  const change = riseOrFall(open.text);
  if (!whole || !change) return undefined;
  const of = contentWords(open.text.replace(whole, ' '));
  const [from, to] = [first, second].map((word) => namedColumn(numbersOf(table), [...of, stem(word)]));
  if (!from || !to || from === 'unclear' || to === 'unclear' || from === to || unitOf(from) !== unitOf(to))
    return undefined;
  for (const said of [whole, change.said]) open.blank(open.text.indexOf(said), said.length);
  return change.rises ? { more: to, less: from } : { more: from, less: to };
}
