/** Bars that lie, each beside its name: for names that have no room at the foot of standing ones. */
import { measureAt } from '../fonts/measure.ts';
import { wrap } from '../fonts/wrap.ts';
import { namesOf } from './draw-bars.ts';
import { wrappedIn } from './labels-along.ts';
import { isSecondRound } from './paints.ts';
import { type Scale, scaleOf } from './scale.ts';
import { LINE, MARGIN, put, putLines, type Sheet, SIZE } from './sheet.ts';
import { showTicks } from './show-value.ts';
import { type TidyChart, valuesOf } from './tidy-chart.ts';

const MOST_ROWS = 40;
const NAMES_SHARE = 0.38;
const NAME_LINES = 3;
const SINGLE_BAR = 16;
const GROUPED_BAR = 9;
const ROW_GAP = 10;

const measure = measureAt(SIZE.label);
const measureNote = measureAt(SIZE.note);

/** Names go aside, times never: a year or a month has a digit in it. */
export function goesSideways({ kind, labels }: TidyChart, width: number): boolean {
  if (kind !== 'bar' || labels.length > MOST_ROWS) return false;
  if (labels.filter((label) => /\d/.test(label)).length * 2 > labels.length) return false;
  return wrappedIn(labels, (width - 70) / labels.length - 8) === undefined;
}

type Rows = { names: string[][]; left: number; right: number; xOf: (value: number) => number };

export function drawSideways(sheet: Sheet, chart: TidyChart, language: string): void {
  const [only] = chart.series;
  const texts = only && chart.series.length === 1 ? namesOf(only, language) : undefined;
  const scale = scaleOf(valuesOf(chart), { mustShowZero: true, ticks: sheet.width < 500 ? 3 : 5 });
  const show = showTicks(scale.ticks, language);
  const rows = rowsOn(sheet, chart, scale, Math.max(0, ...(texts ?? []).map(measureNote)));
  const top = sheet.y;
  const grid: Sheet = { ...sheet, shapes: [] };
  for (const [index, name] of rows.names.entries()) drawRow(sheet, chart, rows, index, name, texts?.[index]);
  sheet.y += 2;
  let end = -Infinity;
  for (const tick of scale.ticks) {
    const [x, text] = [rows.xOf(tick), show(tick)];
    const points: [number, number][] = [
      [x, top],
      [x, sheet.y],
    ];
    grid.shapes.push({ kind: 'line', points, paint: tick === 0 ? 'axis' : 'grid', thickness: 1 });
    const half = measure(text) / 2;
    const middle = Math.min(x, sheet.width - half - 2);
    if (middle - half < end + 4) continue;
    end = middle + half;
    putLines(sheet, [text], { x: middle, top: sheet.y + 4, size: SIZE.label, anchor: 'middle', paint: 'soft' });
  }
  sheet.shapes.unshift(...grid.shapes);
  sheet.y += 4 + SIZE.label * LINE;
}

function rowsOn(sheet: Sheet, { labels, series }: TidyChart, scale: Scale, textWidth: number): Rows {
  const most = Math.max(sheet.width * NAMES_SHARE, 96);
  const names = labels.map((label) => wrap(label, most, measure, NAME_LINES).lines);
  const left = MARGIN + Math.max(...names.flat().map(measure), 0) + 10;
  const aside = textWidth > 0 ? textWidth + 8 : 0;
  const hasLess = series.some(({ values }) => values.some((value) => value !== null && value < 0));
  const from = left + (hasLess ? aside : 0);
  const right = sheet.width - MARGIN - Math.max(aside, 8);
  return { names, left, right, xOf: (value) => from + scale.shareOf(value) * (right - from) };
}

function drawRow(
  sheet: Sheet,
  { series }: TidyChart,
  rows: Rows,
  index: number,
  name: string[],
  text: string | undefined,
): void {
  const bar = series.length === 1 ? SINGLE_BAR : GROUPED_BAR;
  const nameHeight = name.length * SIZE.label * LINE;
  const height = Math.max(nameHeight, bar * series.length);
  const top = sheet.y + ROW_GAP / 2;
  const nameTop = top + (height - nameHeight) / 2;
  putLines(sheet, name, { x: rows.left - 10, top: nameTop, size: SIZE.label, anchor: 'end', paint: 'ink' });
  const zero = rows.xOf(0);
  for (const [at, { values }] of series.entries()) {
    const value = values[index] ?? null;
    if (value === null) continue;
    const end = rows.xOf(value);
    const y = top + (height - bar * series.length) / 2 + at * bar;
    const width = value === 0 ? 0 : Math.max(Math.abs(end - zero), 1);
    const x = value < 0 ? zero - width : zero;
    const shape = { x, y, width, height: bar - (series.length > 1 ? 1 : 0) };
    if (width > 0) sheet.shapes.push({ kind: 'rect', ...shape, paint: { series: at }, hollow: isSecondRound(at) });
    const beside = value < 0 ? { x: x - 5, anchor: 'end' as const } : { x: x + width + 5, anchor: 'start' as const };
    put(sheet, { ...beside, text: text ?? '', y: y + bar / 2 + SIZE.note * 0.36, size: SIZE.note, paint: 'ink' });
  }
  sheet.y = top + height + ROW_GAP / 2;
}
