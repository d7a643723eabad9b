/** Lines, and bars that stand: values upwards, labels along the foot. */
import { measureAt } from '../fonts/measure.ts';
import { barValueLabels, drawBars } from './draw-bars.ts';
import { drawLines } from './draw-lines.ts';
import { drawLabels, labelsAlong } from './labels-along.ts';
import { scaleOf, type ValueScale } from './scale.ts';
import { timePositions } from './shares-of-time.ts';
import { addText, type ChartSheet, SIZE } from './sheet.ts';
import { type FormatValue, tickFormat } from './show-value.ts';
import { type TidyChart, valuesOf } from './tidy-chart.ts';

/** Where values are drawn, and where each label has its place. */
export type Plot = {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** The least from one place to the next. */
  slot: number;
  isTime: boolean;
  centreOf: (index: number) => number;
  yOf: (value: number) => number;
};

const MAX_HEIGHT = 320;
const MIN_HEIGHT = 190;
/** A bar thinner than this is not seen as one. */
const MIN_BAR_WIDTH = 2;

export function drawVertical(sheet: ChartSheet, chart: TidyChart, language: string): void {
  const asBars = chart.kind === 'bar' && barWidth(chart, sheet.width) >= MIN_BAR_WIDTH;
  const height = Math.min(Math.max(sheet.width * 0.46, MIN_HEIGHT), MAX_HEIGHT);
  const scale = scaleOf(valuesOf(chart), { mustShowZero: chart.kind === 'bar', ticks: height > 240 ? 5 : 4 });
  const show = tickFormat(scale.ticks, language);
  const labels = asBars ? barValueLabels(chart, language, sheet.width) : undefined;
  const plot = plotOn(sheet, chart, scale, show, height, asBars, labels !== undefined);
  drawGrid(sheet, plot, scale, show);
  if (asBars) drawBars(sheet, chart, plot, labels);
  else drawLines(sheet, chart, plot);
  sheet.y = drawLabels(sheet, labelsAlong(chart.labels, plot, sheet.width), plot.bottom);
}

const barWidth = ({ labels, series }: TidyChart, width: number): number =>
  ((width - 60) / labels.length) * (0.72 / series.length);

function plotOn(
  sheet: ChartSheet,
  chart: TidyChart,
  scale: ValueScale,
  show: FormatValue,
  height: number,
  asBars: boolean,
  hasValues: boolean,
): Plot {
  const measure = measureAt(SIZE.label);
  const left = sheet.margin + Math.max(...scale.ticks.map((tick) => measure(show(tick)))) + 8;
  const right = sheet.width - sheet.margin;
  const top = sheet.y + (hasValues ? 18 : 8);
  const bottom = top + height;
  const hasBelow = hasValues && valuesOf(chart).some((value) => value < 0);
  const foot = bottom - (hasBelow ? 16 : 0);
  const inset = asBars ? 0 : 8;
  const count = chart.labels.length;
  const room = right - left - 2 * inset;
  const shares = chart.kind === 'line' ? timePositions(chart.labels) : undefined;
  const slot = shares ? room * smallestStep(shares) : room / (asBars ? count : Math.max(count - 1, 1));
  const centreOf = (index: number) => {
    if (asBars) return left + slot * (index + 0.5);
    if (shares) return left + inset + room * (shares[index] ?? 0);
    return count === 1 ? (left + right) / 2 : left + inset + slot * index;
  };
  const yOf = (value: number) => foot - scale.shareOf(value) * (foot - top);
  return { left, right, top, bottom, slot, isTime: shares !== undefined, centreOf, yOf };
}

const smallestStep = (shares: readonly number[]): number =>
  shares.reduce((least, share, at) => (at === 0 ? least : Math.min(least, share - (shares[at - 1] ?? 0))), 1);

function drawGrid(sheet: ChartSheet, { left, right, yOf }: Plot, { ticks }: ValueScale, show: FormatValue): void {
  for (const tick of ticks) {
    const y = yOf(tick);
    const points: [number, number][] = [
      [left, y],
      [right, y],
    ];
    sheet.shapes.push({ kind: 'line', points, paint: tick === 0 ? 'axis' : 'grid', thickness: 1 });
    addText(sheet, {
      text: show(tick),
      x: left - 8,
      y: y + SIZE.label * 0.36,
      anchor: 'end',
      size: SIZE.label,
      paint: 'soft',
    });
  }
}
