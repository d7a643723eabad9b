/** Plans what is searched: the parts of the question, the queries of the first round, and those of each further one. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { STORED_FILES, WEB_SEARCH } from '../../shared/agents/agent-input.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import type { Stage, Work } from '../../shared/tasks/agent.ts';
import { planRules, roundRules } from '../prompts/research.ts';
import { askedField } from '../records/record-plan.ts';
import { searchMore } from './gather-stage.ts';
import { chooseHits } from './rank-stage.ts';
import { earlierNotes, loadPrevious } from './snapshots.ts';
import { ask, checkpoint, keepingRest, type ResearchSetting, resume } from './stages.ts';
import type { ResearchRequest, ResearchState, SubQuestion } from './state.ts';

const MAX_QUERY_LENGTH = 200;
const MAX_SUB_QUESTIONS = 8;
const MAX_SUB_QUESTION = 300;

/** Without a planner: the question, with each place and with what its type of research asks for. */
export function queriesFor({ query, facets, places, depth }: ResearchRequest): string[] {
  const more = [...places, ...facets, ...facets.flatMap((facet) => places.map((place) => `${facet} ${place}`))];
  return distinctQueries([query, ...more.map((words) => `${query} ${words}`)]).slice(0, depth.queries);
}

/** Without a planner: what stands between question marks, semicolons and ends of lines. */
const partsOf = (query: string): string[] => {
  const parts = query.match(/[^?;\n]+\??/gu)?.map((part) => part.trim()) ?? [];
  const withWords = parts.filter((part) => /[\p{L}\p{N}]/u.test(part));
  return withWords.length > 0 ? withWords : [query];
};

const subQuestionsOf = (texts: readonly string[]): SubQuestion[] =>
  distinctLines(texts, MAX_SUB_QUESTION)
    .slice(0, MAX_SUB_QUESTIONS)
    .map((text, at) => ({ sub_question: at + 1, text, status: 'open' }));

const ANSWER_TOKENS = 1_500;

const answers = v.object({ queries: v.array(v.string()), sub_questions: v.nullish(v.array(v.string())) });

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
  mayRepeat: !setting.wish.hasModel,
  async run(work, carried) {
    const { address } = work;
    const { ports, wish, input } = setting;
    const known = await resume(setting, carried);
    known.work.startedAt ??= ports.clock.now();
    const model = await ports.modelOf(input.cheapModel ?? input.model, work, input.asked.reasoning_effort);
    known.plan = { queries: queriesFor(wish), by: 'rules', subQuestions: subQuestionsOf(partsOf(wish.query)) };
    await loadPrevious(setting, known, address);
    if (model) await planByModel(setting, { known, plan: known.plan, work }, model);
    for (const query of known.plan.queries) known.activity.tell({ kind: 'query', query });
    return checkpoint(setting, address, { known, stages: ['planning'] });
  },
});

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

/** Marks the sub-questions that a finding answers of the documents from this number on. */
export function markCovered(known: ResearchState, from: number): void {
  for (const part of known.plan?.subQuestions ?? []) {
    const isAnswered = known.findings.some(
      ({ sub_question: number, citations }) =>
        number === part.sub_question && citations.some(({ document }) => document >= from),
    );
    if (isAnswered) part.status = 'covered';
  }
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
  const queries = model ? await queriesByModel(setting, round, model) : undefined;
  const asked = new Set(known.plan?.queries.map((query) => query.toLowerCase()));
  return distinctQueries(queries ?? [])
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
    return { ...ended, roundsOver: true, mayRepeat: !setting.wish.hasModel };
  },
});
