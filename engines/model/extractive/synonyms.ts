/** Which other words may stand for a word, and how well. */
import { stem } from './stem.ts';
import { SYNONYM_GROUPS } from './synonym-groups.ts';

/** Between the first word of a group and the others; and between two of the others. */
const DIRECT = 0.55;
const SIDEWAYS = 0.35;

const SYNONYMS: ReadonlyMap<string, ReadonlyMap<string, number>> = buildIndex();

function buildIndex(): Map<string, Map<string, number>> {
  const index = new Map<string, Map<string, number>>();
  const relate = (one: string, other: string, weight: number): void => {
    const others = index.get(one) ?? new Map<string, number>();
    if (one !== other) others.set(other, Math.max(weight, others.get(other) ?? 0));
    index.set(one, others);
  };
  for (const group of SYNONYM_GROUPS.split('/')) {
    const stems = group.trim().split(/\s+/).map(stem);
    for (const one of stems) {
      for (const other of stems) relate(one, other, one === stems[0] || other === stems[0] ? DIRECT : SIDEWAYS);
    }
  }
  return index;
}

/** By stems. */
export const synonymsOf = (stemmed: string): ReadonlyMap<string, number> => SYNONYMS.get(stemmed) ?? new Map();
