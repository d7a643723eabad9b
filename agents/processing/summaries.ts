/** Summaries: the main points of a document and of all together, each with the words that it rests on. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import type { DocumentPart } from '../../engines/documents/document.ts';
import { summarise } from '../../engines/models/extractive/summary.ts';
import type { SummaryLength } from '../../shared/agents/processing-input.ts';
import { outlineOf, statementRules, summaryRules } from '../prompts/processing.ts';
import { type AnswerCounts, countedAnswer } from '../runtime.ts';
import { secondLook, stretchesOf } from './record/ask-fields.ts';
import { findQuote } from './record/check-proposals.ts';

export type SummaryPoint = {
  text: string;
  /** False if a model wrote the text; the quote is always the document's own. */
  is_quote: boolean;
  document: number;
  place: string;
  quote: string;
};

const POINTS: Record<SummaryLength, number> = { short: 3, standard: 6, long: 12 };
const MAX_TEXT = 600;
const MAX_QUOTE = 300;

type Summarize = { document: number; length: SummaryLength };

/** Without a model: the most central sentences that a person sees. */
export function summarizeParts(parts: readonly DocumentPart[], { document, length }: Summarize): SummaryPoint[] {
  const seen = parts.filter(({ hidden }) => !hidden);
  const passages = seen.map(({ label, text }) => ({ source: '', place: label, text }));
  return central(passages, POINTS[length]).flatMap(({ passage, block, text }): SummaryPoint[] => {
    const part = seen[passage];
    if (!part) return [];
    const own = part.text.slice(block.start, block.end);
    const { start, end } = findQuote([{ ...part, text: own }], text) ?? { start: 0, end: own.length };
    const quote = own.slice(start, Math.min(end, start + MAX_QUOTE)).trim();
    return [{ text: text.slice(0, MAX_TEXT), is_quote: true, document, place: part.label, quote }];
  });
}

type Passages = { source: string; place: string; text: string }[];

const central = (passages: Passages, count: number) =>
  summarise([...passages.keys()], passages, { count, focus: new Set(), language: 'en' });

/** The most central points of all documents, in their order. */
export function overallPoints(points: readonly SummaryPoint[], length: SummaryLength): SummaryPoint[] {
  const passages = points.map(({ text, place }) => ({ source: '', place, text }));
  const chosen = new Set(central(passages, POINTS[length]).map(({ passage }) => passage));
  return points.filter((_, at) => chosen.has(at));
}

const MAX_CALLS = 8;
const ANSWER_TOKENS = 4_000;

const answerSchema = v.object({ points: v.array(v.object({ text: v.string(), quote: v.string() })) });

export type ModelRequest = {
  model: LanguageModelV4;
  document: number;
  name: string;
  now: number;
  /** What a person sees of the document. */
  parts: readonly DocumentPart[];
  signal: AbortSignal;
};

/** Points of a model, without those whose quote does not stand in the document or does not support them. */
export async function summarizeByModel(
  request: ModelRequest & { length: SummaryLength },
): Promise<{ summary: SummaryPoint[] } & AnswerCounts> {
  const { model, name, now, parts, signal, length } = request;
  const counts = { calls: 0, unusable: 0 };
  const stretches = stretchesOf(parts).slice(0, MAX_CALLS);
  const each = Math.ceil(POINTS[length] / Math.max(1, stretches.length));
  const checked: SummaryPoint[] = [];
  for (const stretch of stretches) {
    const messages = [
      `Give at most ${each} points of the document ${JSON.stringify(name)}. Its outline:\n${outlineOf(parts)}\n${stretch}`,
    ];
    const answer = await countedAnswer(counts, {
      model,
      rules: summaryRules(now).join('\n'),
      messages,
      schema: answerSchema,
      answerTokens: ANSWER_TOKENS,
      signal,
    });
    checked.push(...(answer?.points ?? []).flatMap((point) => quotedPoint(request, point) ?? []).slice(0, each));
  }
  const supported = await supportedBy(request, checked, counts);
  const count = Math.min(POINTS[length], supported.length);
  return { summary: evenly(supported, count), ...counts };
}

function quotedPoint(
  { parts, document }: ModelRequest,
  { text, quote }: { text: string; quote: string },
): SummaryPoint | undefined {
  const located = locateQuote(parts, quote);
  const figures = new Set<string>(located?.quote.match(/\d+/g));
  const hasFigures = Array.from(text.matchAll(/\d+/g), ([figure]) => figure).every((figure) => figures.has(figure));
  if (!located || !hasFigures || text.trim() === '') return undefined;
  return { text: text.trim().slice(0, MAX_TEXT), is_quote: false, document, ...located };
}

/** The quote in the document's own words; undefined if it does not stand there, or is too long. */
export function locateQuote(
  parts: readonly DocumentPart[],
  cited: string,
): { place: string; quote: string } | undefined {
  const found = cited.length > MAX_QUOTE ? undefined : findQuote(parts, cited);
  const part = found && parts[found.part];
  return found && part ? { place: part.label, quote: part.text.slice(found.start, found.end) } : undefined;
}

/** The statements that a second look confirms, which sees statement and quote alone. */
export async function supportedBy<T extends { text: string; quote: string }>(
  { model, now, signal }: Pick<ModelRequest, 'model' | 'now' | 'signal'>,
  statements: readonly T[],
  counts: AnswerCounts,
): Promise<T[]> {
  if (statements.length === 0) return [];
  const shown = statements.map(({ text: statement, quote }) => ({ statement, quote }));
  const follows = await secondLook(counts, { model, rules: statementRules(now).join('\n'), signal }, shown);
  return statements.filter((_, at) => follows(at));
}

/** A long document gives a point or two for each stretch: takes some of all of it. */
const evenly = <T>(all: readonly T[], count: number): T[] =>
  all.filter((_, at) => Math.floor(((at + 1) * count) / all.length) > Math.floor((at * count) / all.length));
