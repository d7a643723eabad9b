/** Round figures along an axis, and where values lie on it. */

export type ChartScale = { least: number; most: number; marks: number[] };

const WANTED_MARKS = 4;
const STEPS = [1, 2, 2.5, 5, 10];

/** Bars begin at zero; lines need not. */
export function scaleOf(values: readonly number[], { fromZero }: { fromZero: boolean }): ChartScale {
  const known = values.filter(Number.isFinite);
  let least = Math.min(...(fromZero ? [0] : []), ...known);
  let most = Math.max(...(fromZero ? [0] : []), ...known);
  if (!Number.isFinite(least)) [least, most] = [0, 1];
  if (least === most) [least, most] = least === 0 ? [0, 1] : [least - Math.abs(least) / 2, most + Math.abs(most) / 2];
  const rough = (most - least) / WANTED_MARKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.floor(least / step);
  const last = Math.ceil(most / step);
  const marks = Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
  return { least: marks[0] ?? least, most: marks.at(-1) ?? most, marks };
}

/** From 0 at the beginning of the axis to 1 at its end. */
export const placeOn = ({ least, most }: ChartScale, value: number): number => (value - least) / (most - least);

/** So many labels have room; the first is always one of them. */
export function everyNth(count: number, most: number): number {
  return Math.max(1, Math.ceil(count / Math.max(1, most)));
}
