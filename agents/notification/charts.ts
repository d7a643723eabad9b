/** Charts of the figures that came with the items. */

import { type Chart, describeChart } from '../../engines/charts/chart.ts';
import type { EmailChart } from '../../engines/mail/email.ts';
import { sourceName } from '../source-names.ts';
import type { FigureSeries } from './figures.ts';
import type { NotificationPorts } from './ports.ts';
import { nameList } from './wording.ts';

const MAX_CHARTS = 3;
const MAX_SERIES = 4;
const MAX_POINTS = 60;
/** A series more than this many times larger would flatten the others in the same chart. */
const MAX_RATIO = 8;

/** Groups series of one unit and similar size into charts, as many as a phone can show legibly. */
export function chartsOf(allSeries: readonly FigureSeries[]): Chart[] {
  const lines = allSeries.filter(({ points }) => points.length > 1);
  const bars = allSeries.filter(({ points }) => points.length === 1);
  const groupSeries = (unsorted: readonly FigureSeries[]) =>
    [...Map.groupBy(unsorted, ({ source, unit }) => JSON.stringify([source, unit])).values()].flatMap(groupBySize);
  const longest = groupSeries(lines).toSorted((a, b) => lengthOf(b) - lengthOf(a));
  return [...longest.map(lineChart), ...groupSeries(bars).map(barChart)].slice(0, MAX_CHARTS);
}

/**
 * Sized for a phone, so that chart labels are no smaller than the text; the scale keeps charts sharp on a wide screen.
 */
const SIZE = { widthPixels: 340, scale: 3 };

type DrawnCharts = { charts: EmailChart[]; missingScripts: string[] };

export async function drawCharts(
  { chartPng }: Pick<NotificationPorts, 'chartPng'>,
  charts: Chart[],
  asPicture: boolean,
): Promise<DrawnCharts> {
  const missing = new Set<string>();
  const drawing = charts.map(async (chart, at) => {
    const inWords = describeChart(chart);
    const { title } = chart;
    if (!asPicture) return { title, inWords };
    const { bytes, missingScripts } = await chartPng(chart, SIZE);
    for (const script of missingScripts) missing.add(script);
    return { title, inWords, picture: { cid: `chart-${at + 1}@errand`, png: Buffer.from(bytes).toString('base64') } };
  });
  return { charts: await Promise.all(drawing), missingScripts: [...missing].toSorted() };
}

function groupBySize(series: readonly FigureSeries[]): FigureSeries[][] {
  const groups: FigureSeries[][] = [];
  for (const next of series.toSorted((a, b) => sizeOf(a) - sizeOf(b))) {
    const last = groups.at(-1);
    const smallest = last?.[0] && sizeOf(last[0]);
    const fits = smallest !== undefined && last && last.length < MAX_SERIES && sizeOf(next) <= MAX_RATIO * smallest;
    if (fits) last.push(next);
    else groups.push([next]);
  }
  return groups;
}

/** The longest history comes first, as a chart shows it best. */
const lengthOf = (series: readonly FigureSeries[]): number => Math.max(...series.map(({ points }) => points.length));

const sizeOf = ({ points }: FigureSeries): number => Math.max(...points.map(({ value }) => Math.abs(value)));

const commonFields = (series: readonly FigureSeries[]) => {
  const [{ source = '', unit = '', isSample = false } = {}] = series;
  return {
    title: nameList(series.map(({ label }) => label)),
    ...(unit === '' ? {} : { unit }),
    source: `${sourceName(source)}${isSample ? ' (sample data)' : ''}`,
  };
};

function lineChart(series: readonly FigureSeries[]): Chart {
  const days = [...new Set(series.flatMap(({ points }) => points.map(({ at }) => at.slice(0, 10))))]
    .toSorted()
    .slice(-MAX_POINTS);
  return {
    kind: 'line',
    ...commonFields(series),
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
    ...commonFields(series),
    x: { labels: series.map(({ label }) => label) },
    series: [{ name: sourceName(source), values: series.map(({ points }) => points[0]?.value ?? null) }],
  };
}
