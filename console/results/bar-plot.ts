/** The positions of a bar chart's bars in pixels. */

export type BarSeries = { name: string; values: readonly number[] };
type Bar = { x: number; y: number; width: number; height: number; series: number; at: number };
type Mark = { y: number; value: number };
type DrawnBars = { bars: Bar[]; marks: Mark[]; width: number; height: number; left: number; bottom: number };

const SIZE = { height: 170, left: 44, right: 0, top: 10, below: 24 };
export const DEFAULT_WIDTH = 440;
const BAR_GAP = 0.28;
const MARKS = 4;

/** Bars at the same position are stacked. */
export function barsOf(series: readonly BarSeries[], width = DEFAULT_WIDTH): DrawnBars {
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
      const bar = { x: left + step * (at + BAR_GAP / 2), y, width: step * (1 - BAR_GAP), height: yOf(under) - y };
      under += value;
      return [{ ...bar, series: index, at }];
    });
  });
  const steps = Math.min(MARKS, max);
  const marks = Array.from({ length: steps + 1 }, (_, at) => (max / steps) * at).filter(Number.isInteger);
  return { bars, marks: marks.map((value) => ({ value, y: yOf(value) })), width, height, left, bottom };
}

/** The next of 1, 2, 4, 8 ... 20, 40, 80, because multiples of four are easy to read. */
export function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 4, 8, 10].map((times) => times * power).find((nice) => nice >= value) ?? value;
}
