/** Takes a chart as it comes and makes it drawable: bounded, every value a number or missing, every text one plain line. */
import { type Chart, MAX_POINTS, MAX_SERIES } from './chart.ts';

export type TidySeries = { name: string; values: (number | null)[] };

export type TidyChart = {
  kind: Chart['kind'];
  title: string;
  unit: string;
  labels: string[];
  series: TidySeries[];
  source: string;
  /** What a reader must know of what was left out. */
  remark: string;
};

/** Beyond it nothing that anybody counts is found, and the arithmetic of scales ends. */
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

/** Neither line breaks, nor controls, nor signs that turn the direction of what follows. */
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
