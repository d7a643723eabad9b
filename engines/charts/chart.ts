/** A chart as data: the input type, the bounded and cleaned chart that is drawn, and its description in words. */
import { canonicalLanguage, type FormatValue, fullFormat } from './scale.ts';

export type ChartSeries = {
  name: string;
  /** One value for each label of x. Null leaves a gap. */
  values: (number | null)[];
};

export type Chart = {
  kind: 'line' | 'bar';
  title: string;
  /** The unit of the values, such as `EUR` or `% of GDP`. */
  unit?: string;
  x: { labels: string[] };
  series: ChartSeries[];
  /** A description of where the values come from. */
  source?: string;
};

/**
 * Further series and points are left out, with a remark under the chart. Lines with many points are drawn by their
 * extremes.
 */
const MAX_SERIES = 12;
export const MAX_POINTS = 5_000;

/** A chart ready to be drawn: bounded, every value a number or null, every text one plain line. */
export type TidySeries = { name: string; values: (number | null)[] };

export type TidyChart = {
  kind: Chart['kind'];
  title: string;
  unit: string;
  labels: string[];
  series: TidySeries[];
  source: string;
  /** Tells readers what was left out. */
  remark: string;
};

/** Larger values do not occur in practice, and the arithmetic of scales would overflow. */
const LARGEST = 1e100;
const MAX_LABEL = 120;
const MAX_TITLE = 300;

export function tidyChart(chart: Chart): TidyChart {
  const labels = chart.x.labels.slice(0, MAX_POINTS);
  const series = chart.series.slice(0, MAX_SERIES).map(({ name, values }, at) => ({
    name: plainLine(name, MAX_LABEL) || `Series ${at + 1}`,
    values: labels.map((_, index) => usableValue(values[index])),
  }));
  return {
    kind: chart.kind,
    title: plainLine(chart.title, MAX_TITLE),
    unit: plainLine(chart.unit ?? '', MAX_LABEL),
    labels: labels.map((label) => plainLine(label, MAX_LABEL)),
    series,
    source: plainLine(chart.source ?? '', MAX_TITLE),
    remark: remarkOf(chart),
  };
}

function usableValue(value: number | null | undefined): number | null {
  if (typeof value !== 'number' || !(Math.abs(value) <= LARGEST)) return null;
  return Math.abs(value) < 1 / LARGEST ? 0 : value;
}

/** Removes line breaks, control characters and characters that change the text direction. */
export const plainLine = (text: string, max: number): string =>
  Array.from(
    text
      .normalize('NFC')
      .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zs}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim(),
  )
    .slice(0, max)
    .join('');

function remarkOf({ x, series }: Chart): string {
  const parts = [
    ...(series.length > MAX_SERIES ? [`the first ${MAX_SERIES} of ${series.length} series`] : []),
    ...(x.labels.length > MAX_POINTS ? [`the first ${MAX_POINTS} of ${x.labels.length} points`] : []),
  ];
  return parts.length > 0 ? `Shown are ${parts.join(' and ')}.` : '';
}

export const valuesOf = ({ series }: TidyChart): number[] =>
  series.flatMap(({ values }) => values.filter((value) => value !== null));

const KINDS = { line: 'Line chart', bar: 'Bar chart' };
const MAX_LISTED_VALUES = 6;

/** Describes a chart in words, for readers who cannot see it. */
export function describeChart(chart: Chart, language?: string): string {
  const { kind, title, unit, labels, series, source, remark } = tidyChart(chart);
  const show = fullFormat(canonicalLanguage(language));
  const head = `${KINDS[kind]}: ${title || 'without a title'}${unit ? `, in ${unit}` : ''}.`;
  return [
    head,
    ...(labels.length > 1 ? [`${labels.length} points from ${labels[0]} to ${labels.at(-1)}.`] : []),
    ...series.map(
      (one) =>
        `${series.length > 1 ? `${one.name}: ${describeSeries(one, labels, show)}` : capitalize(describeSeries(one, labels, show))}.`,
    ),
    ...(remark ? [remark] : []),
    ...(source ? [`Source: ${source}.`] : []),
  ].join(' ');
}

const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function describeSeries({ values }: TidySeries, labels: readonly string[], show: FormatValue): string {
  const points = values.flatMap((value, index) => (value === null ? [] : [{ value, label: labels[index] ?? '' }]));
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return 'no values';
  const named = ({ value, label }: typeof first) => (label ? `${show(value)} (${label})` : show(value));
  if (points.length <= MAX_LISTED_VALUES) return points.map(named).join(', ');
  const lowest = points.reduce((best, point) => (point.value < best.value ? point : best));
  const highest = points.reduce((best, point) => (point.value > best.value ? point : best));
  return `from ${named(first)} to ${named(last)}, lowest ${named(lowest)}, highest ${named(highest)}`;
}
