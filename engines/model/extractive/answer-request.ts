/** Answers one request out of the ranked units: picks a few, or all of a list, or each side of a comparison. */
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
const NEAR_BEST = 0.45;
const SURE = 0.42;
const TOUCHES = 0.22;

export function pickUnits(ranked: Ranked[], kind: RequestKind, passages: Passage[], language: string): Picked {
  const [best] = ranked;
  if (!best || best.coverage < TOUCHES) return { units: [], sure: false };
  const sure = ranked.slice(0, 3).some(({ coverage }) => coverage >= SURE);
  const floor = best.score * (kind === 'list' ? 0.4 : NEAR_BEST);
  const near = distinct(ranked.filter(({ score }) => score >= floor).map(({ unit }) => unit));
  if (kind !== 'list') return { units: followed(near.slice(0, sure ? MAX_QUOTES : 3), passages, language), sure };
  const listed = distinct([...siblings(best.unit, passages, language), ...near.slice(0, MAX_LISTED)]);
  return { units: followed(listed.slice(0, MAX_LISTED), passages, language).sort(inOrder), sure };
}

function distinct(units: Unit[]): Unit[] {
  const seen = new Set<string>();
  return units.filter(({ text }) => {
    const fresh = !seen.has(text);
    seen.add(text);
    return fresh;
  });
}

/** All items of the list, or rows of the table, that the unit belongs to or introduces. */
function siblings(unit: Unit, passages: Passage[], language: string): Unit[] {
  const blocks = unitsAround(unit, passages, language);
  const at = blocks.findIndex(({ block, nth }) => block.start === unit.block.start && nth === unit.nth);
  const first = opensList(unit) ? blocks[at + 1] : unit;
  if (!first || !/^(?:item|row|pair)$/.test(first.block.kind)) return [unit];
  return [
    ...(first === unit ? [] : [unit]),
    ...blocks.filter(({ block }) => block.kind === first.block.kind && block.group === first.block.group),
  ];
}

/** A question is followed by its answer, a colon by what it announces, a heading by its text. */
function followed(units: Unit[], passages: Passage[], language: string): Unit[] {
  return distinct(
    units.flatMap((unit) => {
      if (!opensList(unit)) return [unit];
      const all = unitsAround(unit, passages, language);
      const at = all.findIndex(({ block, nth }) => block.start === unit.block.start && nth === unit.nth);
      const after = all.slice(at + 1, at + 2 + (unit.text.endsWith(':') ? 4 : 0));
      const end = after.findIndex(({ block }) => block.kind === 'heading');
      return [unit, ...(end === -1 ? after : after.slice(0, end))];
    }),
  );
}

const opensList = ({ text, block }: Unit): boolean => block.kind === 'heading' || /[:?]$/.test(text);

function unitsAround({ passage }: Unit, passages: Passage[], language: string): Unit[] {
  const { text = '', source = '' } = passages[passage] ?? {};
  const units: Unit[] = [];
  walkBlocks(text, isCode(source), (block) => {
    units.push(...unitsOf({ passage, block }, passages, language));
  });
  return units;
}
