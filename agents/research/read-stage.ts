/** Reads one batch of the chosen documents and stores what they say. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import type { FoundSentence } from '../../engines/retrieval/search.ts';
import { WEB_SEARCH } from '../../shared/agents/agent-input.ts';
import { isInScope, scopeOf } from '../../shared/agents/research-input.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { type Stage, TaskFailure, type Work } from '../../shared/tasks/agent.ts';
import { readRules } from '../prompts/research.ts';
import { type ApplyRule, ruleApplier } from '../text-work.ts';
import { checkedFigures, proposedFigures } from './claims/check-claim.ts';
import { computedFigures } from './claims/verify.ts';
import { checkNotes } from './claims/written-sentences.ts';
import { citedQuotes, cleaned, evidenceOf, heldCitations, type Proposed, takeIn, throwOut } from './findings.ts';
import { markCovered } from './plan-stage.ts';
import { MIN_SHARE_OF_BEST } from './rank-stage.ts';
import { closestPart } from './search.ts';
import { markRead } from './snapshots.ts';
import { ask, checkpoint, keepingRest, type ResearchSetting, resume } from './stages.ts';
import type { Chosen, ResearchCitation, ResearchRequest, ResearchState } from './state.ts';

const ANSWER_TOKENS = 6_000;
/** A model gets long documents in passages of this length, and at most so many of them in one call. */
const PASSAGE = 16_000;
const PASSAGES_OF_CALL = 5;
const MAX_IMPORTANCE = 5;

const answers = v.object({
  findings: v.array(
    v.object({
      statement: v.string(),
      importance: v.number(),
      sub_question: v.nullish(v.number(), 0),
      topics: v.array(v.number()),
      citations: v.array(v.object({ document: v.number(), quote: v.string() })),
      computed: v.nullish(v.array(v.string()), []),
      figures: v.nullish(proposedFigures, []),
    }),
  ),
});

type ReadRequest = {
  wish: ResearchRequest;
  known: ResearchState;
  batch: readonly Chosen[];
  model: LanguageModelV4;
  now: number;
};

type Passage = { document: Chosen; text: string };

/** Splits a text at ends of lines where it can, so that a document is read to its end. */
function passagesOf(document: Chosen): Passage[] {
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

type Answered = { proposed: Proposed[] | undefined; failures: unknown[] };

/** Puts the documents to a language model. What it proposes is undefined if it gave no usable answer at all. */
async function readByModel(request: ReadRequest, signal: AbortSignal): Promise<Answered> {
  const passages = request.batch.flatMap(passagesOf);
  const calls = Array.from({ length: Math.ceil(passages.length / PASSAGES_OF_CALL) }, (_, at) =>
    passages.slice(at * PASSAGES_OF_CALL, (at + 1) * PASSAGES_OF_CALL),
  );
  // What one call read is kept, however another one ends.
  const ended = await Promise.allSettled(calls.map((own) => readPassages(request, own, signal)));
  const answers = ended.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : []));
  const failures = [
    ...ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])),
    ...answers.flatMap(({ failures }) => failures),
  ];
  const isAnswered = answers.length > 0 || calls.length === 0 || failures.length > 0;
  return { proposed: isAnswered ? answers.flatMap(({ proposed }) => proposed ?? []) : undefined, failures };
}

/**
 * Puts passages to a language model and keeps the statements whose quotes are verified. Returns undefined
 * if the model gave no usable answer.
 */
async function readPassages(
  request: ReadRequest,
  passages: readonly Passage[],
  signal: AbortSignal,
): Promise<Answered | undefined> {
  const { wish, known, model, now } = request;
  const batch = [...new Set(passages.map(({ document }) => document))];
  const topics = wish.deliverables.filter(({ kind }) => kind === 'topic').map(({ title }) => title);
  const questions = (known.plan?.subQuestions ?? []).map(({ text }) => text);
  const closest = closestPart(questions);
  const wished = {
    question: wish.query,
    kind: wish.researchType,
    places: wish.scope,
    ...(questions.length > 1 ? { sub_questions: Object.fromEntries(questions.map((text, at) => [at + 1, text])) } : {}),
    topics: Object.fromEntries(topics.map((title, at) => [at + 1, title])),
    most_findings: passages.length * (wish.analysis.ofDocument + topics.length),
  };
  const documents = passages.map(({ document: { document, source, title, published_at: at }, text }) => ({
    document,
    source,
    title,
    published_at: at,
    text,
  }));
  const messages = [`What is wished:\n${JSON.stringify(wished)}`, `The documents:\n${JSON.stringify(documents)}`];
  const answer = await ask(known, {
    role: 'read',
    ...{ model, rules: readRules(now).join('\n'), messages, schema: answers, signal },
    answerTokens: ANSWER_TOKENS,
  });
  if (!answer) return undefined;
  const evidence = evidenceOf(batch);
  const cited = answer.findings.slice(0, wished.most_findings * 2).flatMap((one) => {
    const citations = heldCitations(one.citations, evidence);
    const text = cleaned(
      one.statement,
      citations.flatMap(({ document }) => evidence.get(document) ?? []),
    );
    if (text !== '' && citations.length > 0) return [{ ...one, text, citations }];
    throwOut(known, 'no_citation', one.statement);
    return [];
  });
  const claims = cited.map(({ text, citations, computed = [] }) => {
    const quotes = citedQuotes(citations, evidence);
    return { text, evidence: quotes, computed: computedFigures(computed, quotes) };
  });
  const { checked, failures } = await checkNotes(claims, { known, evidence, model, now, signal });
  const proposed = cited.flatMap(
    ({ text, citations, importance, topics: own, sub_question: part = 0, figures = [] }, at): Proposed[] => {
      const result = checked[at] ?? { objection: 'unchecked' };
      const belongs = [...new Set(own.flatMap((nth) => topics[nth - 1] ?? []))];
      const score = scoreOf(importance, citations, batch);
      const base = { citations, sub_question: questions[part - 1] ? part : closest(text), topics: belongs, score };
      if ('text' in result) {
        const { computed = [], evidence: quotes = [] } = claims[at] ?? {};
        const shown = computed.length > 0 ? { computed } : {};
        const noted = notedFigures(known, { statement: result.text, figures, quotes });
        return [{ ...base, ...result, is_quote: false, ...shown, ...noted }];
      }
      throwOut(known, result.objection, text);
      // Without a verifier, the quotes of the statement are all that can be published of it.
      return result.objection === 'unchecked' ? citations.map((one) => quoteFinding(one, base)) : [];
    },
  );
  return { proposed, failures };
}

/** Counts the figures that no quote has, as events show them. */
function notedFigures(known: ResearchState, note: Parameters<typeof checkedFigures>[0]): Pick<Proposed, 'figures'> {
  const { figures, rejected } = checkedFigures(note);
  for (const one of rejected) known.activity.tell({ kind: 'claim_rejected', ...one });
  if (rejected.length > 0) known.figuresThrownOut = (known.figuresThrownOut ?? 0) + rejected.length;
  return figures.length > 0 ? { figures } : {};
}

const quoteFinding = (
  citation: ResearchCitation,
  base: Pick<Proposed, 'sub_question' | 'topics' | 'score'>,
): Proposed => ({
  ...base,
  text: citation.quote,
  is_quote: true,
  checked_by: 'code',
  citations: [citation],
});

function scoreOf(importance: number, citations: Proposed['citations'], batch: readonly Chosen[]): number {
  const weight = Math.min(MAX_IMPORTANCE, Math.max(1, importance)) / MAX_IMPORTANCE;
  const relevance = Math.max(
    ...citations.map(({ document }) => batch.find((one) => one.document === document)?.relevance ?? 0),
  );
  return Math.round(1_000 * weight * (0.4 + 0.6 * relevance)) / 1_000;
}

type QuoteReading = { known: ResearchState; batch: readonly Chosen[]; applyRule: ApplyRule };

/** Without an answer of a language model: the sentences of each document that are nearest to each part of the question. */
async function readQuotes({ analysis }: ResearchRequest, reading: QuoteReading): Promise<Proposed[]> {
  const { known, batch, applyRule } = reading;
  const parts = known.plan?.subQuestions ?? [];
  const queries = parts.map(({ text }) => text);
  // Sentences of a later batch are worth as much as beside the best document of each part, which was read before.
  const documents = [...batch, ...bestBefore(known, batch)];
  const found = await applyRule('bestSentences', { queries, documents, limit: analysis.ofDocument });
  const best = new Map<string, FoundSentence>();
  for (const sentence of (found ?? []).filter(({ relevance }) => relevance >= MIN_SHARE_OF_BEST)) {
    const key = JSON.stringify([sentence.document, sentence.text]);
    if (sentence.relevance > (best.get(key)?.relevance ?? 0)) best.set(key, sentence);
  }
  return [...best.values()].flatMap(({ document: at, query, text, relevance }): Proposed[] => {
    const document = batch[at];
    if (!document) return [];
    const score = Math.round(1_000 * relevance * (0.4 + 0.6 * document.relevance)) / 1_000;
    const citations = [{ document: document.document, quote: text }];
    const part = parts[query]?.sub_question ?? 1;
    return [{ text, is_quote: true, checked_by: 'code', citations, sub_question: part, topics: [], score }];
  });
}

/** The document of the best finding of each part, unless it is in the batch. */
function bestBefore({ plan, findings, documents }: ResearchState, batch: readonly Chosen[]): Chosen[] {
  const best = (plan?.subQuestions ?? []).map(({ sub_question: part }) =>
    findings.find((finding) => finding.sub_question === part),
  );
  const numbers = new Set(best.map((finding) => finding?.citations[0]?.document));
  return documents.filter((one) => numbers.has(one.document) && !batch.includes(one));
}

const BEFORE = ['planning', 'gathering', 'ranking'];

type Batch = { from: number; to: number; isLast: boolean };

/** Without a batch, all documents are read that a further round has chosen. */
export const readStage = (setting: ResearchSetting, batch?: Batch): Stage => ({
  name: 'reading',
  mayRepeat: !setting.wish.hasModel,
  async run(work, carried) {
    const { address } = work;
    const known = await resume(setting, carried);
    const documents = batch
      ? known.documents.slice(batch.from, batch.to)
      : known.documents.filter((one) => one.status === 'chosen' && !isLeftOut(one));
    const isLast = batch?.isLast ?? true;
    if (documents.length === 0 && !isLast) return carried;
    const reading = { known, batch: documents, work };
    const progress = { known, stages: BEFORE };
    if (documents.length > 0) await keepingRest(setting, work, { progress, run: () => readBatch(setting, reading) });
    const from = batch ? 1 : (documents[0]?.document ?? Number.POSITIVE_INFINITY);
    // Whether a quote answers a part of the question, only a model can tell.
    if (setting.wish.hasModel) markCovered(known, from);
    return checkpoint(setting, address, { known, stages: isLast ? [...BEFORE, 'reading'] : BEFORE });
  },
});

type Reading = { known: ResearchState; work: Work };

/** A text of at least this length is more than the teaser of a page. */
const MIN_WHOLE = 1_500;
/** As much as a source may deliver for an item. */
const MAX_PAGE = 60_000;

/** Its page was opened, and turned out to be of another domain or time than the request allows. */
const isLeftOut = ({ text_by: by, not_opened: reason }: Chosen): boolean => by === undefined && reason !== undefined;

/** Puts the text of the page in place of the teaser that the source delivered. */
async function openBehind({ ports, input }: ResearchSetting, document: Chosen, { known, work }: Reading) {
  if (document.previous) return;
  const { address, signal } = work;
  document.text_by = 'source';
  const { sample_data: isSample, source, figures, text, address: url } = document;
  // Samples are made up, and records of figures are whole.
  if (
    isSample ||
    figures.length > 0 ||
    (text.length >= MIN_WHOLE && source !== WEB_SEARCH) ||
    !url.startsWith('https://')
  )
    return;
  const { organization } = address;
  const page = await ports.openPage(url, { organization, signal, ownHosts: input.ownHosts ?? [] });
  if ('refused' in page) {
    known.work.pages_refused++;
    document.not_opened = page.explanation;
    return;
  }
  known.work.pages_opened++;
  if (page.isCached) known.work.pages_from_cache++;
  document.published_at ??= page.publishedAt ?? null;
  const publishedAt = document.published_at ?? undefined;
  if (!isInScope({ url: page.url, publishedAt }, scopeOf(input.asked, ports.clock.now()))) {
    known.outOfScope = (known.outOfScope ?? 0) + 1;
    document.not_opened = 'is outside of the domains or the time range of the request';
    document.text = '';
    delete document.text_by;
    return;
  }
  document.text = page.text.slice(0, MAX_PAGE).toWellFormed();
  document.text_by = 'page';
  if (page.url !== URL.parse(url)?.href) document.redirected_to = page.url;
  document.fetched_at = new Date(page.fetchedAt).toISOString();
}

function tellPage({ activity }: ResearchState, document: Chosen): void {
  const { address: url, title, text_by: by, not_opened: reason, redirected_to, previous } = document;
  if (previous) return;
  if (reason !== undefined) activity.tell({ kind: 'page_refused', url, title, reason });
  else if (by === 'page') activity.tell({ kind: 'page_opened', url, title, ...definedFields({ redirected_to }) });
}

const NOT_ASKED: Answered = { proposed: undefined, failures: [] };

async function readBatch(setting: ResearchSetting, reading: Reading & { batch: readonly Chosen[] }): Promise<void> {
  const { known, batch, work } = reading;
  const { ports, wish, input } = setting;
  const { signal } = work;
  await Promise.all(batch.map((one) => openBehind(setting, one, reading).then(() => tellPage(known, one))));
  const model = await ports.modelOf(input.model, work, input.asked.reasoning_effort);
  const now = ports.clock.now();
  const request = { wish, known, batch, now };
  const { proposed: byModel, failures } = model ? await readByModel({ ...request, model }, signal) : NOT_ASKED;
  const applyRule = ruleApplier(ports.documents, { organization: work.address.organization, signal });
  const proposed = byModel ?? (await readQuotes(wish, { known, batch, applyRule }));
  takeIn(known, proposed, wish);
  for (const { text, citations } of proposed)
    known.activity.tell({ kind: 'note', text, documents: citations.map(({ document }) => document) });
  const cited = new Set(proposed.flatMap(({ citations }) => citations.map(({ document }) => document)));
  const isRead = (one: Chosen) => !isLeftOut(one) && (failures.length === 0 || cited.has(one.document));
  for (const document of batch) if (isRead(document)) markRead(document, now);
  if (failures.length > 0) throw failures.find((error) => error instanceof TaskFailure) ?? failures[0];
}
