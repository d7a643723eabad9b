/** Horizontal bar charts: for names that have no room below vertical bars. */
import { measureAt, wrap } from '../fonts/text-layout.ts';
import { type TidyChart, valuesOf } from './chart.ts';
import { addLines, addTextOver, type ChartSheet, type DrawingShape, isSecondRound, LINE, SIZE } from './drawing.ts';
import { type FormatValue, scaleOf, tickFormat, type ValueScale } from './scale.ts';
import { barValueTexts, wrapLabels } from './upright.ts';

const MAX_ROWS = 40;
const NAMES_SHARE = 0.38;
const NAME_LINES = 3;
const SINGLE_BAR = 16;
const GROUPED_BAR = 9;
const ROW_GAP = 10;
/** If the plot would be narrower than this, the value labels are omitted. */
const MIN_PLOT_WIDTH = 64;

const measure = measureAt(SIZE.label);
const measureNote = measureAt(SIZE.note);

/** If most labels contain digits, such as years and months, they are times and never go to the side. */
export function isHorizontal({ kind, labels }: TidyChart, width: number): boolean {
  if (kind !== 'bar' || labels.length > MAX_ROWS) return false;
  if (labels.filter((label) => /\d/.test(label)).length * 2 > labels.length) return false;
  return wrapLabels(labels, (width - 70) / labels.length - 8) === undefined;
}

type Rows = { names: string[][]; left: number; from: number; right: number; xOf: (value: number) => number };

export function drawHorizontalBars(sheet: ChartSheet, chart: TidyChart, language: string): void {
  const [only] = chart.series;
  const valueTexts = only && chart.series.length === 1 ? barValueTexts(only, language) : [];
  const scale = scaleOf(valuesOf(chart), { mustShowZero: true, ticks: sheet.width < 500 ? 3 : 5 });
  const show = tickFormat(scale.ticks, language);
  const withValues = rowsOn(sheet, chart, scale, Math.max(0, ...valueTexts.map(measureNote)));
  const hasRoom = withValues.right - withValues.from >= MIN_PLOT_WIDTH;
  const rows = hasRoom ? withValues : rowsOn(sheet, chart, scale, 0);
  const top = sheet.y;
  for (const [index, name] of rows.names.entries())
    drawRow(sheet, chart, rows, { index, name, text: hasRoom ? (valueTexts[index] ?? '') : '' });
  sheet.y += 2;
  drawAxis(sheet, scale, rows, show, top);
}

/** Draws the axis behind the bars, with as many numbers as fit. */
function drawAxis(sheet: ChartSheet, { ticks }: ValueScale, { xOf }: Rows, show: FormatValue, top: number): void {
  const bottom = sheet.y;
  const lines = ticks.map((tick): DrawingShape => {
    const x = xOf(tick);
    const points: [number, number][] = [
      [x, top],
      [x, bottom],
    ];
    return { kind: 'line', points, paint: tick === 0 ? 'axis' : 'grid', thickness: 1 };
  });
  sheet.shapes.unshift(...lines);
  let end = -Infinity;
  for (const tick of ticks) {
    const text = show(tick);
    const half = measure(text) / 2;
    const middle = Math.min(xOf(tick), sheet.width - half - 2);
    if (middle - half < end + 4) continue;
    end = middle + half;
    addLines(sheet, [text], { x: middle, top: bottom + 4, size: SIZE.label, anchor: 'middle', paint: 'soft' });
  }
  sheet.y = bottom + 4 + SIZE.label * LINE;
}

function rowsOn(sheet: ChartSheet, { labels, series }: TidyChart, scale: ValueScale, textWidth: number): Rows {
  const maxWidth = Math.max(sheet.width * NAMES_SHARE, 96);
  const names = labels.map((label) => wrap(label, maxWidth, measure, NAME_LINES).lines);
  const left = sheet.margin + Math.max(...names.flat().map(measure), 0) + 10;
  const aside = textWidth > 0 ? textWidth + 8 : 0;
  const hasLess = series.some(({ values }) => values.some((value) => value !== null && value < 0));
  const from = left + (hasLess ? aside : 0);
  const right = sheet.width - sheet.margin - Math.max(aside, 8);
  return { names, left, from, right, xOf: (value) => from + scale.shareOf(value) * (right - from) };
}

type Row = { index: number; name: string[]; text: string };

function drawRow(sheet: ChartSheet, { series }: TidyChart, rows: Rows, { index, name, text }: Row): void {
  const thickness = series.length === 1 ? SINGLE_BAR : GROUPED_BAR;
  const nameHeight = name.length * SIZE.label * LINE;
  const height = Math.max(nameHeight, thickness * series.length);
  const top = sheet.y + ROW_GAP / 2;
  const nameTop = top + (height - nameHeight) / 2;
  addLines(sheet, name, { x: rows.left - 10, top: nameTop, size: SIZE.label, anchor: 'end', paint: 'ink' });
  const first = top + (height - thickness * series.length) / 2;
  const gap = series.length > 1 ? 1 : 0;
  for (const [at, { values }] of series.entries()) {
    const value = values[index] ?? null;
    if (value === null) continue;
    drawBar(sheet, rows, { at, top: first + at * thickness, thickness: thickness - gap, value, text });
  }
  sheet.y = top + height + ROW_GAP / 2;
}

type Bar = { at: number; top: number; thickness: number; value: number; text: string };

function drawBar(sheet: ChartSheet, { xOf }: Rows, { at, top, thickness, value, text }: Bar): void {
  const zero = xOf(0);
  const width = value === 0 ? 0 : Math.max(Math.abs(xOf(value) - zero), 1);
  const x = value < 0 ? zero - width : zero;
  const place = { x, y: top, width, height: thickness };
  if (width > 0) sheet.shapes.push({ kind: 'rect', ...place, paint: { series: at }, hollow: isSecondRound(at) });
  const beside = value < 0 ? { x: x - 5, anchor: 'end' as const } : { x: x + width + 5, anchor: 'start' as const };
  addTextOver(sheet, { ...beside, text, y: top + thickness / 2 + SIZE.note * 0.36, size: SIZE.note, paint: 'ink' });
}
