/** Answers one request out of the ranked units: picks a few, or all of a list. */
import { walkBlocks } from './blocks.ts';
import { isCode } from './is-code.ts';
import type { Passage } from './passage.ts';
import { inOrder, type Ranked } from './rank.ts';
import type { RequestKind } from './read-prompt.ts';
import { type Unit, unitsOf } from './units.ts';

/** `sure` is false when the units only touch upon what was asked. */
export type Picked = { units: Unit[]; sure: boolean };

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

export function pickUnits(ranked: Ranked[], kind: RequestKind, passages: Passage[], language: string): Picked {
  const [best] = ranked;
  if (!best || best.coverage < TOUCHES) return { units: [], sure: false };
  const sure = ranked.slice(0, 3).some(({ coverage }) => coverage >= SURE);
  const floor = best.score * (sure ? NEAR_BEST + NEARER * best.coverage : NEAR_BEST_UNSURE);
  const near = ranked.filter(({ score }) => score >= floor).map(({ unit }) => unit);
  const read = blockReader(passages, language);
  if (kind !== 'list') return { units: distinct(distinct(near).slice(0, MAX_QUOTES).flatMap(read.whole)), sure };
  const listed = [...read.siblings(best.unit), ...near.slice(0, MAX_LISTED).flatMap(read.whole)];
  return { units: distinct(listed).slice(0, MAX_LISTED).sort(inOrder), sure };
}

function distinct(units: Unit[]): Unit[] {
  const seen = new Set<string>();
  return units.filter(({ text }) => !seen.has(text) && seen.add(text));
}

const announces = ({ text, block }: Unit): boolean => block.kind === 'heading' || /[:?]$/.test(text);

/** Reads a passage again around a unit that was chosen; each passage once. */
function blockReader(passages: Passage[], language: string) {
  const known = new Map<number, Unit[]>();
  const unitsIn = (passage: number): Unit[] => {
    const { text = '', source = '' } = passages[passage] ?? {};
    const units: Unit[] = known.get(passage) ?? [];
    if (!known.has(passage)) {
      walkBlocks(text, isCode(source), (block) => units.push(...unitsOf({ passage, block }, passages, language)));
    }
    known.set(passage, units);
    return units;
  };
  const placeOf = (all: Unit[], unit: Unit): number =>
    all.findIndex(({ block, nth }) => block.start === unit.block.start && nth === unit.nth);

  /** A heading gives way to what stands below it; a question or a colon takes what follows along. */
  const whole = (unit: Unit): Unit[] => {
    if (!announces(unit)) return [unit];
    const all = unitsIn(unit.passage);
    const following: Unit[] = [];
    let length = 0;
    for (let at = placeOf(all, unit) + 1; length < MAX_FOLLOWING; at++) {
      const next = all[at];
      if (!next || next.block.kind === 'heading') break;
      following.push(next);
      length += next.text.length;
    }
    const gone = following.length > 0 && (unit.block.kind === 'heading' || following[0]?.lead === unit.text);
    return gone ? following : [unit, ...following.slice(0, 1)];
  };

  /** All items of the list, or rows of the table, that the unit belongs to or announces. */
  const siblings = (unit: Unit): Unit[] => {
    const all = unitsIn(unit.passage);
    const first = announces(unit) ? all[placeOf(all, unit) + 1] : unit;
    if (!first || !/^(?:item|row|pair)$/.test(first.block.kind)) return whole(unit);
    return all.filter(({ block }) => block.kind === first.block.kind && block.group === first.block.group);
  };

  return { whole, siblings };
}
