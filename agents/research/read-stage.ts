/** Reads one batch of the chosen documents and stores what they say. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { isOffline, OFFLINE } from '../../engines/models/offline.ts';
import { headingsOf, NEEDS_PREVIOUS, type QuoteUnit, readUnits } from '../../engines/retrieval/passages.ts';
import { STORED_FILES, WEB_SEARCH } from '../../shared/agents/agent-input.ts';
import { isInScope, scopeOf } from '../../shared/agents/research-input.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { type Stage, TaskFailure, type Work } from '../../shared/tasks/agent.ts';
import { readRules } from '../prompts/research.ts';
import { checkedFigures, proposedFigures } from './claims/check-claim.ts';
import { isLaidOut } from './claims/quote-context.ts';
import { computedFigures } from './claims/verify.ts';
import { checkNotes } from './claims/written-sentences.ts';
import { citedQuotes, cleaned, evidenceOf, heldCitations, type Proposed, takeIn, throwOut } from './findings.ts';
import { markCovered } from './plan-stage.ts';
import {
  closestPart,
  corpusOf,
  countIn,
  fitOf,
  isOpenQuestion,
  measuresOf,
  namelessFor,
  type Pace,
  PRESENT,
  pacer,
  type Search,
  searchFor,
  sectionOf,
  type TermCounts,
  type Topic,
  topicOf,
} from './search.ts';
import { markRead } from './snapshots.ts';
import { ask, checkpoint, keepingRest, type ResearchSetting, resume } from './stages.ts';
import type { Chosen, Deliverable, ResearchCitation, ResearchRequest, ResearchState } from './state.ts';

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
      sub_question: v.optional(v.number()),
      topics: v.array(v.number()),
      citations: v.array(v.object({ document: v.number(), quote: v.string() })),
      computed: v.optional(v.array(v.string())),
      figures: v.optional(proposedFigures),
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

/** A sentence that can be understood by itself, and how well it matches the question. */
type Sentence = { text: string; heading: string; score: number; hasTerm: boolean };

const SHORTEST = 30;
const LONGEST = 450;
/** Rows and labels are no sentences: what the question asks of them is shown as a table. */
const KINDS: Partial<Record<QuoteUnit['block']['kind'], number>> = { prose: 1, item: 0.9 };
const FIGURE = /\d/;
/** The weight of words that are in the title but not in the sentence, and of those in the heading of its section. */
const FROM_TITLE = 0.3;
const FROM_SECTION = PRESENT;

type Corpus = ReturnType<typeof corpusOf>;

/** What tells its reader to forget what it was asked says nothing of a subject. */
const ORDERS =
  /(?<!\p{L})(?:ignore|disregard|forget|ignoriere?n?|vergiss|vergessen|ignore[rz]|oublie[rz]?|ignora|olvida|dimentica)\s+(?:\p{L}+\s+){0,3}(?:instructions?|prompts?|anweisung(?:en)?|instrucciones|istruzioni)(?!\p{L})/iu;

/** Returns the best sentences first. */
function sentencesOf({ title, text }: Pick<Chosen, 'title' | 'text'>, corpus: Corpus): Sentence[] {
  const { lexicon } = corpus.search;
  const whole = text.normalize('NFC');
  const sentences = readUnits(0, [{ source: '', place: '', text: whole }], 'en').flatMap((unit) => {
    const { block } = unit;
    const kind = isLaidOut(whole.slice(block.start, block.end)) ? undefined : KINDS[block.kind];
    const words = textOf(unit);
    const isWhole =
      words.length >= SHORTEST &&
      words.length <= LONGEST &&
      words !== title &&
      !words.endsWith(':') &&
      !ORDERS.test(words);
    if (kind === undefined || !isWhole) return [];
    const own = countIn(words, lexicon);
    const headings = headingsOf(block);
    const heading = sectionOf(headings);
    const inSection = withMore(own, countIn(heading, lexicon), FROM_SECTION);
    const above = countIn([title, ...headings].join('\n'), lexicon);
    const { score, coverage, present } = fitOf({ ...own, ...withMore(inSection, above, FROM_TITLE) }, corpus);
    const shape = (FIGURE.test(words) ? 1.15 : 1) * (words.endsWith('?') ? 0.5 : 1) * (unit.nth === 0 ? 1.1 : 1);
    const hasTerm = present > 0;
    return [{ text: words, heading, score: score * (0.4 + 0.6 * coverage) * kind * shape, hasTerm }];
  });
  // With equal scores, the first sentence comes first.
  return sentences.sort((a, b) => b.score - a.score);
}

type Counts = Pick<TermCounts, 'counts' | 'best'>;

/** Adds the terms that stand above a sentence and not in it. */
function withMore({ counts, best }: Counts, above: TermCounts, share: number): Counts {
  const own = { counts: new Map(counts), best: new Map(best) };
  for (const [term, weight] of above.best) {
    if (counts.has(term)) continue;
    own.counts.set(term, share * weight);
    own.best.set(term, share * weight);
  }
  return own;
}

/**
 * Matches sentences such as `Halden Bay has it at two of seven berths.`, which refer to something named a sentence or
 * two before.
 */
const HANGS = /\b(?:has|have|had) (?:it|them)\b/iu;

/**
 * Adds the previous sentence if the text begins with a word that refers to it, or the previous two if `HANGS` matches.
 */
function textOf({ text, sentences, nth }: QuoteUnit): string {
  const back = NEEDS_PREVIOUS.test(text) || text.length < SHORTEST ? 1 : HANGS.test(text) ? 2 : 0;
  const whole = [...sentences.slice(Math.max(0, nth - back), nth), text].join(' ');
  return whole.length <= LONGEST ? whole : text;
}

/** A sentence far below the best one of its document is about something else. */
const MIN_SHARE_OF_BEST = 0.35;
const MIN_FOR_TOPIC = 0.2;
const EACH_TOPIC = 2;
const TOPIC_BONUS = 0.1;
const WORDS_OF_SENTENCE = 25;

type OfflineReading = { known: ResearchState; batch: readonly Chosen[]; pace: Pace };

/** What the offline model takes from documents: the sentences that match the question best, and those of each topic. */
async function readOffline(wish: ResearchRequest, { known, batch, pace }: OfflineReading): Promise<Proposed[]> {
  const search = searchFor({ ...wish, queries: known.plan?.queries ?? [] });
  const counts: TermCounts[] = [];
  for (const { title, text } of known.documents) {
    await pace(text.length);
    counts.push(countIn(`${title}\n${text}`, search.lexicon));
  }
  const topics = wish.deliverables.filter(({ kind }) => kind === 'topic').map((one: Deliverable) => topicOf(one));
  // Scored with the average length of sentences; compared with whole documents, all of them would be short.
  const corpus = { ...corpusOf(counts, search), averageWords: WORDS_OF_SENTENCE };
  const closest = closestPart((known.plan?.subQuestions ?? []).map(({ text }) => text));
  const proposed: Proposed[] = [];
  for (const document of batch) {
    await pace(document.text.length);
    // A provider found its hits for the question; a caller's file is asked each part of it.
    proposed.push(
      ...(document.source === STORED_FILES
        ? await readOwnFile(document, { wish, topics, known, pace })
        : chosenIn(document, sentencesOf(document, corpus), { wish, topics, partOf: closest })),
    );
  }
  return proposed;
}

type OwnFile = { wish: ResearchRequest; topics: Topic[]; known: ResearchState; pace: Pace };

/** What a file says to each part of the question. A sentence belongs to the part that it fits best. */
async function readOwnFile(document: Chosen, { wish, topics, known, pace }: OwnFile): Promise<Proposed[]> {
  const best = new Map<string, { part: number; share: number; sentence: Sentence }>();
  const all = new Map<string, Sentence>();
  for (const { text, sub_question: part } of known.plan?.subQuestions ?? []) {
    await pace(document.text.length);
    const sentences = sentencesFor(text, document);
    for (const sentence of sentences.all) all.set(sentence.text, sentence);
    for (const sentence of sentences.fitting.slice(0, wish.analysis.ofDocument)) {
      const share = sentence.score / (sentences.fitting[0]?.score || 1);
      if (share >= MIN_SHARE_OF_BEST && share > (best.get(sentence.text)?.share ?? 0))
        best.set(sentence.text, { part, share, sentence });
    }
  }
  const chosen = [...best.values()].map(({ share, sentence }) => ({ ...sentence, score: share }));
  const ofTopics = [...all.values()]
    .filter(
      ({ text, heading, hasTerm }) => !best.has(text) && topics.some(({ fits }) => fits(hasTerm ? text : '', heading)),
    )
    .map((sentence) => ({ ...sentence, score: MIN_FOR_TOPIC }));
  const partOf = (text: string) => best.get(text)?.part ?? 1;
  return chosenIn(document, [...chosen, ...ofTopics], { wish, topics, partOf, most: chosen.length });
}

/** The sentences of a file, and those that a question asks for, the best first: of an open question, as they stand. */
function sentencesFor(question: string, document: Chosen): { all: Sentence[]; fitting: Sentence[] } {
  const search = searchFor({ query: question, places: [], queries: [] });
  const counts = [countIn(document.text, search.lexicon)];
  const found = sentencesOf(document, { ...corpusOf(counts, search), averageWords: WORDS_OF_SENTENCE });
  const isNameless = namelessFor(question);
  const all = found
    .map((one) => (isNameless(one.text) ? { ...one, score: one.score / 2 } : one))
    .sort((a, b) => b.score - a.score);
  const isMeasure = measuresOf(question);
  const tells = ({ text, heading }: Sentence) => isMeasure?.(text) === true || isMeasure?.(heading) === true;
  const most = all[0]?.score || 1;
  const fitting = all.filter((one) => one.hasTerm || tells(one));
  const isNamed = fitting.length === 0 && isNamedBy(document, search);
  if (!isOpenQuestion(question) && !isNamed) {
    return { all, fitting: fitting.map((one) => (tells(one) ? { ...one, score: Math.max(one.score, most) } : one)) };
  }
  const inOrder = all
    .filter((one) => (isMeasure ? tells(one) : true))
    .toSorted((a, b) => document.text.indexOf(a.text) - document.text.indexOf(b.text));
  return { all, fitting: inOrder.map((one, at) => ({ ...one, score: 1 - at / (2 * inOrder.length) })) };
}

/** `What does the amendment change?` asks for all of the document that has this title. */
function isNamedBy({ title, text }: Chosen, { lexicon, main }: Search): boolean {
  const { best } = countIn(`${title}\n${text.trimStart().slice(0, LONGEST).split('\n', 1)[0]}`, lexicon);
  return [...main].every((term) => (best.get(term) ?? 0) >= PRESENT);
}

type Choosing = { wish: ResearchRequest; topics: Topic[]; partOf(text: string): number; most?: number };

function chosenIn(document: Chosen, sentences: Sentence[], { wish, topics, partOf, most }: Choosing): Proposed[] {
  const best = Math.max(0, ...sentences.map(({ score }) => score));
  const chosen = new Map<Sentence, string[]>();
  for (const sentence of sentences.slice(0, most ?? wish.analysis.ofDocument)) {
    if (sentence.score > 0 && sentence.score >= MIN_SHARE_OF_BEST * best) chosen.set(sentence, []);
  }
  const fitting = sentences.filter(({ score }) => score >= MIN_FOR_TOPIC * best);
  for (const { title, fits } of topics) {
    const ofTopic = fitting
      .map((sentence) => ({ sentence, fit: fits(sentence.text, sentence.heading) }))
      .filter(({ fit }) => fit > 0)
      .sort((a, b) => b.fit * b.sentence.score - a.fit * a.sentence.score)
      .slice(0, EACH_TOPIC);
    for (const { sentence } of ofTopic) chosen.set(sentence, [...(chosen.get(sentence) ?? []), title]);
  }
  return [...chosen].map(
    ([{ text, score }, belongs]): Proposed => ({
      text,
      is_quote: true,
      checked_by: 'code',
      citations: [{ document: document.document, quote: text }],
      sub_question: partOf(text),
      topics: belongs,
      score: rounded(
        ((0.4 + 0.6 * document.relevance) * score) / (best || 1) + TOPIC_BONUS * Math.min(1, belongs.length),
      ),
    }),
  );
}

const rounded = (score: number): number => Math.round(1_000 * score) / 1_000;

const BEFORE = ['planning', 'gathering', 'ranking'];

type Batch = { from: number; to: number; isLast: boolean };

/** Without a batch, all documents are read that a further round has chosen. */
export const readStage = (setting: ResearchSetting, batch?: Batch): Stage => ({
  name: 'reading',
  mayRepeat: isOffline(setting.input.model),
  async run(work, carried) {
    const { address, signal } = work;
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
    await markCovered(known, { from, pace: pacer(signal) });
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
  const request = { wish, known, batch, model, now: ports.clock.now() };
  const isByModel = model.provider !== OFFLINE;
  const { proposed: byModel, failures } = isByModel ? await readByModel(request, signal) : NOT_ASKED;
  // Without a usable answer of the model, the offline reader takes over.
  const proposed = byModel ?? (await readOffline(wish, { known, batch, pace: pacer(signal) }));
  takeIn(known, proposed, wish);
  for (const { text, citations } of proposed)
    known.activity.tell({ kind: 'note', text, documents: citations.map(({ document }) => document) });
  const cited = new Set(proposed.flatMap(({ citations }) => citations.map(({ document }) => document)));
  const isRead = (one: Chosen) => !isLeftOut(one) && (failures.length === 0 || cited.has(one.document));
  for (const document of batch) if (isRead(document)) markRead(document, request.now);
  if (failures.length > 0) throw failures.find((error) => error instanceof TaskFailure) ?? failures[0];
}
