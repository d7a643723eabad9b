/** Labels along the foot of a plot: all of them on a few lines if there is room, else as many as do not touch. */
import { measureAt } from '../fonts/measure.ts';
import { shorten, wrap } from '../fonts/wrap.ts';
import type { Plot } from './draw-upright.ts';
import { addLines, type ChartSheet, LINE, SIZE } from './sheet.ts';

type Label = { lines: string[]; x: number };

const MAX_LINES = 3;
const GAP = 8;
const MAX_LABEL_WIDTH = 130;

const measure = measureAt(SIZE.label);

export function labelsAlong(texts: readonly string[], plot: Plot, width: number): Label[] {
  const wrapped = wrapLabels(texts, Math.min(plot.slot - GAP, 2 * MAX_LABEL_WIDTH));
  const all = wrapped && placeLabels(wrapped, plot, width, 1);
  return all ?? (plot.isTime ? labelsThatFit(texts, plot, width) : everyNthLabel(texts, plot, width));
}

/** Undefined unless every text is shown whole, without a cut inside a word. */
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

/** The last one, and of the others from the first on those that touch none. */
function labelsThatFit(texts: readonly string[], plot: Plot, width: number): Label[] {
  const labels = texts.map((text, at) => labelAt([text], plot.centreOf(at), width));
  const last = labels.at(-1);
  if (!last) return [];
  const half = widthOf(last.lines) / 2;
  const shown: Label[] = [];
  let end = -Infinity;
  for (const label of labels.slice(0, -1)) {
    const own = widthOf(label.lines) / 2;
    if (label.x - own < end + GAP || label.x + own > last.x - half - GAP) continue;
    shown.push(label);
    end = label.x + own;
  }
  return [...shown, last];
}

/** Every so many, or undefined if two would touch. */
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

/** Near the edges it moves inwards rather than out of the picture. */
function labelAt(lines: string[], centre: number, width: number): Label {
  const half = widthOf(lines) / 2 + 2;
  return { lines, x: Math.min(Math.max(centre, half), width - half) };
}

export function drawLabels(sheet: ChartSheet, labels: readonly Label[], bottom: number): number {
  const top = bottom + 6;
  for (const { lines, x } of labels)
    addLines(sheet, lines, { x, top, size: SIZE.label, anchor: 'middle', paint: 'soft' });
  return top + Math.max(0, ...labels.map(({ lines }) => lines.length)) * SIZE.label * LINE;
}
