/** Plans what is searched: the parts of the question, the queries of the first round, and those of each further one. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { STORED_FILES, WEB_SEARCH } from '../../shared/agents/agent-input.ts';
import type { SubQuestion } from '../../shared/agents/results/research.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import type { ActivityRecorder } from '../../shared/tasks/activity-recorder.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import { planRules, roundRules } from '../prompts/research.ts';
import { toPromptField } from '../records/prompt-field.ts';
import { gatherMore } from './gather-stage.ts';
import { ask } from './model-calls.ts';
import type { NotedState, PlannedState, PreviousResearch, StartedState } from './pipeline-states.ts';
import { earlierNotes, loadPrevious } from './previous-research.ts';
import { chooseMore, hasLeft } from './rank-stage.ts';
import type { ResearchRequest, SearchPlan } from './research-request.ts';
import { cheapModel, keepStateOnFailure, type ResearchSetting, type StageRun, stageOf, stagesTo } from './stages.ts';

const MAX_QUERY_LENGTH = 200;
const MAX_SUB_QUESTIONS = 8;
const MAX_SUB_QUESTION = 300;

/** Without a planner: the question, with each place and with what its type of research asks for. */
export function queriesFor({ query, facets, places, depth }: ResearchRequest): string[] {
  const more = [...places, ...facets, ...facets.flatMap((facet) => places.map((place) => `${facet} ${place}`))];
  return distinctQueries([query, ...more.map((words) => `${query} ${words}`)]).slice(0, depth.queries);
}

export const planStage = (setting: ResearchSetting): Stage =>
  stageOf(setting, {
    name: 'planning',
    before: [],
    after: stagesTo('planning'),
    next: planSearch,
  });

/** Marks the sub-questions that a finding answers of the documents from this number on, and reports what each rests on. */
export function markCovered(state: NotedState, from: number, activity: ActivityRecorder): NotedState {
  const covered = state.plan.subQuestions.flatMap(({ sub_question, text }) => {
    const findings = state.findings.filter((finding) => finding.sub_question === sub_question);
    const cited = findings.flatMap(({ citations }) => citations.map(({ document }) => document));
    const isCited = cited.some((document) => document >= from);
    return isCited ? [{ sub_question, text, documents: [...new Set(cited)].sort((a, b) => a - b) }] : [];
  });
  for (const part of covered) {
    const isShown = part.documents.join() === state.shownCoverage[part.sub_question]?.join();
    if (!isShown) activity.record({ kind: 'coverage', ...part });
  }
  const documentsOf = new Map(covered.map(({ sub_question, documents }) => [sub_question, documents]));
  const subQuestions = state.plan.subQuestions.map((part) =>
    documentsOf.has(part.sub_question) ? { ...part, status: 'covered' as const } : part,
  );
  return {
    ...state,
    plan: { ...state.plan, subQuestions },
    shownCoverage: { ...state.shownCoverage, ...Object.fromEntries(documentsOf) },
  };
}

/** It is a checkpoint of its own, so that no query is sent twice. */
export const searchStage = (setting: ResearchSetting): Stage =>
  stageOf(setting, {
    name: 'gathering',
    before: stagesTo('ranking'),
    after: (state) => stagesTo(isOver(state) ? 'reading' : 'ranking'),
    next: runRound,
    advice: (state) => (isOver(state) ? { roundsOver: true } : {}),
  });

/** Without a planner: what stands between question marks, semicolons and ends of lines. */
const questionParts = (query: string): string[] => {
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
async function sourcesForPlan({ ports, request, work: { address, signal } }: StageRun, searchesWeb: boolean) {
  const { sources, fileIds } = request;
  const { organization } = address;
  const files = fileIds.length > 0 ? await ports.gatherFiles({ organization, fileIds, signal }) : undefined;
  // A file has an item for each of its parts; the first one has its beginning.
  const firstParts = [...Map.groupBy(files?.items ?? [], (item) => item.address).values()].flatMap(
    ([item]) => item ?? [],
  );
  const fileBeginnings = firstParts
    .slice(0, MAX_FILES)
    .map(({ title, text }) => ({ file: title, begins: text.slice(0, BEGINNING).toWellFormed() }));
  return [
    ...sources.map((name): SourceOfPlan => ({ name, holds: HOLDS[name] ?? OWN_FEED })),
    ...(files ? [{ name: STORED_FILES, holds: fileBeginnings }] : []),
    ...(searchesWeb ? [{ name: WEB_SEARCH, holds: PUBLIC_WEB }] : []),
  ];
}

async function planSearch(state: StartedState, run: StageRun): Promise<PlannedState> {
  const { ports, request, activity } = run;
  const startedAt = state.work.startedAt ?? ports.clock.now();
  const model = await cheapModel(run);
  const previous = await loadPrevious(run);
  const byRules: SearchPlan = {
    queries: queriesFor(request),
    by: 'rules',
    subQuestions: subQuestionsOf(questionParts(request.query)),
  };
  const plan = model ? await planByModel(run, { previous, byRules }, model) : byRules;
  for (const query of plan.queries) activity.record({ kind: 'query', query });
  return { ...state, work: { ...state.work, startedAt }, plan, ...definedFields({ previous }) };
}

type Planning = { previous: PreviousResearch | undefined; byRules: SearchPlan };

/** Puts what the model plans in place of the plan by rules. The words of the question are searched only where it plans no query. */
async function planByModel(
  run: StageRun,
  { previous, byRules }: Planning,
  model: LanguageModelV4,
): Promise<SearchPlan> {
  const { ports, request, input, work, calls } = run;
  const { query, researchType, scope, depth } = request;
  const searchesWeb = !input.asked.sources?.length && ports.searchConnector !== undefined;
  const assignment = {
    question: query,
    kind: researchType,
    places: scope,
    sources: await sourcesForPlan(run, searchesWeb),
    depth: depth.name,
    most_queries: depth.queries,
    most_sub_questions: MAX_SUB_QUESTIONS,
    ...definedFields({
      published: input.asked.time_range ?? undefined,
      language: request.language,
      fields: fieldsOf(request),
    }),
  };
  const notes = earlierNotes(previous);
  const messages = [
    JSON.stringify(assignment),
    ...(notes.length > 0 ? [`The notes of an earlier research:\n${JSON.stringify(notes)}`] : []),
  ];
  const answer = await ask(calls, {
    role: 'plan',
    model,
    rules: planRules(ports.clock.now()).join('\n'),
    messages,
    schema: answers,
    answerTokens: ANSWER_TOKENS,
    signal: work.signal,
  });
  if (!answer) return byRules;
  const queries = distinctQueries(answer.queries).slice(0, depth.queries);
  const subQuestions = subQuestionsOf(answer.sub_questions ?? []);
  return {
    // What the notes of an earlier research answer need not be searched again.
    queries: queries.length > 0 || notes.length > 0 ? queries : byRules.queries,
    by: queries.length > 0 || subQuestions.length > 0 ? 'model' : 'rules',
    subQuestions: subQuestions.length > 0 ? subQuestions : byRules.subQuestions,
  };
}

const MAX_FIELDS = 40;

/** What the caller's schema asks for. */
function fieldsOf({ record }: ResearchRequest): object[] | undefined {
  if (!record) return undefined;
  const { fields, arrays } = record.plan;
  return [...fields, ...arrays.flatMap((array) => array.fields)].slice(0, MAX_FIELDS).map(toPromptField);
}

/** Clean queries, each once, whatever its case. */
const distinctQueries = (queries: readonly string[]): string[] => distinctLines(queries, MAX_QUERY_LENGTH);

function distinctLines(texts: readonly string[], maxLength: number): string[] {
  const clean = texts.map((text) =>
    text
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, maxLength),
  );
  return [...new Map(clean.filter((text) => text !== '').map((text) => [text.toLowerCase(), text])).values()];
}

const nextAnswers = v.object({ covered: v.array(v.number()), queries: v.array(v.string()) });

/** What the last queries gave: the documents that were read, and the notes that rest on them. */
function lastRoundCounts({ documents, findings, roundFrom }: NotedState): { documents: number; notes: number } {
  const readDocuments = documents.filter(({ document, status }) => document >= roundFrom && status === 'read');
  const notes = findings.filter(({ citations }) => citations.some(({ document }) => document >= roundFrom));
  return { documents: readDocuments.length, notes: notes.length };
}

/** Whether there is something that answers other queries than those that were asked. */
const canSearch = ({ sources, queryable }: NotedState): boolean =>
  queryable.length > 0 || sources.some(({ source }) => source === WEB_SEARCH);

/** What is searched next, and the state with what the model says of the sub-questions. */
type NextQueries = { state: NotedState; queries: string[] };

async function queriesByModel(state: NotedState, run: StageRun, model: LanguageModelV4): Promise<NextQueries> {
  const { ports, request, calls, work } = run;
  const { findings, documents, plan } = state;
  const dates = new Map(documents.map((document) => [document.document, document.published_at]));
  const progress = {
    question: request.query,
    sub_questions: plan.subQuestions.map(({ sub_question, text }) => ({ sub_question, text })),
    queries_asked: plan.queries,
    last_round: lastRoundCounts(state),
    rounds_left: request.depth.rounds - state.work.rounds,
    most_queries: canSearch(state) ? request.depth.queries : 0,
    ...(request.language === undefined ? {} : { language: request.language }),
  };
  const notes = findings.map(({ text, sub_question, citations }) => ({
    sub_question,
    text,
    published: [...new Set(citations.map(({ document }) => dates.get(document) ?? null))],
  }));
  const answer = await ask(calls, {
    role: 'plan',
    model,
    rules: roundRules(ports.clock.now()).join('\n'),
    messages: [`The state:\n${JSON.stringify(progress)}`, `The notes:\n${JSON.stringify(notes)}`],
    schema: nextAnswers,
    answerTokens: ANSWER_TOKENS,
    signal: work.signal,
  });
  if (!answer) return { state, queries: [] };
  // A model may say that the notes are not enough; that something without a note is answered, it cannot.
  const subQuestions = plan.subQuestions.map((part) =>
    part.status === 'covered' && !answer.covered.includes(part.sub_question)
      ? { ...part, status: 'partly' as const }
      : part,
  );
  return { state: { ...state, plan: { ...plan, subQuestions } }, queries: answer.queries };
}

async function nextQueries(state: NotedState, run: StageRun): Promise<NextQueries> {
  const { request } = run;
  const model = await cheapModel(run);
  if (!model) return { state, queries: [] };
  const proposed = await queriesByModel(state, run, model);
  const searched = new Set(state.plan.queries.map((query) => query.toLowerCase()));
  const queries = distinctQueries(proposed.queries)
    .filter((query) => !searched.has(query.toLowerCase()))
    .slice(0, canSearch(state) ? request.depth.queries : 0);
  return { ...proposed, queries };
}

/** Undefined if another round may begin. */
function endBefore({ ports, request }: ResearchSetting, state: NotedState): NotedState['work']['ended_by'] | undefined {
  const { startedAt = 0, byRole, rounds } = state.work;
  const tokens = byRole.reduce((sum, usage) => sum + usage.input_tokens + usage.output_tokens, 0);
  const isRead = !canSearch(state) && !(request.hasModel && hasLeft(state));
  if (isRead) return isCovered(state) ? 'covered' : rounds > 1 ? 'nothing_new' : 'no_search';
  if (tokens >= request.depth.tokens) return 'tokens';
  return ports.clock.now() - startedAt >= request.depth.minutes * MINUTE_MS ? 'minutes' : undefined;
}

const isCovered = ({ plan }: NotedState): boolean => plan.subQuestions.every(({ status }) => status === 'covered');

const isOver = ({ work }: NotedState): boolean => work.ended_by !== null;

/** A further round: its documents are chosen, or the rounds are over. */
async function runRound(noted: NotedState, run: StageRun): Promise<NotedState> {
  const end = endBefore(run, noted);
  if (end) return withEnd(noted, end);
  const { state, queries } = await nextQueries(noted, run);
  // Without another query, what was left may still answer what is open.
  const readsLeft = run.request.hasModel && !isCovered(state) && hasLeft(state);
  if (queries.length === 0 && !readsLeft) return withEnd(state);
  const gathered = await keepStateOnFailure(state, () => gatherMore(state, run, queries));
  // What the search has given is kept, however the choice ends.
  const chosen = await keepStateOnFailure(gathered.state, () => chooseMore(gathered, run, queries));
  const isFurther = queries.length > 0 || chosen.documents.length > noted.documents.length;
  if (!isFurther) return withEnd(chosen);
  return { ...chosen, work: { ...chosen.work, rounds: chosen.work.rounds + 1 } };
}

const withEnd = (state: NotedState, end?: NotedState['work']['ended_by']): NotedState => ({
  ...state,
  work: { ...state.work, ended_by: end ?? (isCovered(state) ? 'covered' : 'nothing_new') },
});
