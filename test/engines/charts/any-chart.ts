/** Random charts, for finding unforeseen cases. */
import fc from 'fast-check';
import type { Chart } from '../../../engines/charts/chart.ts';

const word = fc.constantFrom(
  'Wien',
  'MMMM',
  'illi',
  'Q1',
  '2024',
  'Ministry',
  'of',
  'Αθήνα',
  'Йошкар-Ола',
  '—',
  'a/b/c',
  'WWWWWWWWWWWWWWWWWWWWWWWW',
  '%',
);
const text = fc.array(word, { maxLength: 7 }).map((words) => words.join(' '));
const value = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: -1_000, max: 5_000, noNaN: true }) },
  fc.integer({ min: -5, max: 5 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant(null),
);

export const anyChart: fc.Arbitrary<Chart> = fc.integer({ min: 1, max: 40 }).chain((points) =>
  fc.record({
    kind: fc.constantFrom('line', 'bar'),
    title: text,
    unit: text,
    x: fc.record({ labels: fc.array(text, { minLength: points, maxLength: points }) }),
    series: fc.array(fc.record({ name: text, values: fc.array(value, { minLength: points, maxLength: points }) }), {
      maxLength: 5,
    }),
    source: text,
  }),
);
