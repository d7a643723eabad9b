/** The research agent holds what docs/research.md says of it. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  goldenCorpus,
  type Judged,
  judgeResearch,
  labelsMet,
  pairHalves,
  pairs,
  researchQuestions,
  SAMPLE_QUERIES,
  sampleCorpus,
  scoreOfPairs,
} from '../golden/research.ts';

describe('stories told twice', () => {
  it('are labelled in at least 40 pairs, about half of them the same', () => {
    const { pairs: count, same } = scoreOfPairs(pairs());
    expect(count).toBeGreaterThanOrEqual(40);
    expect(same / count).toBeCloseTo(0.5, 1);
  });

  it.each(['development', 'heldOut'] as const)('are found in the half %s, and few others', (half) => {
    const { precision, recall } = scoreOfPairs(pairHalves(pairs())[half]);
    expect(precision).toBeGreaterThanOrEqual(0.9);
    expect(recall).toBeGreaterThanOrEqual(0.9);
  });
});

describe('reports over the labelled corpus and the samples', () => {
  const all: Judged[] = [];
  beforeAll(async () => {
    for (const { query } of researchQuestions()) all.push(await judgeResearch(query, goldenCorpus()));
    const samples = await sampleCorpus();
    for (const query of SAMPLE_QUERIES) all.push(await judgeResearch(query, samples));
  });

  it('have no citation that points nowhere, and no sentence that its source does not have', () => {
    for (const { query, citations, resolved, sentences, worst } of all) {
      expect([query, resolved]).toEqual([query, citations]);
      expect(sentences).toBeGreaterThan(5);
      expect([query, worst]).toEqual([query, { words: 1, trigrams: 1 }]);
    }
  });

  it('read what is labelled to be read, the first of it first, and say most of what is to be said', () => {
    const met = researchQuestions().map((question, at) => labelsMet(all[at] as Judged, question));
    const sum = (of: 'read' | 'toRead' | 'said' | 'toSay') => met.reduce((so, one) => so + one[of], 0);
    expect(sum('read') / sum('toRead')).toBeGreaterThanOrEqual(0.95);
    expect(sum('said') / sum('toSay')).toBeGreaterThanOrEqual(0.85);
    expect(met.every(({ first }) => first)).toBe(true);
  });
});
