/** What a model proposed and code or the second look refuses: it is not published, but counted and reported. */

import type { ActivityRecorder } from '../../shared/tasks/activity-recorder.ts';
import type { LeftOutReason } from './report-model.ts';

/** A statement, or a figure of a note whose statement stays. */
export type Refusal = { refused: 'statement' | 'figure'; text: string; reason: LeftOutReason };

export type RefusedCounts = {
  statements: number;
  byReason: Partial<Record<LeftOutReason, number>>;
  /** Figures of notes that no quote has. */
  figures?: number;
};

export function countRefusals(counts: RefusedCounts, refusals: readonly Refusal[]): RefusedCounts {
  const reasons = refusals.filter(({ refused }) => refused === 'statement').map(({ reason }) => reason);
  const figures = (counts.figures ?? 0) + refusals.length - reasons.length;
  const byReason = { ...counts.byReason };
  for (const reason of reasons) byReason[reason] = (byReason[reason] ?? 0) + 1;
  return { statements: counts.statements + reasons.length, byReason, ...(figures > 0 ? { figures } : {}) };
}

export function reportRefusals(activity: ActivityRecorder, refusals: readonly Refusal[]): void {
  for (const { text, reason } of refusals) activity.record({ kind: 'claim_rejected', text, reason });
}
