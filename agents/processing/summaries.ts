/** Summaries: the main points of a document and of all together, each with the words that it rests on. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import type { DocumentPart } from '../../engines/documents/document.ts';
import type { SummaryLength } from '../../shared/agents/processing-input.ts';
import type { SummaryPoint } from '../../shared/agents/results/processing.ts';
import type { ApplyRule } from '../apply-rule.ts';
import { documentOutline, summaryRules } from '../prompts/processing.ts';
import { type AnswerCounts, countedAnswer } from '../structured-answer.ts';
import { textChunks } from '../text-chunks.ts';
import { secondLook } from '../verification/second-look.ts';
import type { Statement } from '../verification/statement-verdict.ts';
import { POINTS } from './summary-points.ts';

const MAX_TEXT = 600;
const MAX_QUOTE = 300;

const MAX_CALLS = 8;
const ANSWER_TOKENS = 4_000;

const answerSchema = v.object({ points: v.array(v.object({ text: v.string(), quote: v.string() })) });

export type ModelRequest = {
  model: LanguageModelV4;
  /** The model with the role of the second look, if the organization has one. */
  verifier?: LanguageModelV4 | undefined;
  document: number;
  name: string;
  now: number;
  /** What a person sees of the document. */
  parts: readonly DocumentPart[];
  applyRule: ApplyRule;
  signal: AbortSignal;
};

/** Points of a model, without those whose quote does not stand in the document or does not support them. */
export async function summarizeByModel(
  request: ModelRequest & { length: SummaryLength },
): Promise<{ summary: SummaryPoint[] } & AnswerCounts> {
  const { model, name, now, parts, signal, length } = request;
  const counts = { calls: 0, unusable: 0 };
  const chunks = textChunks(parts).slice(0, MAX_CALLS);
  const pointsPerChunk = Math.ceil(POINTS[length] / Math.max(1, chunks.length));
  const quotedCandidates: SummaryPoint[] = [];
  for (const chunk of chunks) {
    const messages = [
      `Give at most ${pointsPerChunk} points of the document ${JSON.stringify(name)}. Its outline:\n${documentOutline(parts)}\n${chunk}`,
    ];
    const answer = await countedAnswer(counts, {
      model,
      rules: summaryRules(now).join('\n'),
      messages,
      schema: answerSchema,
      answerTokens: ANSWER_TOKENS,
      signal,
    });
    quotedCandidates.push(...(await quotedPoints(request, answer?.points ?? [])).slice(0, pointsPerChunk));
  }
  const supported = await supportedStatements(request, quotedCandidates, counts);
  const count = Math.min(POINTS[length], supported.length);
  return { summary: evenlySpread(supported, count), ...counts };
}

type PlacedQuote = { place: string; quote: string };

/** Each quote in the document's own words; undefined if it does not stand there, or is too long. */
export async function locateCitedQuotes(
  { parts, applyRule }: Pick<ModelRequest, 'parts' | 'applyRule'>,
  cited: readonly string[],
): Promise<(PlacedQuote | undefined)[]> {
  const quotes = cited.map((quote) => (quote.length > MAX_QUOTE ? '' : quote));
  const locations = quotes.length === 0 ? [] : ((await applyRule('locateQuotes', { parts, quotes })) ?? []);
  return cited.map((_, at) => {
    const location = locations[at];
    const part = location && parts[location.part];
    if (!location || !part) return undefined;
    // With an ellipsis the passage may be longer than what the model quoted of it.
    const end = Math.min(location.to, location.from + MAX_QUOTE);
    return { place: part.label, quote: part.text.slice(location.from, end).toWellFormed() };
  });
}

/** The statements that a second look confirms, which sees statement and quote alone. */
export async function supportedStatements<T extends { text: string; quote: string; place: string }>(
  { model, verifier, name, now, signal }: Pick<ModelRequest, 'model' | 'verifier' | 'name' | 'now' | 'signal'>,
  statements: readonly T[],
  counts: AnswerCounts,
): Promise<T[]> {
  const statementsToCheck = statements.map(
    ({ text, quote, place }): Statement => ({
      claim: { text },
      quotes: [{ source: `${name}, ${place}`, text: quote }],
    }),
  );
  const verdicts = await secondLook(counts, { model: verifier ?? model, now, signal }, statementsToCheck);
  return statements.filter((_, at) => verdicts[at]?.verdict === 'supported');
}

async function quotedPoints(
  request: ModelRequest,
  points: readonly { text: string; quote: string }[],
): Promise<SummaryPoint[]> {
  const quotes = points.map(({ quote }) => quote);
  const locatedQuotes = await locateCitedQuotes(request, quotes);
  return points.flatMap(({ text }, at): SummaryPoint[] => {
    const located = locatedQuotes[at];
    const figures = new Set<string>(located?.quote.match(/\d+/g));
    const hasFigures = Array.from(text.matchAll(/\d+/g), ([figure]) => figure).every((figure) => figures.has(figure));
    if (!located || !hasFigures || text.trim() === '') return [];
    return [{ text: text.trim().slice(0, MAX_TEXT), is_quote: false, document: request.document, ...located }];
  });
}

/** A long document gives a point or two for each stretch: takes some of all of it. */
const evenlySpread = <T>(items: readonly T[], count: number): T[] =>
  items.filter((_, at) => Math.floor(((at + 1) * count) / items.length) > Math.floor((at * count) / items.length));
