/** Whether a measured line stays where it was: the slope of a line fitted to it, and its late part against its early one. */

export type Point = { at: number; value: number };

/** By least squares, in the value's unit for each unit of time. */
export function slopeOf(points: readonly Point[]): number {
  const count = points.length;
  const meanAt = points.reduce((sum, { at }) => sum + at, 0) / count;
  const meanValue = points.reduce((sum, { value }) => sum + value, 0) / count;
  const spread = points.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
  const shared = points.reduce((sum, { at, value }) => sum + (at - meanAt) * (value - meanValue), 0);
  return spread === 0 ? 0 : shared / spread;
}

/** What the fitted line gains from its first point to its last, as a share of where it begins. */
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

/** Of the last third over that of the first. */
export function drift(points: readonly Point[], share: number): number {
  const third = Math.ceil(points.length / 3);
  const of = (some: readonly Point[]) =>
    quantile(
      some.map(({ value }) => value),
      share,
    );
  return of(points.slice(-third)) / of(points.slice(0, third));
}
