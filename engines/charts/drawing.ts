/** Drawings of charts: shapes on a sheet, and the plot of vertical bars and lines. */
import { measureAt, shorten, wrap } from '../fonts/text-layout.ts';
import {
  type FormatValue,
  scaleOf,
  shortFormat,
  type TidyChart,
  type TidySeries,
  tickFormat,
  type ValueScale,
  valuesOf,
} from './chart.ts';

/** The role of a shape's color. Each color scheme maps roles to colors. */
export type Paint = 'paper' | 'ink' | 'soft' | 'grid' | 'axis' | { series: number };

type DrawingPoint = [x: number, y: number];

export type DrawingShape =
  | { kind: 'rect'; x: number; y: number; width: number; height: number; paint: Paint; hollow?: boolean }
  | { kind: 'line'; points: DrawingPoint[]; paint: Paint; thickness: number; dashed?: boolean }
  | { kind: 'dot'; x: number; y: number; radius: number; paint: Paint; hollow?: boolean }
  | TextShape;

type TextShape = {
  kind: 'text';
  x: number;
  /** The baseline. */
  y: number;
  size: number;
  anchor: 'start' | 'middle' | 'end';
  paint: Paint;
  text: string;
  strong?: boolean;
};

/** A list of shapes, written as SVG or PDF. Y grows downwards. */
export type Drawing = { width: number; height: number; shapes: DrawingShape[] };

/** Chart colors, distinguishable with color blindness, with a contrast of at least 3:1 against their background. */
type Colours = { series: readonly string[]; paper: string; ink: string; soft: string; grid: string; axis: string };

export const LIGHT: Colours = {
  series: ['#0081dd', '#e37400', '#559c79', '#a05392', '#76702f', '#2e3543'],
  paper: '#ffffff',
  ink: '#1b2330',
  soft: '#55606e',
  grid: '#e3e7ec',
  axis: '#8a94a1',
};

export const DARK: Colours = {
  series: ['#0c95ea', '#d87749', '#4de7b2', '#ffaff0', '#d5d34d', '#879098'],
  paper: '#161b22',
  ink: '#e8ebf0',
  soft: '#a7b0bc',
  grid: '#2c343f',
  axis: '#77828f',
};

const COLOURS = LIGHT.series.length;

export const colourOf = (paint: Paint, { series, ...namedColours }: Colours): string =>
  typeof paint === 'string' ? namedColours[paint] : (series[paint.series % COLOURS] ?? namedColours.ink);

/** When colors repeat, dashed lines and hollow bars mark the second round. */
export const isSecondRound = (series: number): boolean => series >= COLOURS;

/** Class names of paints for style sheets, which a page's dark mode needs. */
export const className = (paint: Paint): string =>
  typeof paint === 'string' ? `c-${paint}` : `c-${(paint.series % COLOURS) + 1}`;

/** The surface for a chart: its shapes, and how far down it is filled. */
export type ChartSheet = { width: number; margin: number; shapes: DrawingShape[]; y: number };

export const SIZE = { title: 15, label: 12, note: 11 };
export const LINE = 1.35;

export const blankSheet = (width: number, margin: number): ChartSheet => ({ width, margin, shapes: [], y: margin });

export function addText(sheet: ChartSheet, text: Omit<TextShape, 'kind'>): void {
  if (text.text) sheet.shapes.push({ kind: 'text', ...text });
}

/** Puts a background behind the text, so that no line runs through its letters. */
export function addTextOver(sheet: ChartSheet, text: Omit<TextShape, 'kind'>): void {
  if (!text.text) return;
  const width = measureAt(text.size)(text.text);
  const left = text.x - { start: 0, middle: width / 2, end: width }[text.anchor];
  const place = { x: left, y: text.y - text.size * 0.9, width, height: text.size * 1.15 };
  sheet.shapes.push({ kind: 'rect', ...place, paint: 'paper' });
  addText(sheet, text);
}

/** Adds lines of text from `top` downwards and returns where they end. */
export function addLines(
  sheet: ChartSheet,
  lines: readonly string[],
  { top, ...text }: Omit<TextShape, 'kind' | 'text' | 'y'> & { top: number },
): number {
  const height = text.size * LINE;
  for (const [at, line] of lines.entries())
    addText(sheet, { ...text, text: line, y: baseLine(top + at * height, text.size) });
  return top + lines.length * height;
}

/** Letters are slightly above the middle of their line. */
const baseLine = (top: number, size: number): number => top + size * 1.02;

const BAR_SHARE = 0.72;
const MAX_BAR_WIDTH = 64;
/** A small value must not look like a missing one. */
const MIN_BAR_HEIGHT = 1;
const MAX_LABELLED_BARS = 14;

/** Returns the labels of the bars, or undefined if they do not all fit. */
function barValueLabels({ series, labels }: TidyChart, language: string, width: number): string[] | undefined {
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

function drawBars(sheet: ChartSheet, { series }: TidyChart, plot: Plot, names: string[] | undefined): void {
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

/** Lines with more points are drawn without dots. */
const MAX_DOTS = 16;
/** Of several points within this many pixels, only the highest and the lowest are drawn. */
const PIXELS_APART = 2;

function drawLines(sheet: ChartSheet, { series, labels }: TidyChart, plot: Plot): void {
  for (const [at, { values }] of series.entries()) {
    const paint = { series: at };
    for (const run of runsOf(values)) {
      const points = run.map(([index, value]): DrawingPoint => [plot.centreOf(index), plot.yOf(value)]);
      const dashed = isSecondRound(at);
      if (points.length > 1)
        sheet.shapes.push({ kind: 'line', points: thinPoints(points), paint, thickness: 2, dashed });
      if (points.length > 1 && labels.length > MAX_DOTS) continue;
      for (const [x, y] of points) sheet.shapes.push({ kind: 'dot', x, y, radius: 3, paint, hollow: dashed });
    }
  }
}

/** Returns the runs of values between gaps, each value with its index. */
function runsOf(values: readonly (number | null)[]): [index: number, value: number][][] {
  const runs: [number, number][][] = [];
  let isOpen = false;
  for (const [index, value] of values.entries()) {
    if (value !== null && isOpen) runs.at(-1)?.push([index, value]);
    else if (value !== null) runs.push([[index, value]]);
    isOpen = value !== null;
  }
  return runs;
}

function thinPoints(points: DrawingPoint[]): DrawingPoint[] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || (last[0] - first[0]) / points.length > PIXELS_APART / 2) return points;
  const columns = Map.groupBy(points.slice(1, -1), ([x]) => Math.floor((x - first[0]) / PIXELS_APART));
  return [first, ...[...columns.values()].flatMap(extremes), last];
}

/** Returns the extremes in drawing order. */
function extremes(column: DrawingPoint[]): DrawingPoint[] {
  const high = column.reduce((best, point) => (point[1] < best[1] ? point : best));
  const low = column.reduce((best, point) => (point[1] > best[1] ? point : best));
  if (high === low) return [high];
  return high[0] < low[0] ? [high, low] : [low, high];
}

/** The area of the plot, and the position of each label. */
type Plot = {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** The smallest distance between two positions. */
  slot: number;
  isTime: boolean;
  centreOf: (index: number) => number;
  yOf: (value: number) => number;
};

const MAX_HEIGHT = 320;
const MIN_HEIGHT = 190;
/** A narrower bar would not be visible as a bar. */
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

type Label = { lines: string[]; x: number };

const MAX_LINES = 3;
const GAP = 8;
const MAX_LABEL_WIDTH = 130;

const measure = measureAt(SIZE.label);

/** Places the labels below the plot: all of them on a few lines if they fit, otherwise as many as do not overlap. */
function labelsAlong(texts: readonly string[], plot: Plot, width: number): Label[] {
  const wrapped = wrapLabels(texts, Math.min(plot.slot - GAP, 2 * MAX_LABEL_WIDTH));
  const allLabels = wrapped && placeLabels(wrapped, plot, width, 1);
  return allLabels ?? (plot.isTime ? labelsThatFit(texts, plot, width) : everyNthLabel(texts, plot, width));
}

/** Returns undefined if a text does not fit, or would be cut inside a word. */
export function wrapLabels(texts: readonly string[], room: number): string[][] | undefined {
  const wrapped = texts.map((text) => wrap(text, room, measure, MAX_LINES));
  return wrapped.every(({ isWhole }) => isWhole) ? wrapped.map(({ lines }) => lines) : undefined;
}

function everyNthLabel(texts: readonly string[], plot: Plot, width: number): Label[] {
  const lines = texts.map((text) => [shorten(text, MAX_LABEL_WIDTH, measure)]);
  for (let step = 1; step < lines.length; step++) {
    const labels = placeLabels(lines, plot, width, step);
    if (labels) return labels;
  }
  return lines.length > 0 ? [labelAt(lines[0] ?? [], plot.centreOf(0), width)] : [];
}

/** Returns the last label, and those before it that do not overlap. */
function labelsThatFit(texts: readonly string[], plot: Plot, width: number): Label[] {
  const labels = texts.map((text, at) => labelAt([text], plot.centreOf(at), width));
  const last = labels.at(-1);
  if (!last) return [];
  const half = widthOf(last.lines) / 2;
  const fittingLabels: Label[] = [];
  let end = -Infinity;
  for (const label of labels.slice(0, -1)) {
    const halfWidth = widthOf(label.lines) / 2;
    if (label.x - halfWidth < end + GAP || label.x + halfWidth > last.x - half - GAP) continue;
    fittingLabels.push(label);
    end = label.x + halfWidth;
  }
  return [...fittingLabels, last];
}

/** Places every `step`-th label; returns undefined if two would overlap. */
function placeLabels(lines: readonly string[][], plot: Plot, width: number, step: number): Label[] | undefined {
  const labels: Label[] = [];
  let end = -Infinity;
  for (let index = 0; index < lines.length; index += step) {
    const label = labelAt(lines[index] ?? [], plot.centreOf(index), width);
    const half = widthOf(label.lines) / 2;
    if (label.x - half < end + GAP) return undefined;
    end = label.x + half;
    labels.push(label);
  }
  return labels;
}

const widthOf = (lines: readonly string[]): number => Math.max(0, ...lines.map(measure));

/** A label near an edge moves inwards, so that it stays inside the picture. */
function labelAt(lines: string[], centre: number, width: number): Label {
  const half = widthOf(lines) / 2 + 2;
  return { lines, x: Math.min(Math.max(centre, half), width - half) };
}

function drawLabels(sheet: ChartSheet, labels: readonly Label[], bottom: number): number {
  const top = bottom + 6;
  for (const { lines, x } of labels)
    addLines(sheet, lines, { x, top, size: SIZE.label, anchor: 'middle', paint: 'soft' });
  return top + Math.max(0, ...labels.map(({ lines }) => lines.length)) * SIZE.label * LINE;
}

/**
 * Returns the positions of days between the first and the last one, from 0 to 1, or undefined if the labels are not
 * ascending days.
 */
function timePositions(labels: readonly string[]): number[] | undefined {
  const times = labels.map((label) => (DAY.test(label) ? Date.parse(label) : Number.NaN));
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const isRising = times.length > 1 && times.every((time, at) => time > (at === 0 ? -Infinity : (times[at - 1] ?? 0)));
  return isRising ? times.map((time) => (time - first) / (last - first)) : undefined;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
