/** The charts of a mail: series of one unit and of a like size together, as many as a phone shows readably. */
import type { Chart } from '../../charts/chart.ts';
import type { FigureSeries } from './figures.ts';
import { listed, sourceTitle } from './words.ts';

const MOST_CHARTS = 3;
const MOST_SERIES = 4;
const MOST_POINTS = 60;
/** Series that differ by more than this would lie flat beside each other. */
const LIKE = 8;

export function chartsOf(all: readonly FigureSeries[]): Chart[] {
  const lines = all.filter(({ points }) => points.length > 1);
  const bars = all.filter(({ points }) => points.length === 1);
  const together = (some: readonly FigureSeries[]) =>
    [...Map.groupBy(some, ({ source, unit }) => JSON.stringify([source, unit])).values()].flatMap(alike);
  const longest = together(lines).toSorted((a, b) => lengthOf(b) - lengthOf(a));
  return [...longest.map(lineChart), ...together(bars).map(barChart)].slice(0, MOST_CHARTS);
}

function alike(series: readonly FigureSeries[]): FigureSeries[][] {
  const groups: FigureSeries[][] = [];
  for (const one of series.toSorted((a, b) => sizeOf(a) - sizeOf(b))) {
    const last = groups.at(-1);
    const least = last?.[0] && sizeOf(last[0]);
    const fits = least !== undefined && last && last.length < MOST_SERIES && sizeOf(one) <= LIKE * least;
    if (fits) last.push(one);
    else groups.push([one]);
  }
  return groups;
}

/** What has a history tells more by a picture. */
const lengthOf = (series: readonly FigureSeries[]): number => Math.max(...series.map(({ points }) => points.length));

const sizeOf = ({ points }: FigureSeries): number => Math.max(...points.map(({ value }) => Math.abs(value)));

const common = (series: readonly FigureSeries[]) => {
  const [{ source = '', unit = '', isSample = false } = {}] = series;
  return {
    title: listed(series.map(({ label }) => label)),
    ...(unit === '' ? {} : { unit }),
    source: `${sourceTitle(source)}${isSample ? ' (sample data)' : ''}`,
  };
};

function lineChart(series: readonly FigureSeries[]): Chart {
  const days = [...new Set(series.flatMap(({ points }) => points.map(({ at }) => at.slice(0, 10))))]
    .toSorted()
    .slice(-MOST_POINTS);
  return {
    kind: 'line',
    ...common(series),
    x: { labels: days },
    series: series.map(({ label, points }) => {
      const values = new Map(points.map(({ at, value }) => [at.slice(0, 10), value]));
      return { name: label, values: days.map((day) => values.get(day) ?? null) };
    }),
  };
}

function barChart(series: readonly FigureSeries[]): Chart {
  const { source = '' } = series[0] ?? {};
  return {
    kind: 'bar',
    ...common(series),
    x: { labels: series.map(({ label }) => label) },
    series: [{ name: sourceTitle(source), values: series.map(({ points }) => points[0]?.value ?? null) }],
  };
}
