/** What batch after batch brings becomes findings: each said once, under a number of its own. */
import { expect, it } from 'vitest';
import { mergeProposed, type ProposedFinding } from '../../../agents/research/findings.ts';
import type { Finding } from '../../../agents/research/report-model.ts';
import type { ResearchRequest } from '../../../agents/research/research-request.ts';

const quote = (text: string, document: number, more: Partial<ProposedFinding> = {}): ProposedFinding => ({
  ...{ text, is_quote: true, checked_by: 'code', citations: [{ document, quote: text }], topics: [], score: 1 },
  sub_question: 1,
  ...more,
});
const request = { analysis: { findings: 20 } } as ResearchRequest;

const takeBatches = (...batches: ProposedFinding[][]): Finding[] =>
  batches.reduce<Finding[]>((findings, batch) => mergeProposed(findings, batch, request).findings, []);

const FEES = quote('Port fees rose by 6.5 per cent in 2026.', 1, { score: 2 });
const STRIKE = quote('Dock workers at Halden Bay walked out on Monday.', 2, { score: 3 });
const RAIL = quote('Freight on rail fell for the fourth month.', 3, { score: 4 });

it('numbers them again with each batch, so that no number stands for two', () => {
  const findings = takeBatches([FEES], [STRIKE], [RAIL]);
  expect(findings.map(({ finding, text }) => [finding, text])).toEqual([
    [1, RAIL.text],
    [2, STRIKE.text],
    [3, FEES.text],
  ]);
});

it('says once what one document says in a sentence and in that sentence with the next, whichever came first', () => {
  const long = quote(`${FEES.text} It was the third rise in a row.`, 1, { topics: ['trends'] });
  const short = { ...FEES, topics: ['fees'] };
  for (const batches of [[[short], [long]], [[long], [short]], [[short, long]]]) {
    const [only, ...others] = takeBatches(...batches);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ finding: 1, text: long.text, citations: long.citations, score: 2 });
    expect(only?.topics.toSorted()).toEqual(['fees', 'trends']);
  }
});

it('keeps apart what another document says word for word within more', () => {
  const elsewhere = quote(`${FEES.text} Shippers were told on the second of January, and carriers protested.`, 7);
  expect(takeBatches([FEES, elsewhere])).toHaveLength(2);
});

it('writes into nothing that it is given', () => {
  const before = takeBatches([{ ...FEES, topics: ['fees'] }]);
  const again = [quote(FEES.text, 4, { topics: ['trends'], score: 9 })];
  const given = structuredClone({ before, again });
  const [merged] = mergeProposed(before, again, request).findings;
  expect(merged).toMatchObject({ topics: ['fees', 'trends'], score: 9 });
  expect({ before, again }).toEqual(given);
});

it('counts what is beyond the depth of the analysis, and keeps the best of each sub-question', () => {
  const many = Array.from({ length: 24 }, (_, at) => quote(`Fees of port ${at} rose.`, 1, { score: 24 - at }));
  const other = quote('Rates fell.', 2, { score: 0.1, sub_question: 2 });
  const { findings, beyond } = mergeProposed([], [...many, other], request);
  expect([findings.length, beyond]).toEqual([21, 4]);
  expect(findings.at(-1)?.text).toBe(other.text);
});
