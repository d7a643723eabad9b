/** Classifies a document without a model: by the label that its words speak for, with the passage that says so. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import { STOP_WORDS, stem, wordsOf } from '../../../engines/retrieval/words.ts';
import { type ClassLabel, type DocumentClass, PAPERS } from '../document-class.ts';

type Classify = { parts: readonly DocumentPart[]; document: number; labels: readonly ClassLabel[] };

const MAX_READ = 200_000;
const MAX_QUOTE = 300;

type SeenLine = { place: string; text: string; words: string; weight: number };
type Scored = { label: string; score: number; line: SeenLine; reason: string };

/** Without a model: labels are weighed by where their words stand, and by the words of their descriptions. */
export function classifyParts({ parts, document, labels }: Classify): DocumentClass {
  const lines = linesOf(parts);
  const scored = labels
    .flatMap((label) => scoreOf(label, lines) ?? [])
    .filter(({ score }) => score >= ENOUGH)
    .sort((a, b) => b.score - a.score);
  const candidates = scored.map(({ label, line, reason }) => ({
    label,
    basis: { document, place: line.place, quote: line.text.slice(0, MAX_QUOTE) },
    reason,
  }));
  const [first, ...others] = candidates;
  if (!first) return unclassified('No words of the document speak for one of the labels.');
  if (scored[0]?.score === scored[1]?.score)
    return unclassified('The words of the document speak for several labels equally.', candidates);
  return { label: first.label, basis: [first.basis], reason: first.reason, candidates: others };
}

const unclassified = (reason: string, candidates: DocumentClass['candidates'] = []): DocumentClass => ({
  label: null,
  basis: [],
  reason,
  candidates,
});

const stemmed = (text: string): string[] => wordsOf(text).map(stem);
const asPhrase = (words: readonly string[]): string => ` ${words.join(' ')} `;

/** A title says most, a label or heading more than a sentence. */
const WEIGHTS = { title: 4, heading: 2, label: 1.5, sentence: 0.5 };
const ENOUGH = 1;
const TITLE_LINES = 4;
const MAX_TITLE_WORDS = 6;

function linesOf(parts: readonly DocumentPart[]): SeenLine[] {
  let left = MAX_READ;
  let nth = 0;
  return parts.flatMap(({ label: place, text, hidden }) => {
    if (hidden) return [];
    const read = text.slice(0, left);
    left -= read.length;
    return read.split('\n').flatMap((line): SeenLine[] => {
      const words = stemmed(line);
      if (words.length === 0) return [];
      return [{ place, text: line.trim(), words: asPhrase(words), weight: weightOf(line, nth++, words.length) }];
    });
  });
}

/** `This is not an invoice` speaks for no invoice. A plain `no` may be the one of `Invoice No: 7`. */
const DENIED = /(?<!\p{L})(?:not|never|nicht|kein\p{L}*|pas|nunca|non|niet|geen)(?!\p{L})/iu;

function weightOf(line: string, nth: number, words: number): number {
  if (DENIED.test(line)) return 0;
  if (words <= MAX_TITLE_WORDS && nth < TITLE_LINES) return WEIGHTS.title;
  if (/^\s*#/.test(line)) return WEIGHTS.heading;
  return words <= MAX_TITLE_WORDS || /^[^.:]{1,40}:/.test(line) ? WEIGHTS.label : WEIGHTS.sentence;
}

/** A word that occurs often is what a document is about, even if no title says so. */
const MORE = 0.25;
const MAX_MORE = 8;

function scoreOf({ name, description }: ClassLabel, lines: readonly SeenLine[]): Scored | undefined {
  const phrases = phrasesOf(name);
  const named = lines.filter(({ words, weight }) => weight > 0 && phrases.some((phrase) => words.includes(phrase)));
  const best = named.reduce<SeenLine | undefined>((a, b) => (a && a.weight >= b.weight ? a : b), undefined);
  const described = description === undefined ? undefined : describedBy(description, lines);
  const line = best ?? described?.line;
  if (!line) return undefined;
  const score =
    (best?.weight ?? 0) + MORE * Math.min(MAX_MORE, Math.max(0, named.length - 1)) + (described?.score ?? 0);
  const reason = best
    ? `The document names it: "${best.text.slice(0, 60)}".`
    : 'The words of its description stand in it.';
  return { label: name, score, line, reason };
}

function phrasesOf(name: string): string[] {
  const own = stemmed(name.replaceAll(/[_-]+/g, ' '));
  const same = Object.entries(PAPERS)
    .map(([paper, also]) => [paper, ...also.split('|')].map((phrase) => asPhrase(stemmed(phrase))))
    .find((phrases) => phrases.includes(asPhrase(own)));
  return own.length === 0 ? [] : [asPhrase(own), ...(same ?? [])];
}

const MIN_DESCRIBED = 2;
const EACH_DESCRIBED = 0.5;
const MAX_DESCRIBED = 3;

/** At least two words of the description; the line with most of them is the evidence. */
function describedBy(description: string, lines: readonly SeenLine[]): { score: number; line: SeenLine } | undefined {
  const wanted = [
    ...new Set(
      wordsOf(description)
        .filter((word) => word.length > 2 && !STOP_WORDS.has(word))
        .map(stem),
    ),
  ].map((word) => asPhrase([word]));
  const counted = lines
    .filter(({ weight }) => weight > 0)
    .map((line) => ({ line, found: wanted.filter((word) => line.words.includes(word)) }));
  const all = new Set(counted.flatMap(({ found }) => found));
  const [best] = counted.toSorted((a, b) => b.found.length - a.found.length);
  if (!best || all.size < MIN_DESCRIBED) return undefined;
  return { score: Math.min(MAX_DESCRIBED, EACH_DESCRIBED * all.size), line: best.line };
}
