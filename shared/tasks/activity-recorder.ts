/** The activity of a stage, as callers see it. The stage returns it with its result. */

import type { Clock } from '../ports.ts';

/** What an agent did. The texts come from models and strangers. */
type Activity =
  | { kind: 'query'; query: string }
  | { kind: 'hits'; source: string; count: number; reason?: string }
  | { kind: 'page_opened'; url: string; title: string; redirected_to?: string }
  | { kind: 'page_refused'; url: string; title: string; reason: string }
  | { kind: 'note'; text: string; documents: number[] }
  | { kind: 'claim_rejected'; text: string; reason: string }
  | { kind: 'coverage'; sub_question: number; text: string; documents: number[] }
  | { kind: 'budget'; used: Record<string, number>; limits: Record<string, number> };

export type ActivityEvent = Activity & { at: number };

/** The most events of one kind in one stage; further ones are only counted. */
const MAX_OF_KIND = 40;

/** Together these limits keep an event at about 500 characters. */
const MAX_TEXT = { query: 200, source: 100, reason: 160, url: 250, title: 80, text: 300 };
const MAX_DOCUMENTS = 10;

/** White space, control characters, and marks that change the direction of the surrounding text. */
const UNSHOWN = /[\s\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

function toPlainLine(text: string, max: number): string {
  const line = text.replaceAll(UNSHOWN, ' ').trim();
  return (line.length > max ? `${line.slice(0, max - 1)}…` : line).toWellFormed();
}

const toBoundedActivity = (activity: Activity): Activity =>
  Object.fromEntries(
    Object.entries(activity)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        if (Array.isArray(value)) return [name, value.slice(0, MAX_DOCUMENTS)];
        const max = name in MAX_TEXT ? MAX_TEXT[name as keyof typeof MAX_TEXT] : undefined;
        return [name, typeof value === 'string' && max !== undefined ? toPlainLine(value, max) : value];
      }),
  ) as Activity;

/** The activity of one stage: returned with its result and stored by the worker. */
export type StageActivity = { events: ActivityEvent[]; leftOut: number };
export type ActivityRecorder = { record(activity: Activity): void; take(): StageActivity };

export function activityRecorder(clock: Clock): ActivityRecorder {
  const events: ActivityEvent[] = [];
  const kinds = new Map<string, number>();
  let leftOut = 0;
  return {
    record(activity) {
      const before = kinds.get(activity.kind) ?? 0;
      kinds.set(activity.kind, before + 1);
      if (before < MAX_OF_KIND) events.push({ ...toBoundedActivity(activity), at: clock.now() });
      else leftOut++;
    },
    take: () => ({ events, leftOut }),
  };
}
