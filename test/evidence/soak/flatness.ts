/** Whether a measured series is flat: the slope of a fitted line, and its last third compared with its first. */

export type Point = { at: number; value: number };

/** The slope by least squares. */
function slopeOf(points: readonly Point[]): number {
  const count = points.length;
  const meanAt = points.reduce((sum, { at }) => sum + at, 0) / count;
  const meanValue = points.reduce((sum, { value }) => sum + value, 0) / count;
  const spread = points.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
  const shared = points.reduce((sum, { at, value }) => sum + (at - meanAt) * (value - meanValue), 0);
  return spread === 0 ? 0 : shared / spread;
}

/** The relative rise of the fitted line from its first point to its last. */
export function growthOf(points: readonly Point[]): number {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return 0;
  const slope = slopeOf(points);
  const middle = (first.at + last.at) / 2;
  const mean = points.reduce((sum, { value }) => sum + value, 0) / points.length;
  const begin = mean - slope * (middle - first.at);
  return (slope * (last.at - first.at)) / begin;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** The ratio of the last third to the first. */
export function drift(points: readonly Point[], share: number): number {
  const third = Math.ceil(points.length / 3);
  const of = (some: readonly Point[]) =>
    quantile(
      some.map(({ value }) => value),
      share,
    );
  return of(points.slice(-third)) / of(points.slice(0, third));
}
