/** The research agent holds what docs/guides/research.md says of it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Judged, judgeReports, labelsMetBy, pairHalves, pairs, scoreOfPairs } from '../golden/research.ts';

describe('repeated stories', () => {
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
  let judged: { ofLabelled: Judged[]; ofSamples: Judged[] };
  beforeAll(async () => {
    judged = await judgeReports();
  });

  it('have no citation that points nowhere, and no sentence that its source does not have', () => {
    for (const { query, citations, resolved, sentences, worst } of [...judged.ofLabelled, ...judged.ofSamples]) {
      expect([query, resolved]).toEqual([query, citations]);
      expect(sentences).toBeGreaterThanOrEqual(5);
      expect([query, worst]).toEqual([query, { words: 1, trigrams: 1 }]);
    }
  });

  it('read what is labelled to be read, the first of it first, and say most of what is to be said', () => {
    const { read, toRead, said, toSay, first } = labelsMetBy(judged.ofLabelled);
    expect(read / toRead).toBeGreaterThanOrEqual(0.95);
    expect(said / toSay).toBeGreaterThanOrEqual(0.85);
    expect(first).toBe(true);
  });
});
