/** Ranks passages by how many of the searched words they have. */
// biome-ignore-all lint/performance/noBarrelFile: it stands in for the module that it passes on
// biome-ignore-all lint/performance/noReExportAll: all else is as in that module

import {
  inOrder,
  type RankedUnit,
  type SearchedPassages,
  type SearchTerms,
} from '../../../engines/models/extractive/ranking.ts';
import { unitsOf } from '../../../engines/retrieval/passages.ts';

export * from '../../../engines/models/extractive/ranking.ts';

const MAX_BLOCKS = 150;

type Ranking = SearchedPassages & { terms: SearchTerms };

export function rank({ passages, language, sieved, terms }: Ranking): RankedUnit[] {
  const scored = sieved.hits.map((hit) => ({
    hit,
    score: [...hit.found.keys()].filter((term) => terms.weights.has(term)).length,
  }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_BLOCKS)
    .flatMap(({ hit, score }) =>
      unitsOf(hit, passages, language).map((unit) => ({ unit, score, coverage: score / terms.weights.size })),
    )
    .sort((a, b) => b.score - a.score || inOrder(a.unit, b.unit));
}
