/** Round figures along an axis, and the position of values on it. */

export type ChartScale = { min: number; max: number; marks: number[] };

const WANTED_MARKS = 4;
const STEPS = [1, 2, 2.5, 5, 10];

/** Bars start at zero; lines need not. */
export function scaleOf(values: readonly number[], { fromZero }: { fromZero: boolean }): ChartScale {
  const finite = values.filter(Number.isFinite);
  let min = Math.min(...(fromZero ? [0] : []), ...finite);
  let max = Math.max(...(fromZero ? [0] : []), ...finite);
  if (!Number.isFinite(min)) [min, max] = [0, 1];
  if (min === max) [min, max] = min === 0 ? [0, 1] : [min - Math.abs(min) / 2, max + Math.abs(max) / 2];
  const rough = (max - min) / WANTED_MARKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((factor) => factor * power >= rough) ?? 10) * power;
  const firstStep = Math.floor(min / step);
  const lastStep = Math.ceil(max / step);
  const marks = Array.from({ length: lastStep - firstStep + 1 }, (_, index) =>
    Number(((firstStep + index) * step).toPrecision(12)),
  );
  return { min: marks[0] ?? min, max: marks.at(-1) ?? max, marks };
}

/** From 0 at the start of the axis to 1 at its end. */
export const placeOn = ({ min, max }: ChartScale, value: number): number => (value - min) / (max - min);
