/** Which figures stand in one chart. */
import { expect, it } from 'vitest';
import { chartsOf } from '../../../agents/research/charts.ts';
import { textsIn } from '../../../agents/research/report-texts.ts';
import type { FindingPoint } from '../../../agents/research/research-request.ts';

it('draws figures whose labels begin with the same word in one chart, and others apart', () => {
  const point = (label: string, month: number, value: number): FindingPoint => ({
    label,
    value,
    unit: 'EUR',
    source: 'filings',
    title: 'Annual report',
    at: `2026-0${month}-01`,
    document: 1,
    isSample: false,
  });
  const points = ['Turnover north', 'Turnover south', 'Headcount abroad'].flatMap((label) => [
    point(label, 1, 10),
    point(label, 2, 12),
  ]);
  const names = chartsOf(points, textsIn('en')).map(({ series }) => series.map(({ name }) => name));
  expect(names.toSorted((a, b) => b.length - a.length)).toEqual([
    ['Turnover north', 'Turnover south'],
    ['Headcount abroad'],
  ]);
});
