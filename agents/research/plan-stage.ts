/** Plans what is searched: the parts of the question, the queries of the first round, and those of each further one. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { isOffline, OFFLINE } from '../../engines/models/offline.ts';
import { QUESTION_WORDS, STOP_WORDS, wordsOf } from '../../engines/retrieval/words.ts';
import { STORED_FILES, WEB_SEARCH } from '../../shared/agents/agent-input.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import type { Stage, Work } from '../../shared/tasks/agent.ts';
import { askedField } from '../processing/record/record-plan.ts';
import { planRules, roundRules } from '../prompts/research.ts';
import { conflictsIn } from './claims/conflicts.ts';
import { searchMore } from './gather-stage.ts';
import { chooseHits } from './rank-stage.ts';
import { askedTables, lacksFigure, type Pace, pacer, tellsOf, textOfTable, unmentionedIn } from './search.ts';
import { earlierNotes, loadPrevious } from './snapshots.ts';
import { ask, checkpoint, keepingRest, type ResearchSetting, resume } from './stages.ts';
import type { Finding, ResearchRequest, ResearchState, SubQuestion } from './state.ts';

const MAX_WORDS = 12;
const MAX_QUERY_LENGTH = 200;
const ASKING =
  "(?:(?:bis|seit|ab|von|à|de|depuis|jusqu'à|desde|hasta|a|da|per) )?(?:how|what|who|which|why|when|where|whether|wie|was|wer|wen|wem|welche[mnrs]?|warum|wann|wo|ob|comment|qu(?=['’])|que|qui|quels?|quelles?|pourquoi|quand|où|combien|cómo|qué|quién|cuál|cuáles|cuándo|cuánt[oa]s?|dónde|come|che cosa|cosa|chi|quale|quali|perché|quando|dove|quant[oaie])";
/** `, und werden die Preise erhöht?` */
const ASKING_BY_VERB =
  "(?:is|are|was|were|did|does|do|has|have|will|can|should|ist|sind|war|waren|wird|werden|wurde|wurden|hat|haben|kann|können|soll|sollen|est-ce|y a-t-il)\\s+(?:the|a|an|it|they|there|der|die|das|ein|eine|es|sie|er|que|qu['’])";
/** Between the parts of a question. */
const PARTS = new RegExp(
  [
    '[?;\\n]+',
    '(?<=[.!])\\s+',
    `,?\\s+(?:and|as well as|und|sowie|et|y|e)\\s+(?=${ASKING}(?!\\p{L}))`,
    `,\\s+(?:and|und|et)\\s+(?=${ASKING_BY_VERB}(?!\\p{L}))`,
  ].join('|'),
  'giu',
);

/**
 * Builds the queries by rules: the question, its parts, and combinations with places and facets. The most specific come
 * first, as a shallow research sends only those.
 */
export function queriesFor({ query, facets, places, depth }: ResearchRequest): string[] {
  const asked = query.split(PARTS).filter((part) => !isAboutForm(part));
  const subject = telling(asked.join(' '));
  const parts = asked.map(telling);
  const made = [
    subject,
    ...places.map((place) => joined(subject, place)),
    ...(parts.length > 1 ? parts : []),
    ...facets.map((facet) => joined(subject, facet)),
    ...facets.flatMap((facet) => places.map((place) => joined(subject, `${facet} ${place}`))),
  ];
  const queries = [...new Set(made.filter((text) => text !== ''))].slice(0, depth.queries);
  return queries.length > 0 ? queries : [query.slice(0, MAX_QUERY_LENGTH)];
}

/** Removes question words and stop words. Text that consists of nothing else stays as it is. */
function telling(text: string): string {
  const words = text.match(/[\p{L}\p{N}\p{M}][\p{L}\p{N}\p{M}.'&/-]*/gu) ?? [];
  const kept = words.map((word) => word.replace(/['.]+$/, '')).filter(isTelling);
  return (kept.length > 0 ? kept : words).slice(0, MAX_WORDS).join(' ').slice(0, MAX_QUERY_LENGTH);
}

const isTelling = (word: string): boolean =>
  !wordsOf(word).every((folded) => STOP_WORDS.has(folded) || QUESTION_WORDS.has(folded));

const joined = (subject: string, more: string): string =>
  subject.toLowerCase().includes(more.toLowerCase()) ? subject : `${subject} ${more}`.slice(0, MAX_QUERY_LENGTH);

/** The commas of `How is X, what costs Y` in front of an `and`. Words that also begin relative clauses are left out. */
const ENUMERATED =
  /,\s+(?=(?:how|what|why|when|wie|wer|wen|wem|welche[mnrs]?|warum|wann|comment|quels?|quelles?|pourquoi|quand|combien|cómo|cuál|cuándo|cuánt[oa]s?|chi|quali|perché|quant[oaie])(?!\p{L}))/iu;
/** `What happened to the servers, who was affected`; behind a name it is a relative clause. */
const ENUMERATED_WHO = /(?<=(?<!\p{L})\p{Ll}[\p{L}'’-]*),\s+(?=(?:who|qui|quién(?:es)?|dónde|qué)(?!\p{L}))/u;
const ASKS =
  /^\W*(?:how|what|who|which|why|when|wie|was|wer|wen|wem|welche[mnrs]?|warum|wann|comment|quels?|quelles?|pourquoi|quand|combien|cómo|qué|cuál|cuándo|cuánt[oa]s?|chi|quali|quale|perché|quant[oaie])(?!\p{L})/iu;
const MAX_SUB_QUESTIONS = 8;
const MAX_SUB_QUESTION = 300;

const enumerated = (text: string): string[] => text.split(ENUMERATED).flatMap((part) => part.split(ENUMERATED_WHO));

/** `Answer in German.` and `Bitte kurz, als PDF.` say how to write, and ask for nothing. */
const FORM = new Set(
  wordsOf(
    `answer write report reply respond keep make give please short brief concise long detailed english german french spanish italian
    pdf markdown html table tables chart charts summary bullet bullets points sections
    antworte antworten schreibe schreib bericht verfasse fasse bitte kurz knapp ausführlich deutsch englisch französisch spanisch italienisch
    tabelle tabellen diagramm diagramme zusammenfassung zusammen stichpunkte stichpunkten
    réponds répondez rédige rédigez rapport court bref brièvement détaillé français anglais allemand tableau résumé
    responde respóndeme escribe informe breve corto detallado español inglés alemán tabla resumen favor
    rispondi scrivi rapporto relazione breve dettagliato italiano inglese tedesco tabella riassunto favore`,
  ),
);
const isAboutForm = (part: string): boolean => {
  const words = wordsOf(part);
  return words.some((word) => FORM.has(word)) && words.every((word) => FORM.has(word) || STOP_WORDS.has(word));
};

/** The parts of the question by rules. A part of question words alone, such as `and why`, belongs to the one before. */
function partsOf(query: string): string[] {
  const parts: string[] = [];
  const split = query.split(PARTS);
  const [first = '', ...more] = split;
  const all = ASKS.test(first) ? [...enumerated(first), ...more] : split;
  for (const part of all.map((text) => text.trim())) {
    if (wordsOf(part).length === 0 || isAboutForm(part)) continue;
    if (parts.length > 0 && !(part.match(/[\p{L}\p{N}]+/gu) ?? []).some(isTelling))
      parts.push(`${parts.pop()}, ${part}`);
    else parts.push(part);
  }
  return parts.length > 1 || (parts.length === 1 && all.some(isAboutForm)) ? parts : [query];
}

const subQuestionsOf = (texts: readonly string[]): SubQuestion[] =>
  distinctLines(texts, MAX_SUB_QUESTION)
    .slice(0, MAX_SUB_QUESTIONS)
    .map((text, at) => ({ sub_question: at + 1, text, status: 'open' }));

const ANSWER_TOKENS = 1_500;

const answers = v.object({ queries: v.array(v.string()), sub_questions: v.optional(v.array(v.string())) });

const HOLDS: Record<string, string> = {
  financial_reports: 'results and reports of companies, by quarter and year',
  market_data: 'figures of prices, rates and indices over time',
  news_feeds: 'news of the last days and weeks',
};
const OWN_FEED = 'a feed of the customer';
const PUBLIC_WEB = 'pages of the public web, found by a search provider';

const MAX_FILES = 20;
const BEGINNING = 300;

type SourceOfPlan = { name: string; holds: string | { file: string; begins: string }[] };

/** What a planner must know of the sources: what each holds, of files their beginnings. */
async function sourcesForPlan({ ports, wish }: ResearchSetting, { address, signal }: Work, searchesWeb: boolean) {
  const { sources, fileIds } = wish;
  const { organization } = address;
  const files = fileIds.length > 0 ? await ports.gatherFiles({ organization, fileIds, signal }) : undefined;
  // A file has an item for each of its parts; the first one has its beginning.
  const begins = [...Map.groupBy(files?.items ?? [], (item) => item.address).values()].flatMap(([item]) => item ?? []);
  const holds = begins
    .slice(0, MAX_FILES)
    .map(({ title, text }) => ({ file: title, begins: text.slice(0, BEGINNING).toWellFormed() }));
  return [
    ...sources.map((name): SourceOfPlan => ({ name, holds: HOLDS[name] ?? OWN_FEED })),
    ...(files ? [{ name: STORED_FILES, holds }] : []),
    ...(searchesWeb ? [{ name: WEB_SEARCH, holds: PUBLIC_WEB }] : []),
  ];
}

export const planStage = (setting: ResearchSetting): Stage => ({
  name: 'planning',
  mayRepeat: isOffline(setting.input.model),
  async run(work, carried) {
    const { address } = work;
    const { ports, wish, input } = setting;
    const known = await resume(setting, carried);
    known.work.startedAt ??= ports.clock.now();
    const model = await ports.modelOf(input.cheapModel ?? input.model, work, input.asked.reasoning_effort);
    known.plan = { queries: queriesFor(wish), by: 'rules', subQuestions: subQuestionsOf(partsOf(wish.query)) };
    await loadPrevious(setting, known, address);
    if (await isAllRead(setting, known, pacer(work.signal))) known.plan.queries = [];
    if (model.provider !== OFFLINE) await planByModel(setting, { known, plan: known.plan, work }, model);
    for (const query of known.plan.queries) known.activity.tell({ kind: 'query', query });
    return checkpoint(setting, address, { known, stages: ['planning'] });
  },
});

/** Whether a kept text of the earlier research has all words of each sub-question. What reading leaves open is searched in the next round. */
async function isAllRead({ wish, input }: ResearchSetting, known: ResearchState, pace: Pace): Promise<boolean> {
  const { items = [] } = known.previous ?? {};
  if (items.length === 0 || wish.depth.rounds < 2 || input.asked.sources?.length) return false;
  for (const { text: part } of known.plan?.subQuestions ?? []) {
    let isRead = false;
    for (const { title, text } of items) {
      const { words } = await unmentionedIn(part, [`${title}\n${text}`], pace);
      isRead ||= words.length === 0 && !lacksFigure(part, [{ text }]);
    }
    if (!isRead) return false;
  }
  return true;
}

type Planning = { known: ResearchState; plan: NonNullable<ResearchState['plan']>; work: Work };

/** Puts what the model plans in place of the plan by rules, whose first query stays. */
async function planByModel(
  setting: ResearchSetting,
  { known, plan, work }: Planning,
  model: LanguageModelV4,
): Promise<void> {
  const { ports, wish, input } = setting;
  const { query, researchType, scope, depth } = wish;
  const searchesWeb = !input.asked.sources?.length && ports.searchConnector !== undefined;
  const wished = {
    question: query,
    kind: researchType,
    places: scope,
    sources: await sourcesForPlan(setting, work, searchesWeb),
    depth: depth.name,
    most_queries: depth.queries,
    most_sub_questions: MAX_SUB_QUESTIONS,
    ...definedFields({
      published: input.asked.time_range ?? undefined,
      language: wish.language,
      fields: fieldsOf(wish),
    }),
  };
  const notes = earlierNotes(known);
  const messages = [
    JSON.stringify(wished),
    ...(notes.length > 0 ? [`The notes of an earlier research:\n${JSON.stringify(notes)}`] : []),
  ];
  const answer = await ask(known, {
    role: 'plan',
    model,
    rules: planRules(ports.clock.now()).join('\n'),
    messages,
    schema: answers,
    answerTokens: ANSWER_TOKENS,
    signal: work.signal,
  });
  if (!answer) return;
  // What is known already need not be asked for again.
  const first = notes.length > 0 ? [] : [plan.queries[0] ?? query];
  const queries = distinctQueries([...first, ...answer.queries]).slice(0, depth.queries);
  const subQuestions = subQuestionsOf(answer.sub_questions ?? []);
  if (subQuestions.length > 0) plan.subQuestions = subQuestions;
  if (queries.length > 1 || notes.length > 0) plan.queries = queries;
  if (queries.length > 1 || subQuestions.length > 0) plan.by = 'model';
}

const MAX_FIELDS = 40;

/** What the caller's schema asks for. */
function fieldsOf({ record }: ResearchRequest): object[] | undefined {
  if (!record) return undefined;
  const { fields, arrays } = record.plan;
  return [...fields, ...arrays.flatMap((array) => array.fields)].slice(0, MAX_FIELDS).map(askedField);
}

/** Clean queries, each once, whatever its case. */
const distinctQueries = (queries: readonly string[]): string[] => distinctLines(queries, MAX_QUERY_LENGTH);

function distinctLines(texts: readonly string[], most: number): string[] {
  const clean = texts.map((text) =>
    text
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, most),
  );
  return [...new Map(clean.filter((text) => text !== '').map((text) => [text.toLowerCase(), text])).values()];
}

/** What is out of the request's scope was not read. */
const textsOf = ({ documents }: ResearchState): string[] =>
  documents.filter(({ status }) => status === 'read').map(({ title, text }) => `${title}\n${text}`);

const isQuoted = ({ findings }: ResearchState): boolean => findings.every(({ is_quote }) => is_quote);

/** Marks the sub-questions that a finding, or in a report of quotes a row, answers of the documents from this number on. */
export async function markCovered(known: ResearchState, { from, pace }: { from: number; pace: Pace }): Promise<void> {
  const read = known.documents.filter(({ document, status }) => document >= from && status === 'read');
  for (const one of (known.plan?.subQuestions ?? []).filter(({ status }) => status !== 'covered')) {
    // One sentence may answer two parts, and belongs to one of them.
    const tells = tellsOf(one.text);
    const own = known.findings.filter(
      ({ sub_question: number, citations, text, is_quote: isQuote }) =>
        (number === one.sub_question || (isQuote && tells(text))) && citations.some(({ document }) => document >= from),
    );
    const tables = isQuoted(known) ? await askedTables(read, [one], pace) : [];
    if (await isAnswered(one, [...own, ...tables.map(textOfTable)], known, pace)) one.status = 'covered';
  }
}

async function isAnswered({ text }: SubQuestion, own: readonly { text: string }[], known: ResearchState, pace: Pace) {
  if (own.length === 0 || lacksFigure(text, own)) return false;
  return !isQuoted(known) || !(await unmentionedIn(text, textsOf(known), pace)).isUnanswered;
}

/** What a stored file says does not leave the product unless a model writes the query. */
const isPublic = ({ citations }: Finding, { documents }: ResearchState): boolean =>
  citations.every(({ document }) => documents.some((one) => one.document === document && one.source !== STORED_FILES));

/** `Between Kersten Vastgoed` begins with a word that does not belong to the name. */
const bareName = (name: string): string => {
  const words = name.split(/\s+/);
  const first = words.findIndex((word) => !STOP_WORDS.has(wordsOf(word)[0] ?? ''));
  return words.slice(Math.max(0, first)).join(' ');
};

/** Several capitalized words in a row. */
const NAMES = /\p{Lu}[\p{Ll}\p{M}'’-]+(?:\s+\p{Lu}[\p{Ll}\p{M}'’-]+)+/gu;
const MAX_NAMES = 3;
const MAX_CONTRADICTIONS = 2;

/**
 * Without a model: the answer may stand on a page that only a name in the findings leads to, and a third page may decide
 * between two that contradict each other.
 */
async function queriesByRules(wish: ResearchRequest, known: ResearchState, pace: Pace): Promise<string[]> {
  const { findings } = known;
  const decisive = conflictsIn(findings, known.documents)
    .slice(0, MAX_CONTRADICTIONS)
    .flatMap((one) => one.findings.find((finding) => isPublic(finding, known)) ?? [])
    .map(({ text }) => telling(text.replaceAll(/\d\S*/gu, ' ')));
  const isOpen = known.plan?.subQuestions.some(({ status }) => status === 'open');
  if (isOpen && known.plan?.queries.length === 0) return queriesFor(wish);
  const { words } = await unmentionedIn(wish.query, textsOf(known), pace);
  if (words.length === 0 && !isOpen) return decisive;
  const isInQuestion = (name: string) =>
    [wish.query, ...(known.plan?.queries ?? [])].some((text) => text.includes(name));
  const named = findings
    .filter((one) => isPublic(one, known))
    .flatMap(({ text }) => text.match(NAMES) ?? [])
    .map(bareName)
    .filter((name) => /\s/u.test(name) && !isInQuestion(name));
  return [...[...new Set(named)].slice(0, MAX_NAMES), ...decisive];
}

const nextAnswers = v.object({ covered: v.array(v.number()), queries: v.array(v.string()) });

type Round = { known: ResearchState; work: Work };

async function queriesByModel(
  { ports, wish }: ResearchSetting,
  { known, work }: Round,
  model: LanguageModelV4,
): Promise<string[] | undefined> {
  const { findings, documents, plan } = known;
  const dates = new Map(documents.map((one) => [one.document, one.published_at]));
  const state = {
    question: wish.query,
    sub_questions: plan?.subQuestions.map(({ sub_question, text }) => ({ sub_question, text })),
    queries_asked: plan?.queries,
    rounds_left: wish.depth.rounds - known.work.rounds,
    most_queries: wish.depth.queries,
    ...(wish.language === undefined ? {} : { language: wish.language }),
  };
  const notes = findings.map(({ text, sub_question, citations }) => ({
    sub_question,
    text,
    published: [...new Set(citations.map(({ document }) => dates.get(document) ?? null))],
  }));
  const answer = await ask(known, {
    role: 'plan',
    model,
    rules: roundRules(ports.clock.now()).join('\n'),
    messages: [`The state:\n${JSON.stringify(state)}`, `The notes:\n${JSON.stringify(notes)}`],
    schema: nextAnswers,
    answerTokens: ANSWER_TOKENS,
    signal: work.signal,
  });
  if (!answer) return undefined;
  // A model may say that the notes are not enough; that something without a note is answered, it cannot.
  for (const one of plan?.subQuestions ?? []) {
    if (one.status === 'covered' && !answer.covered.includes(one.sub_question)) one.status = 'partly';
  }
  return answer.queries;
}

async function nextQueries(setting: ResearchSetting, round: Round): Promise<string[]> {
  const { ports, wish, input } = setting;
  const { known, work } = round;
  const model = await ports.modelOf(input.cheapModel ?? input.model, work, input.asked.reasoning_effort);
  const byModel = model.provider === OFFLINE ? undefined : await queriesByModel(setting, round, model);
  const asked = new Set(known.plan?.queries.map((query) => query.toLowerCase()));
  return distinctQueries(byModel ?? (await queriesByRules(wish, known, pacer(work.signal))))
    .filter((query) => !asked.has(query.toLowerCase()))
    .slice(0, wish.depth.queries);
}

/** Undefined if another round may begin. */
function budgetEnd(
  { ports, wish }: ResearchSetting,
  { work, sources }: ResearchState,
): ResearchState['work']['ended_by'] | undefined {
  const { startedAt = 0, byRole } = work;
  const tokens = byRole.reduce((sum, one) => sum + one.input_tokens + one.output_tokens, 0);
  if (!sources.some(({ source }) => source === WEB_SEARCH)) return 'no_search';
  if (tokens >= wish.depth.tokens) return 'tokens';
  return ports.clock.now() - startedAt >= wish.depth.minutes * MINUTE_MS ? 'minutes' : undefined;
}

const DONE_BEFORE = ['planning', 'gathering', 'ranking'];
const HITS_OF_QUERY = 10;

/** It is a checkpoint of its own, so that no query is sent twice. */
export const searchStage = (setting: ResearchSetting): Stage => ({
  name: 'gathering',
  async run(work, carried) {
    const { address, signal } = work;
    const known = await resume(setting, carried);
    const budget = budgetEnd(setting, known);
    const progress = { known, stages: DONE_BEFORE };
    const keeping = <T>(run: () => Promise<T>) => keepingRest(setting, work, { progress, run });
    const queries = budget ? [] : await keeping(() => nextQueries(setting, { known, work }));
    if (queries.length > 0) {
      const { organization } = address;
      const maxItems = queries.length * HITS_OF_QUERY;
      await searchMore(setting, known, { organization, queries, maxItems, signal });
      await keeping(() => chooseHits(setting, { known, queries, work }));
      known.work.rounds++;
      return checkpoint(setting, address, { known, stages: DONE_BEFORE });
    }
    const isCovered = known.plan?.subQuestions.every(({ status }) => status === 'covered');
    known.work.ended_by = budget ?? (isCovered ? 'covered' : 'nothing_new');
    const ended = await checkpoint(setting, address, { known, stages: [...DONE_BEFORE, 'reading'] });
    return { ...ended, roundsOver: true, mayRepeat: isOffline(setting.input.model) };
  },
});
