/** Where the bars of a plot stand: pure figures, in pixels. */

export type BarSeries = { name: string; values: readonly number[] };
export type Bar = { x: number; y: number; width: number; height: number; series: number; at: number };
export type Mark = { y: number; value: number };
export type Drawn = { bars: Bar[]; marks: Mark[]; width: number; height: number; left: number; bottom: number };

const SIZE = { height: 170, left: 44, right: 0, top: 10, below: 24 };
export const USUAL_WIDTH = 440;
const GAP = 0.28;
const MARKS = 4;

/** Bars of one place stand on each other. */
export function barsOf(series: readonly BarSeries[], width = USUAL_WIDTH): Drawn {
  const { height, left, right, top, below } = SIZE;
  const places = Math.max(1, ...series.map(({ values }) => values.length));
  const sums = Array.from({ length: places }, (_, at) =>
    series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  );
  const most = niceAbove(Math.max(...sums, 1));
  const bottom = height - below;
  const yOf = (value: number) => bottom - (value / most) * (bottom - top);
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
  const steps = Math.min(MARKS, most);
  const marks = Array.from({ length: steps + 1 }, (_, at) => (most / steps) * at).filter(Number.isInteger);
  return { bars, marks: marks.map((value) => ({ value, y: yOf(value) })), width, height, left, bottom };
}

/** The next of 1, 2, 4, 8 ... 20, 40, 80: what divides by four reads well. */
export function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 4, 8, 10].map((times) => times * power).find((nice) => nice >= value) ?? value;
}
