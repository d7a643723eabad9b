/** The layout of charts and bar plots: scales, labels and positions, in pixels. */

/** What a chart shows. */
export type ChartData = {
  title: string;
  kind: 'line' | 'bar';
  unit?: string | undefined;
  labels: readonly string[];
  series: readonly { name: string; values: readonly (number | null)[] }[];
  /** Where the figures come from. */
  note?: string | undefined;
};

/** Labels in the room that they have: wrapped between words, and what still does not fit ends in an ellipsis. */
const MAX_LINES = 3;
const MAX_CHARACTERS = 200;

/** `widthOf` measures a text as it is drawn. */
export function linesFor(label: string, room: number, widthOf: (text: string) => number): string[] {
  const lines: string[] = [];
  const text = label.length > MAX_CHARACTERS ? `${label.slice(0, MAX_CHARACTERS)}…` : label;
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = [...lines.slice(-1), word].join(' ');
    if (lines.length > 0 && (widthOf(longer) <= room || lines.length === MAX_LINES)) lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines.map((line) => shortened(line, room, widthOf));
}

function shortened(line: string, room: number, widthOf: (text: string) => number): string {
  if (widthOf(line) <= room) return line;
  const letters = [...line.replace(/…$/, '')];
  while (letters.length > 1 && widthOf(`${letters.join('')}…`) > room) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}

/** Round figures along an axis, and where values lie on it. */
export type ChartScale = { min: number; max: number; marks: number[] };

const WANTED_MARKS = 4;
const STEPS = [1, 2, 2.5, 5, 10];

/** Bars begin at zero; lines need not. */
export function scaleOf(values: readonly number[], { fromZero }: { fromZero: boolean }): ChartScale {
  const known = values.filter(Number.isFinite);
  let min = Math.min(...(fromZero ? [0] : []), ...known);
  let max = Math.max(...(fromZero ? [0] : []), ...known);
  if (!Number.isFinite(min)) [min, max] = [0, 1];
  if (min === max) [min, max] = min === 0 ? [0, 1] : [min - Math.abs(min) / 2, max + Math.abs(max) / 2];
  const rough = (max - min) / WANTED_MARKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.floor(min / step);
  const last = Math.ceil(max / step);
  const marks = Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
  return { min: marks[0] ?? min, max: marks.at(-1) ?? max, marks };
}

/** From 0 at the beginning of the axis to 1 at its end. */
export const placeOn = ({ min, max }: ChartScale, value: number): number => (value - min) / (max - min);

/** So many labels have room; the first is always one of them. */
export function everyNth(count: number, max: number): number {
  return Math.max(1, Math.ceil(count / Math.max(1, max)));
}

/** How wide a text is in the letters of the page, at the size that `chart.css` gives to drawings. */
let pen: CanvasRenderingContext2D | null | undefined;

export function widthOfText(text: string): number {
  pen ??= document.createElement('canvas').getContext('2d');
  if (!pen) return text.length * 6;
  pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

/** Where the bars of a plot stand: pure figures, in pixels. */
export type BarSeries = { name: string; values: readonly number[] };
type Bar = { x: number; y: number; width: number; height: number; series: number; at: number };
type Mark = { y: number; value: number };
type Drawn = { bars: Bar[]; marks: Mark[]; width: number; height: number; left: number; bottom: number };

const SIZE = { height: 170, left: 44, right: 0, top: 10, below: 24 };
export const DEFAULT_WIDTH = 440;
const GAP = 0.28;
const MARKS = 4;

/** Bars of one place stand on each other. */
export function barsOf(series: readonly BarSeries[], width = DEFAULT_WIDTH): Drawn {
  const { height, left, right, top, below } = SIZE;
  const places = Math.max(1, ...series.map(({ values }) => values.length));
  const sums = Array.from({ length: places }, (_, at) =>
    series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  );
  const max = niceAbove(Math.max(...sums, 1));
  const bottom = height - below;
  const yOf = (value: number) => bottom - (value / max) * (bottom - top);
  const step = (width - left - right) / places;
  const bars = sums.flatMap((_, at) => {
    let under = 0;
    return series.flatMap(({ values }, index): Bar[] => {
      const value = values[at] ?? 0;
      if (value <= 0) return [];
      const y = yOf(under + value);
      const bar = { x: left + step * (at + GAP / 2), y, width: step * (1 - GAP), height: yOf(under) - y };
      under += value;
      return [{ ...bar, series: index, at }];
    });
  });
  const steps = Math.min(MARKS, max);
  const marks = Array.from({ length: steps + 1 }, (_, at) => (max / steps) * at).filter(Number.isInteger);
  return { bars, marks: marks.map((value) => ({ value, y: yOf(value) })), width, height, left, bottom };
}

/** The next of 1, 2, 4, 8 ... 20, 40, 80: what divides by four reads well. */
export function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 4, 8, 10].map((times) => times * power).find((nice) => nice >= value) ?? value;
}
