/** Charts for tests: typical ones of agents, and edge cases. */
import type { Chart } from '../../../engines/charts/chart.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const monthly = (years: number[]) => years.flatMap((year) => months.map((month) => `${month} ${year}`));
/** Waves, so that examples are not random. */
const wave = (count: number, at: number, size: number, level: number) =>
  Array.from({ length: count }, (_, n) => Math.round((level + size * Math.sin(n / (3 + at)) + n * 0.02) * 100) / 100);

export const exampleCharts = {
  'policy rates': {
    kind: 'line',
    title: 'Policy rates of three central banks since January 2023',
    unit: '% a year',
    x: { labels: monthly([2023, 2024, 2025]) },
    series: [
      { name: 'European Central Bank', values: wave(36, 3, 0.8, 3.1) },
      { name: 'Federal Reserve', values: wave(36, 5, 0.6, 4.8) },
      { name: 'Bank of England', values: wave(36, 4, 0.5, 4.4).map((value, n) => (n > 10 && n < 14 ? null : value)) },
    ],
    source: 'Errand sample data, rates.csv',
  },
  'revenue by quarter': {
    kind: 'bar',
    title: 'Revenue by quarter',
    unit: 'million EUR',
    x: { labels: ['Q1 2024', 'Q2 2024', 'Q3 2024', 'Q4 2024', 'Q1 2025', 'Q2 2025'] },
    series: [{ name: 'Revenue', values: [182.4, 191, 203.7, 240.2, 211.3, 219.9] }],
    source: 'Annual report 2025, page 14',
  },
  margins: {
    kind: 'bar',
    title: 'Operating margin by segment, 2024 against 2025',
    unit: '% of revenue',
    x: {
      labels: [
        'Industrial automation',
        'Consumer electronics',
        'Services and maintenance',
        'Licences',
        'Energy storage',
      ],
    },
    series: [
      { name: '2024', values: [12.1, 3.4, 21.7, 34.2, -8.5] },
      { name: '2025', values: [13.6, -1.9, 22.4, 31, -2.2] },
    ],
  },
  change: {
    kind: 'bar',
    title: 'Change of prices against the year before',
    unit: '%',
    x: { labels: ['2018', '2019', '2020', '2021', '2022', '2023', '2024', '2025'] },
    series: [{ name: 'Change', values: [1.8, 1.2, -0.3, 2.6, 8.4, 5.4, 2.4, 0] }],
    source: 'Statistical office',
  },
  'greek and cyrillic': {
    kind: 'bar',
    title: 'Πληθυσμός και население — Größe, Łódź, São Paulo',
    unit: 'εκατομμύρια / миллионы',
    x: { labels: ['Αθήνα', 'Санкт-Петербург', 'Αλεξανδρούπολη', 'Нижний Новгород', 'Łódź', 'São Paulo'] },
    series: [{ name: 'n', values: [3.15, 5.6, 0.07, 1.23, 0.66, 12.3] }],
  },
  'one point': {
    kind: 'line',
    title: 'One point',
    unit: 'USD',
    x: { labels: ['2025'] },
    series: [{ name: 'a', values: [42] }],
  },
  'days apart': {
    kind: 'line',
    title: 'Container Asia to Northern Europe',
    unit: 'USD',
    x: { labels: ['2026-10-01', '2026-11-06', '2026-11-13', '2026-11-18', '2026-11-19', '2026-11-20'] },
    series: [{ name: 'a', values: [2190, 2203, 2243, 2300, 2310, 2290] }],
    source: 'Market data',
  },
  'equal values': {
    kind: 'line',
    title: 'Equal values',
    x: { labels: ['a', 'b', 'c'] },
    series: [{ name: 'a', values: [7, 7, 7] }],
  },
  'all zero': {
    kind: 'bar',
    title: 'All zero',
    x: { labels: ['a', 'b', 'c'] },
    series: [{ name: 'a', values: [0, 0, 0] }],
  },
  'no values': {
    kind: 'line',
    title: 'No values',
    x: { labels: ['a', 'b'] },
    series: [{ name: 'a', values: [null, null] }],
  },
  'very large': {
    kind: 'line',
    title: 'Market value',
    unit: 'USD',
    x: { labels: ['2021', '2022', '2023', '2024'] },
    series: [{ name: 'a', values: [1_890_000_000, 2_110_000_000, -450_000_000, 3_020_000_000] }],
  },
  'one bar': {
    kind: 'bar',
    title: 'One bar',
    unit: 'kg',
    x: { labels: ['Everything together in one name that is long'] },
    series: [{ name: 'a', values: [1234.5] }],
  },
  full: {
    kind: 'line',
    title:
      'Twelve series of four hundred points each, which is as much as one picture can carry and more than one should',
    unit: 'index, January 1992 = 100',
    x: { labels: Array.from({ length: 400 }, (_, n) => `${months[n % 12]} ${1992 + Math.floor(n / 12)}`) },
    series: Array.from({ length: 12 }, (_, at) => ({
      name: `Series number ${at + 1}`,
      values: wave(400, at, 6, 60 + at * 9),
    })),
  },
  'full of bars': {
    kind: 'bar',
    title: 'Twelve series of bars',
    x: { labels: ['2020', '2021', '2022', '2023', '2024'] },
    series: Array.from({ length: 12 }, (_, at) => ({ name: `Segment ${at + 1}`, values: wave(5, at, 5, 6 + at) })),
  },
  'long names': {
    kind: 'bar',
    title:
      'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft without any place to break it well',
    unit: 'thousand passengers',
    x: {
      labels: [
        'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk',
        'Ministry of Infrastructure, Transport and Networks',
        'x',
        '',
      ],
    },
    series: [
      {
        name: 'An unusually long name of a series that cannot stand on one line of a phone',
        values: [5, 12_400, null, 3],
      },
      { name: '', values: [1, 2, 3, 4] },
    ],
    source: 'A source with a very long title that goes on over more than one line on a phone, and then some words more',
  },
} satisfies Record<string, Chart>;
