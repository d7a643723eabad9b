/** Writes the answers to all requests of a prompt, each under its own heading when there are several. */
import { pickUnits } from './answer-request.ts';
import type { Citations } from './citations.ts';
import type { Sieved } from './find-blocks.ts';
import type { Passage } from './passage.ts';
import { escapeMarkdown } from './quote.ts';
import { rank, type Wanted } from './rank.ts';
import type { Request } from './read-prompt.ts';
import { summarise } from './summarise.ts';
import { type Lexicon, termsOf } from './terms.ts';
import type { Unit } from './units.ts';
import { textOf, widen } from './widen.ts';
import { writeQuotes } from './write-quotes.ts';

export type Material = { passages: Passage[]; lexicon: Lexicon; sieved: Sieved; language: string };
type Desk = Material & { cites: Citations; room: number };

const NOTHING_FOUND = 'The attached documents do not seem to say anything about this.';
const ONLY_NEAR = 'No passage answers this clearly. The nearest ones are:';
const MAX_TITLE = 160;
/** What a source needs in the list of sources, about. */
const LISTED = 60;

export function writeAnswers(requests: Request[], desk: Desk): string {
  const share = Math.floor(desk.room / Math.max(1, requests.length));
  const [only] = requests;
  if (!only) return NOTHING_FOUND;
  if (requests.length === 1) return writeAnswer(only, desk, share);
  return requests
    .map(
      (request) =>
        `## ${escapeMarkdown(request.text.slice(0, MAX_TITLE))}\n\n${writeAnswer(request, desk, share - MAX_TITLE)}`,
    )
    .join('\n\n');
}

function writeAnswer(request: Request, desk: Desk, room: number): string {
  if (request.kind === 'summarise') return writeSummary(request, desk, room);
  if (request.kind === 'compare') return writeComparison(request, desk, room);
  return writeFound(wantedBy(request, desk), request, desk, room);
}

function writeFound(wanted: Wanted, { kind }: Pick<Request, 'kind'>, desk: Desk, room: number): string {
  const { units, sure } = pickUnits(rank({ ...desk, wanted }), kind, desk.passages, desk.language);
  if (units.length === 0) return NOTHING_FOUND;
  const quotes = writeQuotes(fitting(units, room), desk.cites);
  return sure ? quotes : `${ONLY_NEAR}\n\n${quotes}`;
}

/** The first units that have room, together with their places in the list of sources. */
function fitting(units: Unit[], room: number): Unit[] {
  let left = room;
  return units.filter((unit) => {
    left -= 1.1 * (textOf(widen(unit)).length + unit.lead.length) + LISTED;
    return left > 0;
  });
}

function wantedBy({ text, aside, hint }: Request, { lexicon }: Desk): Wanted {
  const weights = new Map<number, number>();
  const add = (words: string, weight: number) => {
    for (const { word, exact } of termsOf(words)) {
      const term = lexicon.terms.findIndex((other) => other.word === word);
      if (term !== -1 && !weights.has(term)) weights.set(term, exact ? weight * 1.3 : weight);
    }
  };
  add(text, 1);
  add(aside, 0.15);
  return { weights, hint };
}

/** Each side by itself: in the documents that bear its name, or wherever it is spoken of. */
function writeComparison(request: Request, desk: Desk, room: number): string {
  const sources = [...new Set(desk.passages.map(({ source }) => source))];
  const sides = request.sides.length > 0 ? request.sides : sources.slice(0, 6);
  if (sides.length < 2) return writeFound(wantedBy(request, desk), request, desk, room);
  return sides
    .map((side) => {
      const wanted = wantedBy(request, desk);
      const own = new Set(termsOf(side).map(({ word }) => word));
      const others = new Set(
        sides.filter((other) => other !== side).flatMap((other) => termsOf(other).map(({ word }) => word)),
      );
      desk.lexicon.terms.forEach(({ word }, term) => {
        if (others.has(word) && !own.has(word)) wanted.weights.delete(term);
      });
      const within = sources.includes(side) ? onlyFrom(side, desk) : desk;
      return `### ${escapeMarkdown(side)}\n\n${writeFound(wanted, { kind: 'answer' }, within, Math.floor(room / sides.length))}`;
    })
    .join('\n\n');
}

const onlyFrom = (source: string, desk: Desk): Desk => ({
  ...desk,
  sieved: { ...desk.sieved, hits: desk.sieved.hits.filter(({ passage }) => desk.passages[passage]?.source === source) },
});

function writeSummary(request: Request, desk: Desk, room: number): string {
  const sources = [...new Set(desk.passages.map(({ source }) => source))];
  const count = Math.max(2, Math.min(7, Math.floor(24 / sources.length)));
  const focus = new Set(termsOf(request.text).map(({ word }) => word));
  const parts = sources.map((source) => {
    const wanted = desk.passages.flatMap((passage, at) => (passage.source === source ? [at] : []));
    const units = summarise(wanted, desk.passages, { count, focus, language: desk.language });
    const quotes = writeQuotes(fitting(units, room / sources.length), desk.cites) || 'Nothing in it can be quoted.';
    return sources.length === 1 ? quotes : `### ${escapeMarkdown(source)}\n\n${quotes}`;
  });
  return parts.join('\n\n');
}
