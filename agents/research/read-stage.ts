/** Reads one batch of the chosen documents and notes what they say. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import type { FoundSentence } from '../../engines/retrieval/search.ts';
import type { LeftOutCounts } from '../../shared/agents/results/research.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import { readRules } from '../prompts/research.ts';
import { publisherName } from '../source-names.ts';
import { locateNotes } from './code-check.ts';
import { cleanedStatement, mergeProposed, type ProposedFinding } from './findings.ts';
import { ask } from './model-calls.ts';
import { isLeftOut, openPages, withDocuments } from './open-pages.ts';
import type { NotedState, RankedState } from './pipeline-states.ts';
import { markCovered } from './plan-stage.ts';
import { countRefusals, type Refusal, reportRefusals } from './refusals.ts';
import type { ChosenDocument } from './research-request.ts';
import { toReadDocument } from './snapshots.ts';
import {
  keepStateOnFailure,
  mainModel,
  type ResearchSetting,
  StageCutShort,
  type StageRun,
  stageOf,
  stagesTo,
} from './stages.ts';

const ANSWER_TOKENS = 12_000;
/** A model gets long documents in passages of this length, and in one call as many passages as have this length together. */
const PASSAGE = 16_000;
const CALL = 48_000;
const MAX_IMPORTANCE = 5;
const MAX_FORMULAS = 5;

const answers = v.object({
  findings: v.array(
    v.object({
      statement: v.string(),
      importance: v.number(),
      sub_question: v.nullish(v.number(), 0),
      topics: v.nullish(v.array(v.number()), []),
      citations: v.array(v.object({ document: v.number(), quote: v.string() })),
      computed: v.nullish(v.array(v.string()), []),
      figures: v.nullish(
        v.array(
          v.object({
            label: v.string(),
            value: v.union([v.string(), v.number()]),
            unit: v.nullish(v.string(), ''),
            scale: v.nullish(v.number(), 1),
            period: v.nullish(v.string(), ''),
            when: v.nullish(v.string(), ''),
          }),
        ),
        [],
      ),
    }),
  ),
});

type Batch = { from: number; to: number; isLast: boolean };

/** Between two batches: noted is what the first ones say. */
type Reading = RankedState & Partial<NotedState>;

/** Without a batch, all documents are read that a further round has chosen. */
export const readStage = (setting: ResearchSetting, batch?: Batch): Stage => {
  const isLast = batch?.isLast ?? true;
  return stageOf(setting, {
    name: 'reading',
    before: stagesTo('ranking'),
    after: stagesTo(isLast ? 'reading' : 'ranking'),
    async next(state: Reading, run): Promise<Reading> {
      const documents = batch
        ? state.documents.slice(batch.from, batch.to)
        : state.documents.filter((document) => document.status === 'chosen' && !isLeftOut(document));
      if (documents.length === 0 && !isLast) return state;
      const begun: NotedState = { refused: { statements: 0, byReason: {} }, shownCoverage: {}, ...state };
      const noted = documents.length > 0 ? await readBatch(begun, run, documents) : begun;
      const from = batch ? 1 : (documents[0]?.document ?? Number.POSITIVE_INFINITY);
      // Whether a quote answers a part of the question, only a model can tell.
      return setting.request.hasModel ? markCovered(noted, from, run.activity) : noted;
    },
  });
};

type ReadRequest = { state: NotedState; run: StageRun; batch: readonly ChosenDocument[] };
type ModelRequest = ReadRequest & { model: LanguageModelV4 };

type Passage = { document: ChosenDocument; text: string };

/** Splits a text at ends of lines where it can, so that a document is read to its end. */
function passagesOf(document: ChosenDocument): Passage[] {
  const passages: Passage[] = [];
  for (let at = 0; at < document.text.length; ) {
    const whole = document.text.slice(at, at + PASSAGE);
    const end = at + whole.length < document.text.length ? whole.lastIndexOf('\n') + 1 : 0;
    const text = end > PASSAGE / 2 ? whole.slice(0, end) : whole;
    passages.push({ document, text });
    at += text.length;
  }
  return passages;
}

/** What is short is read together, so that a note can rest on several documents. */
function callsOf(passages: readonly Passage[]): Passage[][] {
  const calls: Passage[][] = [];
  let length = 0;
  for (const passage of passages) {
    const last = calls.at(-1);
    length += passage.text.length;
    if (last && length <= CALL) last.push(passage);
    else {
      calls.push([passage]);
      length = passage.text.length;
    }
  }
  return calls;
}

/** The notes of one call, and what of it is refused at once. */
type CallNotes = { proposed: ProposedFinding[]; refusals: Refusal[] };

type ModelReading = { proposed: ProposedFinding[] | undefined; refusals: Refusal[]; failures: unknown[] };

/** Puts the documents to a language model. What it proposes is undefined if it gave no usable answer at all. */
async function readByModel(request: ModelRequest): Promise<ModelReading> {
  const passages = request.batch.flatMap(passagesOf);
  const calls = callsOf(passages);
  // What one call read is kept, however another one ends.
  const outcomes = await Promise.allSettled(calls.map((passagesOfCall) => readPassages(request, passagesOfCall)));
  const notes = outcomes.flatMap((call) => (call.status === 'fulfilled' && call.value ? [call.value] : []));
  const failures = outcomes.flatMap((call) => (call.status === 'rejected' ? [call.reason] : []));
  const isAnswered = notes.length > 0 || calls.length === 0 || failures.length > 0;
  const proposed = isAnswered ? notes.flatMap((call) => call.proposed) : undefined;
  return { proposed, refusals: notes.flatMap(({ refusals }) => refusals), failures };
}

/**
 * Puts passages to a language model and keeps the statements whose quotes stand in their documents. Returns undefined
 * if the model gave no usable answer.
 */
async function readPassages(
  { state, run, model }: ModelRequest,
  passages: readonly Passage[],
): Promise<CallNotes | undefined> {
  const { ports, request, work, calls } = run;
  const batch = [...new Set(passages.map(({ document }) => document))];
  const topics = request.deliverables.filter(({ kind }) => kind === 'topic').map(({ title }) => title);
  const questions = state.plan.subQuestions;
  const assignment = {
    question: request.query,
    kind: request.researchType,
    places: request.scope,
    sub_questions: questions.map(({ sub_question, text, status }) => ({ sub_question, text, status })),
    topics: Object.fromEntries(topics.map((title, at) => [at + 1, title])),
    most_findings: passages.length * (request.analysis.ofDocument + questions.length),
  };
  const documents = passages.map(({ document: source, text }) => ({
    ...{ document: source.document, title: source.title, publisher: publisherName(source) },
    ...{ published_at: source.published_at, text },
  }));
  const messages = [`What is wished:\n${JSON.stringify(assignment)}`, `The documents:\n${JSON.stringify(documents)}`];
  const answer = await ask(calls, {
    role: 'read',
    ...{ model, rules: readRules(ports.clock.now()).join('\n'), messages, schema: answers, signal: work.signal },
    answerTokens: ANSWER_TOKENS,
  });
  if (!answer) return undefined;
  const notes = answer.findings.slice(0, assignment.most_findings * 2);
  const proposedNotes = notes.map(({ statement, citations, computed, figures }) => ({
    ...{ text: statement, quotes: citations, formulas: computed, figures: figures.map(withTexts) },
  }));
  const located = await locateNotes(run, batch, proposedNotes);
  const callNotes = notes.map((note, at): CallNotes => {
    const { citations = [], figures = [], unfounded = [], fault } = located[at] ?? {};
    const cited = new Set(citations.map(({ document }) => document));
    const text = cleanedStatement(
      note.statement,
      batch.filter(({ document }) => cited.has(document)),
    );
    if (text === '' || citations.length === 0) {
      return { proposed: [], refusals: [{ refused: 'statement', text: note.statement, reason: 'no_citation' }] };
    }
    const formulas = note.computed.slice(0, MAX_FORMULAS);
    const proposed: ProposedFinding[] = [
      {
        text,
        is_quote: false,
        checked_by: null,
        citations,
        sub_question: questions.find(({ sub_question }) => sub_question === note.sub_question)?.sub_question ?? 1,
        topics: [...new Set(note.topics.flatMap((nth) => topics[nth - 1] ?? []))],
        score: scoreOf(note.importance, [...cited], batch),
        ...definedFields({ unfounded: fault }),
        ...(formulas.length > 0 ? { formulas } : {}),
        ...(figures.length > 0 ? { figures } : {}),
      },
    ];
    const refusals = unfounded.map((figure): Refusal => ({ refused: 'figure', text: figure, reason: 'figure' }));
    return { proposed, refusals };
  });
  return {
    proposed: callNotes.flatMap(({ proposed }) => proposed),
    refusals: callNotes.flatMap(({ refusals }) => refusals),
  };
}

type AnsweredFigure = v.InferOutput<typeof answers>['findings'][number]['figures'][number];

const withTexts = ({ label, value, unit, scale, period, when }: AnsweredFigure) => ({
  ...{ label, value, unit: unit ?? '', scale: scale ?? 1, period: period ?? '', when: when ?? '' },
});

function scoreOf(importance: number, documents: readonly number[], batch: readonly ChosenDocument[]): number {
  const weight = Math.min(MAX_IMPORTANCE, Math.max(1, importance)) / MAX_IMPORTANCE;
  const relevance = Math.max(
    ...documents.map((number) => batch.find(({ document }) => document === number)?.relevance ?? 0),
  );
  return Math.round(1_000 * weight * (0.4 + 0.6 * relevance)) / 1_000;
}

/** Of less than this share of the best sentence's score: about something else. */
const LEAST_SHARE_OF_BEST = 0.25;

/** Without an answer of a language model: the sentences of each document that are nearest to each part of the question. */
async function readQuotes({ state, run, batch }: ReadRequest): Promise<ProposedFinding[]> {
  const { analysis } = run.request;
  const parts = state.plan.subQuestions;
  const queries = parts.map(({ text }) => text);
  // Sentences of a later batch are worth as much as beside the best document of each part, which was read before.
  const documents = [...batch, ...bestBefore(state, batch)];
  const sentences = await run.applyRule('bestSentences', { queries, documents, limit: analysis.ofDocument });
  const best = new Map<string, FoundSentence>();
  for (const sentence of (sentences ?? []).filter(({ relevance }) => relevance >= LEAST_SHARE_OF_BEST)) {
    const key = JSON.stringify([sentence.document, sentence.text]);
    if (sentence.relevance > (best.get(key)?.relevance ?? 0)) best.set(key, sentence);
  }
  return [...best.values()].flatMap(({ document: at, query, text, relevance }): ProposedFinding[] => {
    const document = batch[at];
    if (!document) return [];
    const score = Math.round(1_000 * relevance * (0.4 + 0.6 * document.relevance)) / 1_000;
    const citations = [{ document: document.document, quote: text }];
    const part = parts[query]?.sub_question ?? 1;
    return [{ text, is_quote: true, checked_by: 'code', citations, sub_question: part, topics: [], score }];
  });
}

/** The document of the best finding of each part, unless it is in the batch. */
function bestBefore({ plan, findings, documents }: NotedState, batch: readonly ChosenDocument[]): ChosenDocument[] {
  const best = plan.subQuestions.map(({ sub_question: part }) =>
    findings.find((finding) => finding.sub_question === part),
  );
  const numbers = new Set(best.map((finding) => finding?.citations[0]?.document));
  return documents.filter((document) => numbers.has(document.document) && !batch.includes(document));
}

const NOT_ASKED: ModelReading = { proposed: undefined, refusals: [], failures: [] };

async function readBatch(state: NotedState, run: StageRun, documents: readonly ChosenDocument[]): Promise<NotedState> {
  const numbers = new Set(documents.map(({ document }) => document));
  const opened = await openPages(state, run, documents);
  const batch = opened.documents.filter(({ document }) => numbers.has(document));
  return keepStateOnFailure(opened, () => noteBatch(opened, run, batch));
}

/** What the calls have noted that succeeded is kept if another one fails. */
async function noteBatch(state: NotedState, run: StageRun, batch: readonly ChosenDocument[]): Promise<NotedState> {
  const { ports, request, activity } = run;
  const model = await mainModel(run);
  const now = ports.clock.now();
  const readRequest = { state, run, batch };
  const { proposed: byModel, refusals, failures } = model ? await readByModel({ ...readRequest, model }) : NOT_ASKED;
  const proposed = byModel ?? (await readQuotes(readRequest));
  reportRefusals(activity, refusals);
  for (const { text, citations } of proposed)
    activity.record({ kind: 'note', text, documents: citations.map(({ document }) => document) });
  const cited = new Set(proposed.flatMap(({ citations }) => citations.map(({ document }) => document)));
  const isRead = (document: ChosenDocument) =>
    !isLeftOut(document) && (failures.length === 0 || cited.has(document.document));
  const readDocuments = batch.filter(isRead).map((document) => toReadDocument(document, now));
  const { findings, beyond } = mergeProposed(state.findings, proposed, request);
  const noted: NotedState = {
    ...withDocuments(state, readDocuments),
    findings,
    leftOut: withFindings(state.leftOut, beyond),
    refused: countRefusals(state.refused, refusals),
  };
  if (failures.length === 0) return noted;
  throw new StageCutShort(noted, failures.find((error) => error instanceof TaskFailure) ?? failures[0]);
}

/** Counts findings beyond the depth of the analysis, if there are any. */
const withFindings = (leftOut: LeftOutCounts, beyond: number): LeftOutCounts =>
  beyond === 0 ? leftOut : { ...leftOut, findings: (leftOut.findings ?? 0) + beyond };
