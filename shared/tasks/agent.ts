/** The port of an agent: its named stages, and the failure that a stage throws. */
import type { Clock } from '../ports.ts';
import type { CallMeter } from '../usage/meter.ts';
import type { TaskAddress } from './rows.ts';
import type { FailureCode, RunOf } from './task.ts';

/** The input of an agent's stage. A stage continues from the result of the one before, in the same or another process. */
export type Work = {
  address: TaskAddress;
  input: unknown;
  /** The run of a recurring task, the same for each of its attempts; absent for a task that runs once. */
  run?: RunOf;
  /** The model that may answer while another one is away for long, and the note of that in the result. */
  standby?: { model: string; note(text: string): void };
  /** The attempt before ended with a `Wait`. */
  hasWaited?: true;
  /** Aborted when the worker has lost the task or must hand it over. */
  signal: AbortSignal;
  /** Counts the tokens of model calls. */
  meter: CallMeter;
  /** Reports how much of the stage is done, from 0 to 1. */
  report(share: number): void;
};

/**
 * The result of a stage is its checkpoint: JSON that the next stage receives. The last stage returns the result. A field
 * `activity` of type StageActivity is removed and shown to callers. A stage with nothing to do returns the object it got.
 */
export type Stage = {
  name: string;
  /**
   * Repeating the stage is harmless and costs only time, so a short one needs no checkpoint. A stage that knows this only
   * at its end returns a field `mayRepeat`.
   */
  mayRepeat?: boolean;
  run(work: Work, carried: unknown): Promise<unknown>;
};

/** The stages depend only on the input, so every attempt of a release has the same ones. */
export type Agent = {
  /**
   * The version of the checkpoints that the stages write and continue from, 1 by default. Raise it with each change of
   * the number, the order or the results of the stages: a task that another version left in flight then begins anew.
   */
  checkpointVersion?: number;
  stages(input: unknown): readonly Stage[];
};

/** By the part of the task's type before `#`. */
export type Agents = Readonly<Record<string, Agent>>;

/** What an agent had produced when a limit ended the work. */
type PartialResult = {
  text?: string;
  archive?: { bytesAt: string; sizeBytes: number };
  record?: Record<string, unknown>;
  steps?: { number: number; name: string; text: string; truncated?: true }[];
  /** In place of the one of the last checkpoint. */
  report?: AgentReport;
};

/**
 * What the work cannot go on without, such as `openai/gpt-5: 429`, and when it may be tried again. `awayMs`: for how long it has
 * been so.
 */
export type Wait = { waitsFor: string; until: number; awayMs?: number };

/** Of the text `waitsFor`, so that the task's item stays small. */
export const MAX_WAITS_FOR = 64;

/** Why an attempt failed. Its message is shown to the caller. */
export class TaskFailure extends Error {
  override name = 'TaskFailure';
  readonly code: FailureCode;
  /** Whether another attempt may succeed. */
  readonly mayPass: boolean;
  readonly partial: PartialResult | undefined;
  /** The task is queued again until then, and its attempt does not count as failed. */
  readonly wait: Wait | undefined;

  constructor(
    code: FailureCode,
    message: string,
    o: { cause?: unknown; mayPass?: boolean; partial?: PartialResult | undefined; wait?: Wait | undefined } = {},
  ) {
    super(message, 'cause' in o ? { cause: o.cause } : undefined);
    this.code = code;
    this.mayPass = o.mayPass ?? false;
    this.partial = o.partial;
    this.wait = o.wait;
  }
}

// The result of a task. If a limit ended the work, it is partial.

/** Computed from what happened; each value is between 0 and 1. */
export type Confidence = { dataQuality: number; analysisCompleteness: number; sourceReliability: number };

/** A file of the results, with the key of its bytes. Callers receive a signed URL. */
export type ReportFile = { name: string; contentType: string; bytesAt: string; sizeBytes: number };

/** The text of a cited source as it was read; `from` and `to` are its range in the blob. */
export type Snapshot = { source: number; url: string; fetchedAt: string; sha256: string; from: number; to: number };

/** One blob contains all texts of a task. */
export type Snapshots = { bytesAt: string; texts: Snapshot[] };

export type AgentReport = {
  results: Record<string, unknown>;
  /** Short, because each poll of a running task shows it. */
  preview: Record<string, unknown>;
  /** Sources and documents that were read. */
  sources: number;
  /** Model calls that were answered, and requests to sources. */
  queries: number;
  confidence?: Confidence;
  /** The completed stages, where one stage has several checkpoints. */
  stages?: readonly string[];
  /** The stage whose outcome ends the task as failed: it is not completed, although a later stage throws the failure. */
  failedStage?: string;
  /** Whether there is a value or a text yet; absent in reports of earlier releases. */
  hasContent?: boolean;
  files?: ReportFile[];
  /** For a completed research: the texts of its cited sources, unless the organization stores none. */
  snapshots?: Snapshots | 'off';
  /** Parts of the request that turned out to have no effect. */
  warnings?: string[];
  /** For a research. */
  effort?: Effort;
  byRole?: RoleUsage[];
};

/** The rounds of a research and its effort, compared to the limits of its depth. */
export type Effort = {
  rounds: number;
  /** Null while the research runs. */
  ended_by: 'covered' | 'nothing_new' | 'rounds' | 'tokens' | 'minutes' | 'no_search' | null;
  search_queries: number;
  /** Queries that were not sent, because the organization sent the same within the last day. */
  queries_from_cache: number;
  pages_opened: number;
  pages_refused: number;
  /** Opened pages that were not requested, because they were opened within the last day. */
  pages_from_cache: number;
  budget: { rounds: number; documents: number; tokens: number; minutes: number };
};

/** The usage of one model in one role. */
export type RoleUsage = {
  role: 'plan' | 'rank' | 'read' | 'check' | 'write';
  model: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
};

// The activity of a stage, as callers see it. The stage returns it with its result.

/** What an agent did. The texts come from models and strangers. */
type Activity =
  | { kind: 'query'; query: string }
  | { kind: 'hits'; source: string; count: number; reason?: string | undefined }
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

function shownText(text: string, max: number): string {
  const line = text.replaceAll(UNSHOWN, ' ').trim();
  return (line.length > max ? `${line.slice(0, max - 1)}…` : line).toWellFormed();
}

const bounded = (activity: Activity): Activity =>
  Object.fromEntries(
    Object.entries(activity)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        if (Array.isArray(value)) return [name, value.slice(0, MAX_DOCUMENTS)];
        const max = name in MAX_TEXT ? MAX_TEXT[name as keyof typeof MAX_TEXT] : undefined;
        return [name, typeof value === 'string' && max !== undefined ? shownText(value, max) : value];
      }),
  ) as Activity;

/** The activity of one stage: returned with its result and stored by the worker. */
export type StageActivity = { events: ActivityEvent[]; leftOut: number };
export type ActivityRecorder = { tell(activity: Activity): void; take(): StageActivity };

export function activityRecorder(clock: Clock): ActivityRecorder {
  const events: ActivityEvent[] = [];
  const kinds = new Map<string, number>();
  let leftOut = 0;
  return {
    tell(activity) {
      const before = kinds.get(activity.kind) ?? 0;
      kinds.set(activity.kind, before + 1);
      if (before < MAX_OF_KIND) events.push({ ...bounded(activity), at: clock.now() });
      else leftOut++;
    },
    take: () => ({ events, leftOut }),
  };
}
