/** The points of a summary, and how many there are. */

import type { SummaryLength } from '../../shared/agents/processing-input.ts';
import type { SummaryPoint } from '../../shared/agents/results/processing.ts';

export const POINTS: Record<SummaryLength, number> = { short: 3, standard: 6, long: 12 };

/** The first points of each document, as many as a summary of this length has. */
export function overallPoints(points: readonly SummaryPoint[], length: SummaryLength): SummaryPoint[] {
  const byDocument = [...Map.groupBy(points, ({ document }) => document).values()];
  const turns = points.map(
    (point) => byDocument.find((documentPoints) => documentPoints.includes(point))?.indexOf(point) ?? 0,
  );
  const chosen = points
    .map((point, at) => ({ point, turn: turns[at] ?? 0 }))
    .sort((a, b) => a.turn - b.turn)
    .slice(0, POINTS[length]);
  return points.filter((point) => chosen.some((choice) => choice.point === point));
}
