/** Bars that stand, in groups where there is more than one series. */
import { measureAt } from '../fonts/measure.ts';
import type { Plot } from './draw-upright.ts';
import { isSecondRound } from './paints.ts';
import { addTextOver, type ChartSheet, SIZE } from './sheet.ts';
import { shortFormat } from './show-value.ts';
import type { TidyChart, TidySeries } from './tidy-chart.ts';

const BAR_SHARE = 0.72;
const MAX_BAR_WIDTH = 64;
/** So that nothing which is there is taken for nothing. */
const MIN_BAR_HEIGHT = 1;
const MAX_LABELLED_BARS = 14;

/** What stands at each bar, where there is room for all of them. */
export function barValueLabels({ series, labels }: TidyChart, language: string, width: number): string[] | undefined {
  const [only] = series;
  if (!only || series.length > 1 || labels.length > MAX_LABELLED_BARS) return undefined;
  const texts = barValueTexts(only, language);
  const measure = measureAt(SIZE.note);
  const slot = (width - 80) / labels.length;
  return texts.every((text) => measure(text) + 4 <= slot) ? texts : undefined;
}

export function barValueTexts({ values }: TidySeries, language: string): string[] {
  const show = shortFormat(
    values.filter((value) => value !== null),
    language,
  );
  return values.map((value) => (value === null ? '' : show(value)));
}

export function drawBars(sheet: ChartSheet, { series }: TidyChart, plot: Plot, names: string[] | undefined): void {
  const width = Math.min((plot.slot * BAR_SHARE) / series.length, MAX_BAR_WIDTH);
  for (const [at, { values }] of series.entries()) {
    for (const [index, value] of values.entries()) {
      if (value === null) continue;
      const centre = plot.centreOf(index);
      const left = centre + (at - series.length / 2) * width;
      const { top, height } = drawBar(sheet, plot, { at, left, width: width - gapOf(width, series.length), value });
      const y = value < 0 ? top + height + SIZE.note + 2 : top - 5;
      addTextOver(sheet, { text: names?.[index] ?? '', x: centre, y, anchor: 'middle', size: SIZE.note, paint: 'ink' });
    }
  }
}

const gapOf = (width: number, count: number): number => (width > 8 && count > 1 ? 1 : 0);

type Bar = { at: number; left: number; width: number; value: number };

function drawBar(sheet: ChartSheet, { yOf }: Plot, { at, left, width, value }: Bar): { top: number; height: number } {
  const [zero, end] = [yOf(0), yOf(value)];
  const height = value === 0 ? 0 : Math.max(Math.abs(end - zero), MIN_BAR_HEIGHT);
  const top = value < 0 ? zero : zero - height;
  const place = { x: left, y: top, width, height };
  if (height > 0) sheet.shapes.push({ kind: 'rect', ...place, paint: { series: at }, hollow: isSecondRound(at) });
  return { top, height };
}
