/** The axis of values: round ticks that hold all values, and where a value stands between them. */

export type ValueScale = {
  ticks: number[];
  /** 0 at the lowest tick, 1 at the highest. */
  shareOf: (value: number) => number;
};

/** A line may leave zero out only where it would squeeze all change into less than this share of the height. */
const SQUEEZED = 0.45;
const ROUND = [1, 2, 2.5, 5, 10];

export function scaleOf(
  values: readonly number[],
  { mustShowZero, ticks: tickCount }: { mustShowZero: boolean; ticks: number },
): ValueScale {
  const [low, high] = bounds(values, mustShowZero);
  const step = roundStep((high - low) / tickCount);
  const first = Math.floor(low / step + TINY);
  const last = Math.max(Math.ceil(high / step - TINY), first + 1);
  const ticks = Array.from({ length: last - first + 1 }, (_, at) => exact((first + at) * step));
  const [bottom, top] = [first * step, last * step];
  return { ticks, shareOf: (value) => (value - bottom) / (top - bottom) };
}

const TINY = 1e-9;
/** Without the last binary digits, which would be shown. */
const exact = (value: number): number => Number(value.toPrecision(12));

function bounds(values: readonly number[], mustShowZero: boolean): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (low > high) return [0, 1];
  const farthest = Math.max(Math.abs(low), Math.abs(high));
  const isSqueezed = high - low > farthest * TINY && high - low < farthest * SQUEEZED;
  if (mustShowZero || !isSqueezed) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  return low === high ? [0, 1] : [low, high];
}

function roundStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  // A power of ten below any that a number can hold.
  if (!(power > 0)) return Number.MIN_VALUE ** 0.5;
  const factor = ROUND.find((round) => round * power >= atLeast * (1 - TINY)) ?? 10;
  return factor * power;
}
