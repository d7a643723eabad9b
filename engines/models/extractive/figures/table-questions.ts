/** Plans the query that answers a question for a figure. Undefined if a word of the question matches no column or cell. */

import { sheetOf } from '../../../documents/sheets/sheet.ts';
import { ASKING, asTyped, fold, OpenText, WHOLE } from '../../../retrieval/words.ts';
import { areSynonyms } from '../synonyms.ts';
import { subjectOf, takeHaving, WHO } from './asked-subject.ts';
import { askedSets, askedTables, type DescribedTable, type Planner } from './asked-tables.ts';
import { LIMITS_TIME, notesOn, takeWholePeriod } from './column-conditions.ts';
import { takeComputed } from './computed-columns.ts';
import { type AskedTable, type Column, type Plan, toQuery, toSetQuery } from './figure-statement.ts';
import { EXTREME, type FigureRequest, NEUTRAL, plainQuestion, readFigureRequests } from './figure-words.ts';
import {
  type ColumnValue,
  contentWords,
  headingWords,
  MARKS,
  namesColumn,
  ownValues,
  type Planning,
  takeColumn,
  takeUnit,
  takeWord,
  valueFilters,
} from './match-columns.ts';
import { harmlessWords, isAboutRows, nameOfRows } from './named-rows.ts';
import { asksOfRow, conditionsOf, fitsAge, fitsRows, isPair, isRanked, yearHeadings } from './row-conditions.ts';
import { leavesOutKey, spellOut } from './short-names.ts';

/** What is asked, as a statement and the words around its result; undefined if the tables do not fit the question. */
export const planFigure: Planner = (request, tables, values) => {
  const question = plainQuestion(request);
  const asked = askedTables(question, tables, values);
  const requests = readFigureRequests(question);
  const plan = bestPlan({ question, requests }, asked, values) ?? planWithoutAside(question, asked, values);
  const parts = plan || requests.length === 0 ? undefined : planParts(question, asked, values);
  if (parts) return parts;
  const [{ isNamed = false, kind = 'list', periods = [], thresholds = [] } = {}] = requests;
  const isOfRows = !isNamed || kind === 'count' || kind === 'list';
  // The years of two versions are their names.
  const limits = asked.single.some(({ isSideBySide }) => isSideBySide) ? thresholds : [...periods, ...thresholds];
  const sets = isOfRows && limits.length === 0 ? askedSets(question, tables, values) : undefined;
  // A question that two tables and their key explain wholly is one about both.
  const isWhole = sets !== undefined && sets.unsaid.length === 0 && sets.isOfRows;
  if (plan && !isWhole) return toQuery(...eachMeasure(plan));
  return sets && toSetQuery({ ...sets, unsaid: asTyped(sets.unsaid, request) });
};

/** The sums of two years are two figures. */
function eachMeasure(plan: Plan): [Plan, Plan?] {
  const [first, second, another] = plan.measures;
  const isOfTwo = first && second && !another && (plan.kind === 'sum' || plan.kind === 'average');
  return isOfTwo
    ? [
        { ...plan, measures: [first] },
        { ...plan, measures: [second] },
      ]
    : [plan];
}

/** A rise or a fall between two columns, which no sum of the rows is. */
export const planRise: Planner = (request, tables, values) => {
  const question = plainQuestion(request);
  const requests = readFigureRequests(question);
  const plan = bestPlan({ question, requests }, askedTables(question, tables, values), values);
  return plan?.isComputed ? toQuery(plan) : undefined;
};

const ASIDE = /\s*\([^()\d]{2,60}\)|, (?:counting|including) [^,()?]{2,60},/u;
const MINUS = WHOLE('minus|less|weniger|abzuglich|moins|menos');
/** What stands in parentheses or between commas may be left out, if the answer says so; often it repeats what is calculated. */
function planWithoutAside(question: string, asked: AskedTables, values: readonly ColumnValue[]): Plan | undefined {
  const [aside] = ASIDE.exec(question) ?? [];
  const without = aside === undefined ? '' : question.replace(aside, '');
  const plan = aside && bestPlan({ question: without, requests: readFigureRequests(without) }, asked, values);
  if (!plan) return undefined;
  const words = contentWords((aside ?? '').replace(MINUS, ' '));
  const repeats = words.every((word) => plan.measures.some((column) => namesColumn(column, [word]) > 0));
  return repeats ? plan : { ...plan, notes: [...plan.notes, `Check this: “${aside?.trim()}” was left out.`] };
}

/** A figure beside words that the table does not have, which the answer names first. */
export const planLoosely: Planner = (question, tables, values) => {
  const requests = readFigureRequests(question).filter(({ isNamed }) => isNamed);
  return planBeside({ question, requests, mayLack: 'words' }, tables, values);
};

/** The same without a name that the table lacks: prose of the same file does not answer it either. */
export const planBesideName: Planner = (question, tables, values) =>
  planBeside({ question, requests: readFigureRequests(question), mayLack: 'names' }, tables, values);

function planBeside(question: Question, tables: readonly DescribedTable[], values: readonly ColumnValue[]) {
  const plan = bestPlan(question, askedTables(question.question, tables, values), values);
  return plan?.besideRefusal && toQuery(plan);
}

type AskedTables = ReturnType<typeof askedTables>;

function bestPlan(question: Question, asked: AskedTables, values: readonly ColumnValue[]): Plan | undefined {
  const best = (among: AskedTable[]) => bestOf(among, asked.single, question, values);
  const [single, joined] = [best(asked.single), best(asked.joined)];
  const plan = single && joined ? (joined.score > single.score ? joined : single) : (single ?? joined);
  const unsaid = asTyped(plan?.unsaid ?? [], question.question);
  const isOfName = unsaid.some((word) => isProperName(word, question.question));
  const { mayLack } = question;
  if (!plan || (isOfName && !mayLack)) return undefined;
  return { ...plan, unsaid, ...((isOfName || mayLack === 'words') && { besideRefusal: 'figure' }) };
}

const GERMAN = /(?<!\p{L})(?:der|das|den|dem|wie|welche\p{L}*|wer|wann|ist|haben|und)(?!\p{L})/iu;
/** "Fresno" is a value that the table may write in another way. German writes each noun like this. */
const isProperName = (word: string, question: string): boolean =>
  !GERMAN.test(question) && /^\p{Lu}/u.test(word) && !question.trimStart().startsWith(word);

const AND = /,? (?:and|und|et|y) /giu;
/** Refers to what the first part asks for. */
const REFERS =
  /(?<!\p{L})(?:it|its|they|them|their|that|this|those|he|she|his|her|er|sie|ihr\p{L}*|sein\p{L}*|dies\p{L}*|elles?|ils|cette?|su|sus|esa|ese)(?!\p{L})/iu;

const MAX_PARTS = 3;
const OF_THEM =
  /(?<!\p{L})(?:(?:of|among) (?:them|those|these)|(?<=which )one|davon|darunter|d['’]entre (?:eux|elles)|parmi (?:eux|elles)|de (?:ellos|ellas))(?!\p{L})/iu;

/** "The total sales and the total profit in May" are two figures of the same rows. Rows that are shown hold what a second part asks of them. */
function planParts(question: string, asked: AskedTables, values: readonly ColumnValue[]) {
  const planOfPart = (part: string) => bestPlan({ question: part, requests: readFigureRequests(part) }, asked, values);
  for (const { 0: and, index } of [...question.matchAll(AND)].slice(0, MAX_PARTS)) {
    const first = planOfPart(question.slice(0, index));
    if (!first) continue;
    const rest = question.slice(index + and.length);
    const second = planOfPart(rest.replace(OF_THEM, ' ')) ?? extremeOfLimited(rest, first);
    const figures = figuresOfParts(rest, first, second);
    if (figures) return toQuery(...figures);
    if (isOfShownRow(rest, first)) return toQuery(first);
    if (!second && !REFERS.test(rest) && isOpenPart(rest, first, values))
      return toQuery({ ...first, notes: [...first.notes, `I cannot count or compare this part: ${rest}`] });
  }
  return undefined;
}

/** "And what share of all is that?" is asked of the rows that were counted. */
function shareOfFirst(rest: string, first: Plan): Plan | undefined {
  const [request] = readFigureRequests(rest);
  const isShare = request?.kind === 'share' && REFERS.test(rest) && first.kind === 'count' && !first.group;
  const words = contentWords(rest);
  const namesOther = first.table.columns.some((column) => namesColumn(column, words) > 0);
  return isShare && !namesOther && filtersOf(first).length > 0 && !first.measures[0]
    ? { ...first, kind: 'share' }
    : undefined;
}

/** Whether the row that the first part shows holds what the second one asks. */
const isOfShownRow = (rest: string, first: Plan): boolean =>
  !first.group &&
  ((isRanked(first) && (REFERS.test(rest) || asksOfRow(rest, first.table))) ||
    ((first.table.isSideBySide === true || first.kind === 'difference') && asksOfBoth(rest)));

const OF_BOTH = WHOLE(
  '(?:each|both|jede[mnrs]?|beiden?|chaque|les deux|cada|amb[oa]s)(?: (?:years?|versions?|files?|lists?|sheets?|jahren?|annees?|anos?))?|jeweils|chacune?|by how (?:much|many)|um wie ?viele?|de combien|en cuanto|(?:what is |how (?:big|large) is )?(?:the )?difference|(?:der )?unterschied|(?:la )?difference|(?:la )?diferencia',
);
/** "And what was it in each year?" and "and what is the difference?" ask for what the answer to a comparison shows. */
function asksOfBoth(rest: string): boolean {
  const text = fold(rest.normalize('NFC'));
  const without = text.replaceAll(new RegExp(OF_BOTH, 'gu'), ' ');
  return without !== text && contentWords(without).every((word) => ASKING.has(word) || NEUTRAL.has(word));
}

/** The rows of "of them" are those of the first part; else a part without conditions has those of the other. */
function figuresOfParts(rest: string, first: Plan, second: Plan | undefined): [Plan, Plan] | undefined {
  const share = shareOfFirst(rest, first);
  if (share) return [first, share];
  if (!second || second.table.from !== first.table.from) return undefined;
  const columns = filtersOf(first).map(({ column }) => column);
  const isOfOne = filtersOf(second).every(({ column }) => columns.includes(column));
  if (!OF_THEM.test(rest)) {
    // A second question limits itself alone; whether it is also about the rows of the first is not said.
    const isOpen = ASKS.test(rest) && columns.length > 0 && !isOfOne;
    if (REFERS.test(rest) || isOpen) return undefined;
    return [ASKS.test(rest) ? first : withFiltersOf(first, second), withFiltersOf(second, first)];
  }
  if (filtersOf(second).some(({ column }) => columns.includes(column))) return undefined;
  const { sides, days, limits } = first;
  return [
    first,
    {
      ...second,
      sides: [...sides, ...second.sides],
      days: [...days, ...second.days],
      limits: [...limits, ...second.limits],
    },
  ];
}

const filtersOf = ({ sides, days, limits }: Plan) => [...sides, ...days, ...limits];

/** "Above 5000 feet, and which one is the highest" ranks by what was compared. */
function extremeOfLimited(rest: string, first: Plan): Plan | undefined {
  const [request] = readFigureRequests(rest);
  const [{ column } = {}] = first.limits;
  const left = contentWords((request?.rest ?? rest).replace(OF_THEM, ' ')).filter((word) => !ASKING.has(word));
  if (!request || !isRanked(request) || column?.type !== 'number' || left.some((word) => !NEUTRAL.has(word)))
    return undefined;
  const { kind, rank, limit } = request;
  const nothing = { sides: [], days: [], limits: [], group: undefined, of: undefined };
  return { ...first, ...nothing, kind, rank, limit, measures: [column] };
}

const ASKS =
  /^(?:how|which|what|who|where|when|wie|welche[rsmn]?|was|wer|wo|wann|combien|quel(?:le)?s?|qui|cu[áa]nt[oa]s?|cu[áa]l(?:es)?|qu[ée]|qui[ée]n(?:es)?) /iu;
/** Whether a second part that is not understood can be left open: it says nothing of the rows, which the first may mean as well. */
function isOpenPart(rest: string, { kind, table }: Plan, values: readonly ColumnValue[]): boolean {
  const [{ periods = [], thresholds = [] } = {}] = readFigureRequests(rest);
  const isLimited = periods.length + thresholds.length > 0 || namesValue(rest, table, values);
  return kind !== 'list' && ASKS.test(rest) && !isLimited;
}

const namesValue = (text: string, table: AskedTable, values: readonly ColumnValue[]): boolean =>
  valueFilters({ open: new OpenText(fold(text.normalize('NFC'))), table, values })?.length !== 0;

/** A part without conditions has those of the other. */
const withFiltersOf = (plan: Plan, { sides, days, limits }: Plan): Plan =>
  filtersOf(plan).length === 0 ? { ...plan, sides, days, limits } : plan;

const FILE_ENDING = /^(?:csv|tsv|xlsx?|ods|docx?|pdf|md|txt|json)$/;

function bestOf(
  tables: AskedTable[],
  all: AskedTable[],
  question: Question,
  values: readonly ColumnValue[],
): Plan | undefined {
  const named = (table: AskedTable) => headingWords(table.name);
  const othersOf = (table: AskedTable) =>
    [...new Set(all.flatMap(named))].filter((word) => !named(table).includes(word) && !FILE_ENDING.test(word));
  const plans = tables
    .flatMap((table) => planOf(table, question, values, othersOf(table)) ?? [])
    .sort((a, b) => b.score - a.score);
  const [best, next] = plans;
  if (!best || next?.score !== best.score) return best;
  const called = plans.filter(({ score, table }) => score === best.score && isCalled(table, question.question));
  return called.length === 1 ? called[0] : undefined;
}

/** Whether the question names the sheet of a table, or what its first column numbers: "how many bookings". */
function isCalled({ place, columns: [key] }: AskedTable, question: string): boolean {
  const names = headingWords(`${sheetOf(place)} ${key?.heading ?? ''}`);
  return contentWords(question).some((word) => names.includes(word));
}

type Question = { question: string; requests: FigureRequest[]; mayLack?: 'names' | 'words' };

/** The plan by the words as they are, or else with short headings spelled out. */
function planOf(
  table: AskedTable,
  { question, requests, mayLack }: Question,
  values: readonly ColumnValue[],
  others: readonly string[],
): Plan | undefined {
  const plan = firstPlan(table, requests, values, others, mayLack === 'words');
  if (plan?.unsaid.length === 0 || requests.length === 0) return plan;
  const { text, read } = spellOut(question, table.columns, ownValues(table, values));
  const other =
    read.length > 0 ? firstPlan(table, readFigureRequests(text), values, others, mayLack === 'words') : undefined;
  if (!other || (plan && other.unsaid.length >= plan.unsaid.length)) return plan;
  return { ...other, read, score: other.score - 1 };
}

function firstPlan(
  table: AskedTable,
  requests: readonly FigureRequest[],
  values: readonly ColumnValue[],
  others: readonly string[],
  isLoose: boolean,
): Plan | undefined {
  for (const request of requests) {
    const plan = planFor({ open: new OpenText(request.rest), table, request, values, others, notes: [], isLoose });
    if (plan) return plan;
  }
  return undefined;
}

/** Which items to order is asked of the table, and how many pieces of them is not. */
const REORDERED =
  /(?<!\p{L})(?:must|needs?|ha(?:s|ve)) (?:(?:we|i) )?(?:to )?(?:be )?(?:re-?order|restock)|nachbestell/u;

function planFor(planning: Planning): Plan | undefined {
  const { open, table, request } = planning;
  if (!fitsAge(planning) || !takeWholePeriod(planning) || LIMITS_TIME.test(request.rest)) return undefined;
  const isFromToday = open.take(RELATIVE) !== undefined;
  if (isFromToday && table.columns.some(({ type }) => type === 'date')) return undefined;
  const having = takeHaving(planning);
  const apart = takeComputed(planning);
  const years = planning.computed ? [] : yearHeadings(table, request);
  const found = apart && conditionsOf(planning, years);
  if (!found || (request.kind !== 'list' && REORDERED.test(request.rest))) return undefined;
  const conditions = { ...found, limits: [...apart, ...found.limits] };
  const { days, sides, limits, group } = conditions;
  const subject = subjectOf(planning, [...days, ...sides, ...limits], having?.group ?? group, years, having);
  if (!subject || (request.kind !== 'list' && !request.isNamed && !subject.group)) return undefined;
  const { rank, limit } = planning.request;
  const nothing = { score: 0, read: [], notes: [], unsaid: [] };
  return finishPlan(planning, {
    ...conditions,
    ...subject,
    ...nothing,
    ...(having && { having }),
    isLess: request.isLess,
    isComputed: planning.computed !== undefined,
    table,
    rank,
    limit,
  });
}

/** The plan with its notes and its score. Undefined if it leaves out a part of the question. */
function finishPlan(planning: Planning, plan: Plan): Plan | undefined {
  const { open } = planning;
  const sign = plan.limits.find((filter) => filter.sign)?.sign;
  // The largest expense is the lowest amount.
  if (sign === '<' && isRanked(plan)) plan.kind = plan.kind === 'most' ? 'least' : 'most';
  for (const column of plan.measures) {
    takeColumn(open, column);
    const said = takeUnit(open, column);
    if (said !== undefined) planning.notes.push(`Here “${said}” is the column ${column.heading}.`);
  }
  plan.notes = [...planning.notes, ...notesOn(plan, planning, sign !== undefined)];
  if (plan.group) takeColumn(open, plan.group.column);
  if (!fitsRows(planning, plan) || !fits(plan) || !isAboutRows(planning, plan)) return undefined;
  const unsaid = unsaidWords(planning, plan);
  const score = scoreOf(planning, plan) - UNSAID * (unsaid?.length ?? 0);
  return unsaid && { ...plan, table: shownTable(plan, planning.computed), unsaid, score };
}

/** Behind the name of a row stands what is calculated for it, or what several rows are ranked by. */
function shownTable({ table, limit, measures: [measure] }: Plan, computed: Column | undefined): AskedTable {
  const [first] = table.columns;
  const shown = computed ?? (limit === undefined ? undefined : measure);
  return first && shown ? { ...table, columns: [...new Set([first, shown, ...table.columns])] } : table;
}

/** What no plan says, unless it was understood before. A part that is ignored would make a wrong figure. */
const CONDITION =
  /(?<!\p{L})(?:not|no|non|pas|jamais|nunca|nie|niemals|without|except|excluding|other than|neither|never|ohne|nicht|kein\w*|au(?:ß|ss)er|sans|sauf|hors|sin|excepto|per|each|every|pro|jede\w*|chaque|cada|between|before|after|since|until|zwischen|vor|seit|bis|avant|apres|depuis|antes|despues|desde|hasta|than|als|over|above|below|under|uber|unter|oberhalb|unterhalb|second|third|median|increase|decrease|change|growth|rank|sort|group|distinct|unique|trend|correlation|last|first|letzte\w*|erste\w*|premi\w*|derni\w*|ultim\w*|primer\w*|more|less|fewer|higher|lower|mehr|weniger|moins|menos|if|wenn|falls|(?:still|yet|left) to (?:be )?\p{L}+|still ha(?:s|ve) to|noch (?:zu )?\p{L}*zahlen|noch zu \p{L}+|owe[sd]?|owing|overspen[dt]s?)(?!\p{L})|%/u;
/** May stand beside what was understood alone, as in "by ¤" and "¤ or ¤". */
const LOOSE =
  /(?<!\p{L})(?:by|par|por|nach|or|oder|ou|y|et|und|and)(?!\p{L})(?! *¤| (?:(?:in|on|at|for|of|from|im|am|in|bei|fur|von|dans|en|a|de) ?)?(?:the|an?|der|die|das|dem|den|la|le|les|el|los|las)? ?¤)/u;

/** The rows are shown with their days. */
const ON_WHICH_DAY = /(?<!\p{L})(?:(?:an |am |le |el )?(?:welchem tag|quel jour|que dia|cual dia))(?!\p{L})/u;

/** Says how a row belongs to who is named behind it. */
const BY_AGENT =
  /(?<!\p{L})(?:run|operated|managed|led|owned|published|issued|produced|organi[sz]ed|hosted)(?= by an? (?:\p{L}+ )?¤)/u;

/** Words that every text has, and that limit the rows where nothing else was understood by them. */
const LIMITING =
  /(?<!\p{L})(?:same|such|other|others|again|within|few|both(?! *¤ *(?:and|,))|gleiche\w*|selbe\w*|derselbe\w*|ander\w*|beide\w*|meme|autres?|les deux|mism[oa]s?|otr[oa]s?|amb[oa]s)(?!\p{L})/u;
/** Says how big the rows are, as in "large orders"; "how large" does not. */
const SIZED =
  /(?<!\p{L})(?<!(?:how|so|too|as|very) )(?:large|big|long|high|heavy|old|far|small|short|expensive)(?= *(?:¤|(?!(?:is|are|was|were|did|does|do|has|have|had|in|on|at|for|of|to)(?!\p{L}))\p{L}))/u;

const SUPERLATIVE = WHOLE(`${EXTREME.most}|${EXTREME.least}`);

/** Whether what is left of a question limits what it asks for. A superlative that no rank has taken asks for one of them. */
const hasCondition = ({ text }: OpenText): boolean =>
  [CONDITION, LIMITING, SIZED, SUPERLATIVE].some((pattern) => pattern.test(text));

/** Does not limit the rows. */
const OVER_ALL =
  /(?<!\p{L})(?:(?:in|over|during|for|across|throughout|im|uber|sur|pendant|en|durante) (?:the |das |den |la |le |el |l['’])?(?:whole|entire|ganzen?|gesamten?|ensemble (?:du|de la)|toute? (?:la|le)|tod[oa] (?:la|el)) (?:period|time|zeitraum|zeit|periode|periodo)|(?:over|across|uber|sur|en) (?:all|alle[nr]?|tou(?:te)?s|tod[oa]s)(?: (?:of )?(?:these|those|the|our|diese[nr]?|les|ces|nos|los|las|est[oa]s))?|in all(?: of)?(?: the| our)? (?:counties|states|regions|countries|districts|provinces|departments|branches|shops|stores|offices|cities|towns|sites)(?: together| combined)?|(?:in|of|for) all(?: of)?(?: the| these| our)?(?= \p{L}+s(?!\p{L}))|in allen(?= \p{L}+n(?!\p{L})))(?!\p{L})/u;

/** "In both years" of a table whose rows stand on two sheets. */
const OVER_BOTH =
  /(?<!\p{L})(?:(?:in|on|over|for|across|auf|fur|sur|dans|pour|en) )?(?:both|beiden?|les deux|(?:l[oa]s )?(?:amb[oa]s|dos)) (?:the |de[nr] )?(?:sheets|seasons|years|halves|months|terms|quarters|blatter\w*|jahren?|saisons?|halbjahren?|feuilles|annees|mois|hojas|anos|temporadas)(?!\p{L})/u;

/** A second sentence that asks for what a comparison shows. */
const OF_EACH_SIDE =
  /(?<=[?.!]) *(?:please |bitte )?(?:give|show|tell|name|state|nenne?|gib|zeige?|donne[zr]?|indique[zr]?|dame|indica)(?:[ -](?:me|us|mir|uns|moi|nous))?(?: +(?:the|die|den|das|le|la|les|el)| *¤)*(?: +(?:of|for|von|fur|de|des|pour|para))? +(?:each|both|beide\p{L}*|jede\p{L}*|chacune?|cada un[oa]|amb[oa]s)(?: (?:of them|one|side))?(?!\p{L})/u;

/** Behind the comparative of "more expensive than". */
const MORE_EXPENSIVE = /(?<=¤ *)(?:expensive|costly|chere?s?|car[oa]s?)(?!\p{L})/u;

/** The words of a question that the plan does not use. Undefined if one may be a condition. */
function unsaidWords(planning: Planning, plan: Plan): string[] | undefined {
  const { open, table, others } = planning;
  const names = headingWords(table.name);
  const sheetName = headingWords(sheetOf(table.place));
  for (const word of [...names, ...sheetName, ...nameOfRows(planning)]) takeWord(open, word);
  open.take(OVER_ALL);
  if (table.parts?.length === 2) open.take(OVER_BOTH);
  if (isRanked(plan)) open.take(ON_WHICH_DAY);
  open.take(BY_AGENT);
  if (isPair(plan.sides)) open.take(OF_EACH_SIDE);
  if (plan.kind === 'compare') open.take(MORE_EXPENSIVE);
  if (hasCondition(open) || LOOSE.test(open.text) || leavesOutKey(planning) || leavesOutQuote(planning))
    return undefined;
  const isNeutral = (word: string) => NEUTRAL.has(word) && !others.includes(word);
  const headings = table.columns.flatMap(({ heading }) => headingWords(heading));
  const isOf = (all: readonly string[], word: string) => all.some((one) => areSynonyms(word, one));
  // Another word for the name of the table says no more than that, unless it is one for a heading as well.
  const isName = (word: string) => others.length === 0 && isOf(names, word) && !isOf(headings, word);
  const left = contentWords(open.text).filter((word) => !ASKING.has(word) && !isNeutral(word) && !isName(word));
  // What another table is named after is asked of that one.
  if (left.some((word) => others.includes(word))) return undefined;
  return left.length === 0 ? [] : harmlessWords(planning, plan, left);
}

const QUOTED = /["“”„«]([^"“”„«»]+)["“”»]|(?<!\p{L})['‘‚]([^'‘’‚]+)['’](?!\p{L})/gu;
/** Every word in quotation marks is a part of a value, also one that says nothing elsewhere. */
const leavesOutQuote = ({ open, request: { rest } }: Planning): boolean =>
  [...rest.matchAll(QUOTED)].some(({ 0: { length }, index }) =>
    /[\p{L}\p{N}]/u.test(open.text.slice(index, index + length)),
  );

function scoreOf({ table, request, values }: Planning, { measures, group, days, sides, limits }: Plan): number {
  const words = contentWords(request.rest);
  const columns = [...measures, ...(group ? [group.column] : [])];
  const named = columns.reduce((sum, column) => sum + namesColumn(column, words), 0);
  const isWho =
    WHO.test(request.rest) &&
    values.some(
      ([mark, at, name]) => mark === MARKS.sample && isPerson(name) && table.tables.includes(at.split('.', 1)[0] ?? ''),
    );
  return Number(isWho) + 4 * (days.length + sides.length + limits.length) + 2 * Number(group !== undefined) + named;
}

/** A plan that leaves out words comes after each that does not. */
const UNSAID = 100;
/** As lists of staff write names, with the surname first. */
const isPerson = (value: string): boolean =>
  /^\p{Lu}[\p{L}'’-]+, \p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,3}$/u.test(value);

/** A table does not say which day is today. */
const RELATIVE =
  /(?<!\p{L})(?:(?:this|last|next|the current|the past) (?:year|month|week)|today|yesterday|dies(?:es|en|er|em) (?:jahr|monat|woche)|letzte[ns]? (?:jahr|monat|woche)|heuer|heute|gestern|cette (?:annee|semaine)|ce mois(?:-ci)?|aujourd.hui|hier|este (?:ano|mes)|esta semana|hoy|ayer)(?!\p{L})/u;

/** A count needs rows that a filter names; two values of one column are the sides of a comparison. */
function fits({ kind, table, measures, sides, days, limits, group, of, isComputed }: Plan): boolean {
  const [key] = table.columns;
  // Both versions are asked for, and one of them would be ranked.
  if (table.isSideBySide && (kind === 'most' || kind === 'least') && !isComputed) return false;
  const isOfBoth = sides.some(({ column }) => column === key) || (kind === 'count' && limits.length > 0);
  if (table.isSideBySide && ADDS_UP.has(kind) && !isOfBoth) return false;
  const filters = sides.length + days.length + limits.length;
  if (kind === 'compare') return isPair(sides);
  if (kind === 'difference') return of === 'range' || isPair(sides) || measures.length === 2;
  if (kind === 'share' && group) return sides.length === 0;
  if (kind === 'share') return filters > 0 && new Set(sides.map(({ column }) => column)).size <= 1;
  return kind !== 'list' || filters > 0 || measures.length > 0;
}

const ADDS_UP: ReadonlySet<string> = new Set(['sum', 'average', 'count', 'share']);

const SHEET = '(?:work)?sheet|tab|(?:arbeits)?blatt|tabellenblatt|feuille|onglet|hoja';
const NTH_SHEET = new RegExp(
  `(?<![\\p{L}-])(?:(?:on|in|of|from|auf|im|sur|dans|en) )?(?:the |dem |der |la )?(?:(first|1st|erste[nms]?|première|primera)|(second|2nd|zweite[nms]?|deuxième|segunda)|(third|3rd|dritte[nms]?|troisième|tercera)) (?:${SHEET})(?!\\p{L})`,
  'iu',
);

/** Any sign stands for a sign of the name. */
const asPattern = (name: string): string => name.replaceAll(/[^\p{L}\p{N} ]/gu, '.');

/** The tables of the sheet that a question names, as in "on the second sheet", and the question without these words. */
export function ofSheet(question: string, tables: readonly DescribedTable[]) {
  const sheets = [...new Set(tables.map(({ place }) => sheetOf(place)))].filter(Boolean);
  if (sheets.length < 2) return { question, tables };
  const [said = '', ...nth] = NTH_SHEET.exec(question) ?? [];
  const isOfOneFile = tables.every(({ name }) => name === tables[0]?.name);
  const numbered = { said, sheet: isOfOneFile ? sheets[nth.findIndex(Boolean)] : undefined };
  // `Sales 2024` before `Sales`.
  const byLength = sheets.toSorted((a, b) => b.length - a.length);
  const named = byLength.map((sheet) => {
    const name = asPattern(sheet);
    const pattern = `(?:(?:on|in|of|from|auf|im) )?(?:the |dem |der )?(?:(?:${SHEET}) ["“„]?${name}(?![\\p{L}\\p{N}])["”“]?|["“„]?(?<!\\p{L})${name}["”“]? (?:${SHEET})(?!\\p{L}))`;
    return { said: new RegExp(pattern, 'iu').exec(question)?.[0] ?? '', sheet };
  });
  const found = [numbered, ...named].find((one) => one.said !== '' && one.sheet !== undefined);
  if (!found) return { question, tables };
  return {
    question: question.replace(found.said, ' '),
    tables: tables.filter((table) => sheetOf(table.place) === found.sheet),
  };
}
