/** Answers one request out of the ranked units: picks a few, or all of a list. */
import type { Passage } from './passage.ts';
import { inOrder, type RankedUnit } from './rank.ts';
import type { RequestKind } from './read-prompt.ts';
import { type QuoteUnit, readUnits } from './units.ts';

/** `sure` is false when the units only touch upon what was asked. */
export type PickedUnits = { units: QuoteUnit[]; sure: boolean };

const MAX_QUOTES = 5;
const MAX_LISTED = 30;
/** How near to the best one the others must be: the more, the better the best one fits. */
const NEAR_BEST = 0.25;
const NEARER = 0.3;
const NEAR_BEST_UNSURE = 0.25;
const SURE = 0.42;
const TOUCHES = 0.08;
/** How much of what follows a heading, a question or a colon is quoted with it. */
const MAX_FOLLOWING = 600;

export function pickUnits(ranked: RankedUnit[], kind: RequestKind, passages: Passage[], language: string): PickedUnits {
  const [best] = ranked;
  if (!best || best.coverage < TOUCHES) return { units: [], sure: false };
  const sure = ranked.slice(0, 3).some(({ coverage }) => coverage >= SURE);
  const floor = best.score * (sure ? NEAR_BEST + NEARER * best.coverage : NEAR_BEST_UNSURE);
  const near = ranked.filter(({ score }) => score >= floor).map(({ unit }) => unit);
  const blocks = blockReader(passages, language);
  if (kind !== 'list')
    return { units: distinctUnits(distinctUnits(near).slice(0, MAX_QUOTES).flatMap(blocks.whole)), sure };
  const listed = [...blocks.siblings(best.unit), ...near.slice(0, MAX_LISTED).flatMap(blocks.whole)];
  return { units: distinctUnits(listed).slice(0, MAX_LISTED).sort(inOrder), sure };
}

function distinctUnits(units: QuoteUnit[]): QuoteUnit[] {
  const seen = new Set<string>();
  return units.filter(({ text }) => !seen.has(text) && seen.add(text));
}

const announces = ({ text, block }: QuoteUnit): boolean => block.kind === 'heading' || /[:?]$/.test(text);

/** Reads a passage again around a unit that was chosen; each passage once. */
function blockReader(passages: Passage[], language: string) {
  const known = new Map<number, QuoteUnit[]>();
  const unitsIn = (passage: number): QuoteUnit[] => {
    const units = known.get(passage) ?? readUnits(passage, passages, language);
    known.set(passage, units);
    return units;
  };
  const placeOf = ({ passage, block, nth }: QuoteUnit): number =>
    unitsIn(passage).findIndex((other) => other.block.start === block.start && other.nth === nth);

  /** What comes after a unit, over the end of its page too. */
  const after = (unit: QuoteUnit): QuoteUnit[] => {
    const rest = unitsIn(unit.passage).slice(placeOf(unit) + 1);
    const goesOn = passages[unit.passage + 1]?.source === passages[unit.passage]?.source;
    return goesOn && rest.length < MAX_LISTED ? [...rest, ...unitsIn(unit.passage + 1)] : rest;
  };

  /** A heading gives way to what stands below it; a question or a colon takes what follows along. */
  const whole = (unit: QuoteUnit): QuoteUnit[] => {
    if (!announces(unit)) return [unit];
    const below: QuoteUnit[] = [];
    let length = 0;
    for (const next of after(unit)) {
      if (length >= MAX_FOLLOWING || next.block.kind === 'heading') break;
      below.push(next);
      length += next.text.length;
    }
    const givesWay = below.length > 0 && (unit.block.kind === 'heading' || below[0]?.lead === unit.text);
    return givesWay ? below : [unit, ...below.slice(0, 1)];
  };

  /** All items of the list, or rows of the table, that the unit belongs to or announces. */
  const siblings = (unit: QuoteUnit): QuoteUnit[] => {
    const first = announces(unit) ? after(unit)[0] : unit;
    if (!first || !/^(?:item|row|pair)$/.test(first.block.kind)) return whole(unit);
    const { kind, group } = first.block;
    return unitsIn(first.passage).filter(({ block }) => block.kind === kind && block.group === group);
  };

  return { whole, siblings };
}
