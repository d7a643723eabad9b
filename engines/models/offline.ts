/** `offline/extractive`: a deterministic model without key and network that answers with quotes and says so. */

import type {
  LanguageModelV4,
  LanguageModelV4Content,
  LanguageModelV4Prompt,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import * as v from 'valibot';
import { sheetOf } from '../documents/sheets/sheet.ts';
import { isTable, type Passage } from '../retrieval/passages.ts';
import { titleOf } from '../retrieval/quotes.ts';
import { stem, wordsOf } from '../retrieval/words.ts';
import { statementLabels } from './extractive/business-figures.ts';
import { DISCLAIMER, extract, extractYielding, isLabelledRequest } from './extractive/extract.ts';
import { type Planner, searchedTables, valuesQuery } from './extractive/figures/asked-tables.ts';
import { asksForAgreement, asksForChange, planAgreement, planChange } from './extractive/figures/changes.ts';
import { asksForFigure, asksToCount, needsFigure } from './extractive/figures/figure-words.ts';
import type { ColumnValue } from './extractive/figures/match-columns.ts';
import { planLookup, planRows } from './extractive/figures/named-rows.ts';
import { countriesIn, quoteCapitals } from './extractive/figures/short-names.ts';
import { ofSheet, planBesideName, planFigure, planLoosely, planRise } from './extractive/figures/table-questions.ts';
import type { FindLabelled } from './extractive/labelled-answers.ts';
import { countTest } from './extractive/ranking.ts';
import { termsOf } from './extractive/terms.ts';

const VERB = /\b(?:saved?|write|written|stored?|export(?:ed)?|put|create|make|generate)\b/iu;
const ENDING = '\\.(?:md|markdown|txt|csv|tsv|jsonl?|xml|ya?ml|html?|pdf|docx?|xlsx?|pptx?)';
const END = '(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])';
const SIGN = '[\\p{L}\\p{N}\\p{M}_.-]';
/**
 * Matches a file name after words such as "as" or "into"; names with spaces must be quoted. Every repetition is
 * bounded, so that a hostile request costs no more than others.
 */
const NAMED = new RegExp(
  `(?:^|\\b(as|to|in|into|named|called|file):?)\\s{1,9}(?:(?:an?|the|markdown|text|file|named|called)\\s{1,9}){0,4}` +
    `(?:["'\`“‘]([^"'\`“”‘’\\n]{1,80}${ENDING})["'\`”’]|([\\p{L}\\p{N}_]${SIGN}{0,80}${ENDING})${END})`,
  'giu',
);
/** Matches "Save it as my notes.md", if no other name is found. */
const SPACED = new RegExp(
  `\\b(?:as|named|called)\\s{1,9}((?:[\\p{L}\\p{N}\\p{M}_-]{1,40} ){1,4}${SIGN}{1,80}${ENDING})${END}`,
  'iu',
);
const CLAUSE_END = /[.?!](?=\s)|\n/u;
const MAX_SEARCHED = 20_000;
const PROSE = /\.(?:md|markdown|txt)$/iu;

export const isProse = (fileName: string): boolean => PROSE.test(fileName);

/**
 * Returns the file name that a request asks to save the answer in. `attached` are the files to read: "write what is due
 * in lease.txt" does not ask to save a file.
 */
export function requestedFileName(request: string, attached: ReadonlySet<string>): string | undefined {
  for (const clause of request.slice(0, MAX_SEARCHED).split(CLAUSE_END)) {
    const verb = VERB.exec(clause);
    const named = verb ? fileNameIn(clause.slice(verb.index + verb[0].length), attached) : undefined;
    if (named !== undefined) return named;
  }
  return undefined;
}

function fileNameIn(behind: string, attached: ReadonlySet<string>): string | undefined {
  for (const [, sign = 'in', quoted, bare] of behind.matchAll(NAMED)) {
    const name = quoted ?? bare;
    const isRead = name !== undefined && sign.toLowerCase() === 'in' && attached.has(name);
    if (name !== undefined && !isRead) return name;
  }
  return SPACED.exec(behind)?.[1];
}

/** The maximum length taken from each ruleset if no rule matches the request. */
const MAX_CHARACTERS = 500;
/** Matches the gap before a paragraph, a list item or a heading. */
const ITEM = /\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)]|#{1,6})\s)/;
const HEADING = /^\s*#{1,6}\s/;

/** Returns the rules that match a request as a list, word for word, under the names of their rulesets. */
function matchingRules(request: string, rulesets: Passage[]): string {
  const rules = rulesets.flatMap((ruleset) => itemsOf(ruleset.text).map((text) => ({ ...ruleset, text })));
  const cited = extract(request, rules).cited.map(({ source, excerpt }) => ({ source, text: excerpt }));
  const shown = cited.length > 0 ? cited : rulesets.flatMap(firstRules);
  return [...Map.groupBy(shown, ({ source }) => source)].map(([source, all]) => formatRules(source, all)).join('\n');
}

const itemsOf = (text: string): string[] =>
  text
    .split(ITEM)
    .filter((item) => !HEADING.test(item))
    .map((item) =>
      item
        .replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter(Boolean);

/** Returns whole rules, at least one. */
function firstRules({ source, text }: Passage) {
  let left = MAX_CHARACTERS;
  return itemsOf(text).flatMap((rule, at) => {
    left -= rule.length;
    return at === 0 || left >= 0 ? [{ source, text: rule.slice(0, MAX_CHARACTERS) }] : [];
  });
}

function formatRules(source: string, rules: { text: string }[]): string {
  const [only] = rules;
  if (rules.length === 1 && only) return `- ${source}: ${only.text}`;
  return [`- ${source}:`, ...rules.map(({ text }) => `  - ${text}`)].join('\n');
}

/** The conversation as the offline model reads it: the request, what it has read, and the tools it has called. */

type OfflineConversation = {
  request: string;
  calledTools: ReadonlySet<string>;
  /** All pages of all files, once the files are listed. */
  pages: { file: number; page: number }[];
  passages: Passage[];
  /** The quotes in the result of the previous step, without the model's own words. */
  previousResults: Passage[];
  /** The answers of `query_table`: the tables, the values of their texts, the figure. */
  queried: unknown[];
  rules: Passage[];
  /** The name of the file that the request asks to save the answer in. */
  saveAs: string | undefined;
  find: FindLabelled | undefined;
};

const fileListSchema = v.array(v.object({ file: v.number(), name: v.string(), pages: v.number() }));
const pageSchema = v.object({
  name: v.string(),
  parts: v.array(v.object({ place: v.string(), text: v.string(), hidden: v.optional(v.boolean()) })),
});
const rulesSchema = v.array(v.object({ ruleset: v.string(), rules: v.string() }));

/** Further texts in the last message are results of the previous step, not part of the request. */
function conversationOf(prompt: LanguageModelV4Prompt, find: FindLabelled | undefined): OfflineConversation {
  const texts = prompt.flatMap((message) =>
    message.role === 'user' ? [message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))] : [],
  );
  const [request = '', ...results] = texts.at(-1) ?? [];
  const handedOn = results.map(previousResult).filter(({ text }) => text.trim() !== '');
  const calls = prompt.flatMap((message) => (message.role === 'assistant' ? message.content : []));
  const answers = (tool: string): unknown[] =>
    prompt.flatMap((message) =>
      message.role === 'tool'
        ? message.content.flatMap((part) =>
            part.type === 'tool-result' && part.toolName === tool && part.output.type === 'json'
              ? [part.output.value]
              : [],
          )
        : [],
    );
  const files = answers('list_files').flatMap((value) => parseAs(fileListSchema, value) ?? []);
  const read = answers('read_file').flatMap(passagesIn);
  return {
    request,
    calledTools: new Set(calls.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []))),
    pages: files.flatMap(({ file, pages }) => Array.from({ length: pages }, (_, at) => ({ file, page: at + 1 }))),
    passages: read.length > 0 && !REFERS_TO_PREVIOUS.test(request) ? read : [...read, ...handedOn],
    previousResults: handedOn,
    queried: answers('query_table'),
    rules: answers('consult_rulesets').flatMap((value) =>
      (parseAs(rulesSchema, value) ?? []).map(({ ruleset, rules }) => ({ source: ruleset, place: '', text: rules })),
    ),
    saveAs: requestedFileName(request, new Set(files.map(({ name }) => name))),
    find,
  };
}

/**
 * Previous quotes are also in the files, so they are only used if the request refers to them, or if there is nothing
 * else.
 */
const REFERS_TO_PREVIOUS = /\b(previous|preceding|above|these|result|so far|step before)\b/i;

const previousResult = (text: string): Passage => ({
  source: 'previous result',
  place: '',
  text: withoutQuoteMarks(text),
});

/** Keeps only the quoted text. The words that this model writes around quotes are not material. */
function withoutQuoteMarks(text: string): string {
  let fence = '';
  const lines = text.split('\n').map((line) => {
    const edge = /^`{3,}$/.exec(line)?.[0] ?? '';
    if (fence !== '' || edge !== '') {
      if (fence === '' || edge === fence) fence = fence === '' ? edge : '';
      return line;
    }
    return line.startsWith('>') ? line.replace(/^> ?/, '').replace(/(?:^| )\[\d+\]$/, '') : '';
  });
  return lines.join('\n');
}

const parseAs = <S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> | undefined => {
  const parsed = v.safeParse(schema, value);
  return parsed.success ? parsed.output : undefined;
};

const passagesIn = (value: unknown): Passage[] => {
  const { name = '', parts = [] } = parseAs(pageSchema, value) ?? {};
  return parts.flatMap(({ place, text, hidden }) => (hidden ? [] : [{ source: name, place, text }]));
};

/** The provider whose model only quotes and writes no text of its own. */
export const OFFLINE = 'offline';

export const isOffline = (model: string): boolean => model.startsWith(`${OFFLINE}/`);

const NO_USAGE: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

/** With `find`, questions about bills are answered by the labelled values of the bill. */
export const offlineModel = (find?: FindLabelled): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: OFFLINE,
  modelId: 'extractive',
  supportedUrls: {},
  async doGenerate({ prompt, tools = [] }) {
    const has = new Set(tools.map(({ name }) => name));
    const content = await nextTurn(conversationOf(prompt, find), has);
    const calls = content.some(({ type }) => type === 'tool-call');
    const finishReason = { unified: calls ? 'tool-calls' : 'stop', raw: undefined } as const;
    return { content, finishReason, usage: NO_USAGE, warnings: [] };
  },
  doStream() {
    throw new Error('The offline model answers whole.');
  },
});

/** Lists the files, reads every page, consults the rulesets, saves the requested file, and answers. */
async function nextTurn(
  conversation: OfflineConversation,
  tools: ReadonlySet<string>,
): Promise<LanguageModelV4Content[]> {
  const open = (tool: string) => tools.has(tool) && !conversation.calledTools.has(tool);
  const first = [
    ...(open('list_files') ? [toolCall('list_files', 'list', {})] : []),
    ...(open('consult_rulesets') ? [toolCall('consult_rulesets', 'rules', { query: conversation.request })] : []),
  ];
  if (first.length > 0) return first;
  if (open('read_file') && conversation.pages.length > 0) {
    return conversation.pages.map(({ file, page }) => toolCall('read_file', `read-${file}-${page}`, { file, page }));
  }
  const figure = tools.has('query_table') ? figureTurn(conversation) : undefined;
  if (figure?.sql !== undefined) return [toolCall('query_table', `query-${conversation.queried.length}`, figure.sql)];
  const text = figure?.cannot ? await refuseFigure(conversation) : (figure?.text ?? (await answerTo(conversation)));
  if (!tools.has('save_file') || conversation.saveAs === undefined) return [{ type: 'text', text }];
  if (!isProse(conversation.saveAs)) return [{ type: 'text', text: `${text}\n\n${notSaved(conversation.saveAs)}` }];
  if (conversation.calledTools.has('save_file')) return [{ type: 'text', text }];
  return [toolCall('save_file', 'save', { name: conversation.saveAs, content: `${text}\n` })];
}

const tablesSchema = v.object({
  tables: v.array(
    v.object({
      table: v.string(),
      name: v.string(),
      place: v.string(),
      rows: v.number(),
      parts: v.optional(v.array(v.string())),
      columns: v.array(v.object({ column: v.string(), heading: v.string(), type: v.string() })),
    }),
  ),
});
const figureSchema = v.object({
  columns: v.array(v.string()),
  rows: v.array(v.array(v.nullable(v.union([v.string(), v.number()])))),
  used: v.optional(
    v.array(v.object({ name: v.string(), place: v.string(), rows: v.array(v.number()), count: v.number() })),
  ),
});

const CANNOT_COUNT =
  'I cannot count or compare this: the tables of the attached files do not show clearly which rows and columns are meant.';

const MAX_PLACES = 5;
const MAX_COLUMNS = 20;

/** Names the columns that a question can be asked of, without a quote: none of them is the answer. */
async function refuseFigure({ request, passages, queried }: OfflineConversation): Promise<string> {
  const { cited } = await extractYielding(request, passages);
  const { tables = [] } = parseAs(tablesSchema, queried[0]) ?? {};
  const sources = cited.map(({ source }) => source);
  const rankOf = ({ name }: { name: string }) => (sources.includes(name) ? sources.indexOf(name) : sources.length);
  const named = tables.filter(({ columns, parts }) => !parts && columns.some(({ heading }) => heading !== ''));
  const columns = named.sort((one, other) => rankOf(one) - rankOf(other)).map(columnsOf);
  const places = cited.map(({ source, place }) => [titleOf(source), place].filter(Boolean).join(', '));
  const [lead, lines] =
    columns.length > 0
      ? ['It may be possible with the names of their columns:', columns]
      : ['Its figures may stand here:', places];
  const list = [...new Set(lines)].slice(0, MAX_PLACES).map((line) => `- ${line}`);
  const pointer = list.length > 0 ? `\n\n${lead}\n\n${list.join('\n')}` : '';
  return `${CANNOT_COUNT}${pointer}\n\n${DISCLAIMER}`;
}

type Described = v.InferOutput<typeof tablesSchema>['tables'][number];

function columnsOf({ name, place, columns }: Described): string {
  const headings = columns.map(({ heading }) => heading).filter(Boolean);
  const shown = headings.slice(0, MAX_COLUMNS).map(titleOf);
  const more = headings.length > shown.length ? ` and ${headings.length - shown.length} more` : '';
  return `${[titleOf(name), titleOf(sheetOf(place))].filter(Boolean).join(', ')}: ${shown.join(', ')}${more}`;
}

type FigureTurn = { sql?: { sql?: string }; text?: string; cannot?: true; file?: string | undefined };

const hasTable = ({ text }: Passage): boolean => /^\|.*\|\n\|[ |:-]+\|/m.test(text);

type FigureConversation = Pick<OfflineConversation, 'request' | 'passages' | 'queried' | 'find'>;

/**
 * The next query over the tables, or the answer. Undefined if the request asks for no figure, or if the files have no
 * tables for one.
 */
function figureTurn({ request, passages, queried, find }: FigureConversation): FigureTurn | undefined {
  if (!passages.some(hasTable)) return undefined;
  if (isOfText(request, passages, find)) return undefined;
  const [described, ...answers] = queried;
  if (described === undefined) return { sql: {} };
  const { question, tables: all } = ofSheet(request, parseAs(tablesSchema, described)?.tables ?? []);
  const parts = all.flatMap((table) => table.parts ?? []);
  const searched = [question, ...countriesIn(question)].join(' ');
  const tables = searchedTables(
    searched,
    all.filter(({ table }) => !parts.includes(table)),
  );
  const values = valuesQuery(searched, tables);
  if (values !== undefined && answers.length === 0) return { sql: { sql: values } };
  const found = values === undefined ? [] : parseAs(figureSchema, answers.shift())?.rows;
  // Without the values, a condition would be ignored.
  if (!found) return isRefused(request, passages) ? { cannot: true } : undefined;
  const known = found.map(toColumnValue);
  const asked = quoteCapitals(question, known);
  const turn = firstTurn(plannersFor(request, passages), (planned) => planned(asked, tables, known), answers);
  const isOpen = tables.length > 0 && isRefused(request, passages) && !statesFigure(request, passages);
  return turn ?? (isOpen ? { cannot: true } : undefined);
}

function firstTurn(
  planners: readonly Planner[],
  plan: (planner: Planner) => ReturnType<Planner>,
  answers: unknown[],
): FigureTurn | undefined {
  for (const planner of planners) {
    const planned = plan(planner);
    const turn = planTurn(planned, answers);
    if (turn) return turn;
    // Its rows hold no figure, so that the next planner is asked.
    if (planned) answers.shift();
  }
  return undefined;
}

const SENTENCE_END = /(?<=[.!?])\s+|\n{2,}/u;
const MAX_SENTENCE = 1_000;

/**
 * Whether a sentence has all words of a question and a number, as in "the mean age of the players was 24.2 years", or half of them and
 * a number of what is counted.
 */
function statesFigure(request: string, passages: readonly Passage[]): boolean {
  const asked = termsOf(request).map(({ word }) => word);
  const counts = countTest(request);
  const states = (sentence: string) => {
    if (sentence.length > MAX_SENTENCE || sentence.startsWith('|') || !/\d/.test(sentence)) return false;
    const words = new Set(wordsOf(sentence).map(stem));
    const said = asked.filter((word) => words.has(word)).length;
    return (
      said === asked.length || (said > 1 && said >= asked.length / 2 && counts?.({ lead: '', text: sentence }) === true)
    );
  };
  return asked.length > 1 && passages.some(({ text }) => text.split(SENTENCE_END).some(states));
}

/** The rows of a report's statements show what such a figure is worked out from, as "average capex as a % of revenue". */
const isOfStatement = (request: string, passages: readonly Passage[]): boolean =>
  statementLabels(request).length > 0 && !passages.every(isTable);

const isOfText = (request: string, passages: Passage[], find: FindLabelled | undefined): boolean =>
  isLabelledRequest(request, passages, find) || isOfStatement(request, passages);

/** Where nothing but a figure answers the request, no passage does. */
const isRefused = (request: string, passages: readonly Passage[]): boolean =>
  needsFigure(request) || (asksForFigure(request) && passages.every(isTable));

function plannersFor(request: string, passages: readonly Passage[]): Planner[] {
  if (asksForChange(request)) return [planChange, planRise];
  const planners = usualPlanners(request, passages);
  return asksForAgreement(request) ? [planAgreement, ...planners] : planners;
}

function usualPlanners(request: string, passages: readonly Passage[]): Planner[] {
  if (isRefused(request, passages)) return [planFigure, planRows, planLoosely];
  return passages.every(isTable) ? [planFigure, planLookup] : [planFigure, planBesideName];
}

/** Runs the planned query, adds the rows of a small sum, and writes the answer. Undefined without a figure. */
function planTurn(plan: ReturnType<Planner>, [answer, rows]: unknown[]): FigureTurn | undefined {
  if (!plan) return undefined;
  if (answer === undefined) return { sql: { sql: plan.sql } };
  const figure = parseAs(figureSchema, answer);
  const detail = figure && plan.detail(figure);
  if (detail && rows === undefined) return { sql: { sql: detail } };
  const text = figure && plan.write(figure, parseAs(figureSchema, rows));
  return text ? { text: `${text}\n\n${DISCLAIMER}`, file: figure?.used?.[0]?.name } : undefined;
}

const MAX_QUERIES = 5;

/** Runs what `query_table` would be asked until the figure is known: its sentence, and the file that it was computed from. */
export async function figureFromTables(
  asked: Omit<FigureConversation, 'queried'>,
  query: (sql?: string) => Promise<unknown>,
): Promise<{ text: string; file: string } | 'cannot' | undefined> {
  const queried: unknown[] = [];
  while (queried.length < MAX_QUERIES) {
    const turn = figureTurn({ ...asked, queried });
    if (turn?.cannot) return 'cannot';
    if (turn?.text !== undefined && turn.file !== undefined) {
      const [answer = ''] = turn.text.split('\n\n**Sources**');
      // Without the list of rows.
      const said = answer.split('\n\n').filter((part) => !part.startsWith('- '));
      return { text: said.join(' ').replaceAll('**', '').trim(), file: turn.file };
    }
    if (turn?.sql === undefined) return undefined;
    queried.push(await query(turn.sql.sql));
  }
  return undefined;
}

const toColumnValue = ([table, column, value]: (string | number | null)[]): ColumnValue => [
  String(table),
  String(column),
  String(value),
];

const notSaved = (name: string): string => `${titleOf(name)} was not saved: this model writes text and Markdown only.`;

const toolCall = (toolName: string, toolCallId: string, input: object): LanguageModelV4Content => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

async function answerTo(conversation: OfflineConversation): Promise<string> {
  const { request, passages, previousResults: handedOn, rules, find } = conversation;
  // Without files, the request itself may contain the text it is about.
  const material = passages.length > 0 ? passages : pastedText(request);
  const found = await extractYielding(request, material, { find });
  // A step that only asks for another form is about the findings of the previous step.
  const isCount = asksToCount(request) && !isOfStatement(request, passages) && !statesFigure(request, passages);
  if (passages.length > 0 && isCount && found.cited.some(isOfTable)) return refuseFigure(conversation);
  const { text: quoted } = found.cited.length > 0 || handedOn.length === 0 ? found : extract(SUMMARY_REQUEST, handedOn);
  const text = found.cited.length > 0 && areCompared(request, passages) ? `${NOT_COMPARED}\n\n${quoted}` : quoted;
  if (rules.length === 0) return text;
  // Inserts the rules before the last paragraph, which is the disclaimer.
  const end = text.lastIndexOf('\n\n');
  return `${text.slice(0, end)}\n\n**Rules that apply**\n\n${matchingRules(request, rules)}${text.slice(end)}`;
}

const NOT_COMPARED = 'Check this: I cannot compare what several files say; these are the passages about it.';
/** "Does the invoice agree with the letter, and by how much is it over?" is answered by no quote. */
const areCompared = (request: string, passages: readonly Passage[]): boolean =>
  new Set(passages.map(({ source }) => source)).size > 1 && COMPARED.test(request);
const COMPARED =
  /(?<!\p{L})(?:agrees? with|(?:does|do|did) .{1,80} match|by how much|stimm(?:t|en) .{0,80}überein|um wie ?viel|de combien|en cu[áa]nto|(?:are|is|was|were)n['’]?t (?:in|on)|not (?:in|on|listed)|missing (?:in|from)|nicht (?:in|auf)|fehl(?:t|en) (?:in|auf)|pas dans|no est[áa]n? en)(?!\p{L})/iu;

/** Rows are no answer to "how many". */
const isOfTable = ({ excerpt }: { excerpt: string }): boolean => excerpt.trimStart().startsWith('|');

const SUMMARY_REQUEST = 'Summarise this.';
const MIN_PASTED_LENGTH = 400;

const pastedText = (request: string): Passage[] =>
  request.length < MIN_PASTED_LENGTH ? [] : [{ source: 'your prompt', place: '', text: request }];
