/** Lines through values, cut where there are none. */
import type { Plot } from './draw-upright.ts';
import type { DrawingPoint } from './drawing.ts';
import { isSecondRound } from './paints.ts';
import type { ChartSheet } from './sheet.ts';
import type { TidyChart } from './tidy-chart.ts';

const MAX_DOTS = 16;
/** Of many points within as many pixels only the highest and the lowest are seen. */
const PIXELS_APART = 2;

export function drawLines(sheet: ChartSheet, { series, labels }: TidyChart, plot: Plot): void {
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

/** What hangs together, each value with its place. */
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

/** In the order in which they come. */
function extremes(column: DrawingPoint[]): DrawingPoint[] {
  const high = column.reduce((best, point) => (point[1] < best[1] ? point : best));
  const low = column.reduce((best, point) => (point[1] > best[1] ? point : best));
  if (high === low) return [high];
  return high[0] < low[0] ? [high, low] : [low, high];
}
