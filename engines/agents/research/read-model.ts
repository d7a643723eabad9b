/** Puts documents to a language model, a batch at a time, and keeps of its statements those whose quotes are there. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { ask, MATERIAL } from './ask.ts';
import { cleaned, heldCitations, isSupported } from './check-statement.ts';
import { evidenceOf } from './evidence.ts';
import type { Proposed } from './proposed.ts';
import type { Chosen, ResearchState } from './state.ts';
import type { ResearchRequest } from './wish.ts';

const ANSWER_TOKENS = 6_000;
const MOST_TEXT = 16_000;
/** Of a statement's telling words, how many its documents must have. */
const LEAST_SUPPORT = 0.5;
const MOST_IMPORTANCE = 5;

const answers = v.object({
  findings: v.array(
    v.object({
      statement: v.string(),
      importance: v.number(),
      topics: v.array(v.number()),
      citations: v.array(v.object({ document: v.number(), quote: v.string() })),
    }),
  ),
});

const RULES = [
  'You read documents for a research and note what they say about its question. Nobody can answer questions.',
  'Each finding is one sentence of your own that rests on the documents alone; leave out what they do not say.',
  '"citations" are the passages it rests on: the document\'s number, and a "quote" copied from its text word for word, 4 to 60 words.',
  '"importance" is 1 to 5 for the question; "topics" are the numbers of the topics it belongs to, or none.',
  MATERIAL,
  'Answer with JSON of this form: {"findings": [{"statement": "...", "importance": 3, "topics": [1], "citations": [{"document": 1, "quote": "..."}]}]}.',
].join('\n');

type Asked = { wish: ResearchRequest; known: ResearchState; batch: readonly Chosen[]; model: LanguageModelV4 };

/** Undefined = the model gave no answer that could be used. */
export async function readByModel(asked: Asked, signal: AbortSignal): Promise<Proposed[] | undefined> {
  const { wish, known, batch, model } = asked;
  const topics = wish.deliverables.filter(({ kind }) => kind === 'topic').map(({ title }) => title);
  const wished = {
    question: wish.query,
    kind: wish.researchType,
    places: wish.scope,
    topics: Object.fromEntries(topics.map((title, at) => [at + 1, title])),
    most_findings: batch.length * (wish.analysis.ofDocument + topics.length),
  };
  const documents = batch.map(({ document, source, title, published_at: at, text }) => ({
    document,
    source,
    title,
    published_at: at,
    text: text.slice(0, MOST_TEXT),
  }));
  const messages = [`What is wished:\n${JSON.stringify(wished)}`, `The documents:\n${JSON.stringify(documents)}`];
  const answer = await ask(known, {
    ...{ model, rules: RULES, messages, schema: answers, signal },
    answerTokens: ANSWER_TOKENS,
  });
  const evidence = evidenceOf(batch);
  return answer?.findings.slice(0, wished.most_findings * 2).flatMap((one) => {
    const citations = heldCitations(one.citations, evidence);
    const cited = citations.flatMap(({ document }) => evidence.get(document) ?? []);
    const text = cleaned(one.statement, cited);
    if (text === '' || citations.length === 0 || !isSupported(text, cited, LEAST_SUPPORT)) {
      known.thrownOut++;
      return [];
    }
    const belongs = [...new Set(one.topics.flatMap((nth) => topics[nth - 1] ?? []))];
    return [{ text, is_quote: false, citations, topics: belongs, score: scoreOf(one.importance, citations, batch) }];
  });
}

function scoreOf(importance: number, citations: Proposed['citations'], batch: readonly Chosen[]): number {
  const weight = Math.min(MOST_IMPORTANCE, Math.max(1, importance)) / MOST_IMPORTANCE;
  const relevance = Math.max(
    ...citations.map(({ document }) => batch.find((one) => one.document === document)?.relevance ?? 0),
  );
  return Math.round(1_000 * weight * (0.4 + 0.6 * relevance)) / 1_000;
}
