/**
 * Values that a model gave for instructions, each with the excerpt that it cites. `verified` says that value and excerpt agree:
 * by code where the value stands in the excerpt, or else by a second look that sees nothing but instruction, value and excerpt.
 */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { DocumentPart } from '../../engines/documents/document.ts';
import type { AnswerCounts } from '../runtime.ts';
import type { ApplyRule } from '../text-work.ts';
import { type Statement, secondLook } from '../verification/second-look.ts';
import type { Value } from './state.ts';

/** What a model found, with the text of the instruction. */
export type CitedFinding = { rule: string; value: string; excerpt: string };

type CitedRequest = {
  model: LanguageModelV4;
  /** The model with the role of the second look, if the organization has one. */
  verifier?: LanguageModelV4 | undefined;
  /** Of the document. */
  name: string;
  parts: readonly DocumentPart[];
  applyRule: ApplyRule;
  now: number;
  signal: AbortSignal;
};

const MAX_VALUE = 2_000;

/** The values of all findings of a document. One call looks again at those that code cannot tell. */
export async function citedValues(
  request: CitedRequest,
  counts: AnswerCounts,
  findings: readonly CitedFinding[],
): Promise<Value[]> {
  if (findings.length === 0) return [];
  const places = await locate(request, findings);
  const agreements = await agreementsOf(request, findings, places);
  const doubts = findings.flatMap((finding, at) => {
    const place = places[at];
    return place && agreements[at] === 'doubt' ? [{ at, statement: statementOf(request, finding, place) }] : [];
  });
  const { model, verifier, now, signal } = request;
  const verdicts = await secondLook(
    counts,
    { model: verifier ?? model, now, signal },
    doubts.map(({ statement }) => statement),
  );
  const supported = new Set(doubts.flatMap(({ at }, nth) => (verdicts[nth]?.verdict === 'supported' ? [at] : [])));
  return findings.map(({ rule, value }, at) => {
    const place = places[at];
    return {
      rule,
      value: value.slice(0, MAX_VALUE),
      text: value.slice(0, MAX_VALUE),
      place: place?.label ?? null,
      excerpt: place?.excerpt ?? null,
      verified: place !== undefined && (agreements[at] === 'stands' || supported.has(at)),
    };
  });
}

/** `isCited`: it is the excerpt that the model gave, and not the line in which its value stands. */
type CitedPlace = { label: string; excerpt: string; isCited: boolean; before: string; after: string };

export const MAX_EXCERPT = 400;
const MAX_AROUND = 300;

/**
 * Where the excerpts stand in what a person sees of the document, in the document's own words. Where an excerpt stands nowhere,
 * the line of its value does.
 */
async function locate(
  { parts, applyRule }: CitedRequest,
  findings: readonly CitedFinding[],
): Promise<(CitedPlace | undefined)[]> {
  const quotes = findings.flatMap(({ excerpt, value }) => [excerpt, value]);
  const located = (await applyRule('findQuotes', { parts, quotes })) ?? [];
  return findings.map((_, at) => {
    const cited = located[2 * at];
    const quoted = cited ?? located[2 * at + 1];
    const part = quoted && parts[quoted.part];
    if (!part) return undefined;
    const { text, label } = part;
    const [start, end] = cited ? [quoted.start, quoted.end] : lineAround(text, quoted);
    const to = Math.min(end, start + MAX_EXCERPT);
    return {
      label,
      excerpt: text.slice(start, to),
      isCited: cited !== undefined,
      before: text.slice(Math.max(0, start - MAX_AROUND), start).trim(),
      after: text.slice(to, to + MAX_AROUND).trim(),
    };
  });
}

function lineAround(text: string, { start, end }: { start: number; end: number }): [start: number, end: number] {
  const lineEnd = text.indexOf('\n', end);
  const from = Math.max(text.lastIndexOf('\n', start - 1) + 1, start - MAX_EXCERPT / 2);
  return [from, lineEnd < 0 ? text.length : lineEnd];
}

/** A value in a line that the model did not cite is in doubt: it may stand there as something else. */
async function agreementsOf(
  { applyRule }: CitedRequest,
  findings: readonly CitedFinding[],
  places: readonly (CitedPlace | undefined)[],
) {
  const pairs = findings.map(({ value }, at) => ({
    value: value.slice(0, MAX_VALUE),
    excerpt: places[at]?.excerpt ?? '',
  }));
  const all = await applyRule('valueAgreements', { pairs });
  return places.map((place, at) => (place?.isCited ? (all?.[at] ?? 'doubt') : 'doubt'));
}

const statementOf = (
  { name }: CitedRequest,
  { rule, value }: CitedFinding,
  { label, excerpt, before, after }: CitedPlace,
): Statement => ({
  claim: { field: rule, value: value.slice(0, MAX_VALUE) },
  quotes: [
    {
      source: `${name}, ${label}`,
      text: excerpt,
      ...(before === '' ? {} : { before }),
      ...(after === '' ? {} : { after }),
    },
  ],
});
