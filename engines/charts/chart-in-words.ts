/** What a chart says, in words: for those who do not see it. */
import type { Chart } from './chart.ts';
import { canonicalLanguage, type FormatValue, fullFormat } from './show-value.ts';
import { type TidySeries, tidyChart } from './tidy-chart.ts';

const KINDS = { line: 'Line chart', bar: 'Bar chart' };
const MAX_LISTED_VALUES = 6;

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
