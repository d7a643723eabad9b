/** The port of an agent: its named stages, and the failure that a stage throws. */
import type { Clock } from '../ports.ts';
import type { CallMeter } from '../usage/usage.ts';
import type { TaskAddress } from './rows.ts';
import type { FailureCode, RunOf } from './task.ts';

/** What runs behind a task: named stages, each of which begins where the one before ended, in this process or another. */
export type Work = {
  address: TaskAddress;
  input: unknown;
  /** Which run of a task that recurs this is; a task that runs once has none. It is the same for every attempt of a run. */
  run?: RunOf;
  /** Aborted when the task is no longer this worker's, or has to be handed on. */
  signal: AbortSignal;
  /** Counts what calls of models spend. */
  meter: CallMeter;
  /** How much of the stage is done, from 0 to 1. */
  report(share: number): void;
};

/**
 * What a stage answers is its checkpoint: JSON that the next stage is given. The last one's is the result. A field `activity`
 * in it, of the type StageActivity, is taken out and shown to callers. A stage with nothing to do answers with the object that it was given, which is not stored again.
 */
export type Stage = {
  name: string;
  /**
   * Done again it does no harm and costs nothing but its time: where that was short, it need not be kept. A stage that knows
   * only at its end answers with a field `mayRepeat`.
   */
  mayRepeat?: boolean;
  run(work: Work, carried: unknown): Promise<unknown>;
};

/** The stages follow from the input alone, so every attempt has the same. */
export type Agent = { stages(input: unknown): readonly Stage[] };

/** By the task's type, of which only the part before `#` counts. */
export type Agents = Readonly<Record<string, Agent>>;

/** What an agent had produced when its limits ended the work. */
export type PartialResult = {
  text?: string;
  archive?: { bytesAt: string; sizeBytes: number };
  record?: Record<string, unknown>;
  /** In place of the one of the last checkpoint. */
  report?: AgentReport;
};

/** Why an attempt could not bring the task to a good end. Its message is for the caller. */
export class TaskFailure extends Error {
  override name = 'TaskFailure';
  readonly code: FailureCode;
  /** Whether another attempt may do better. */
  readonly mayPass: boolean;
  readonly partial: PartialResult | undefined;

  constructor(
    code: FailureCode,
    message: string,
    o: { cause?: unknown; mayPass?: boolean; partial?: PartialResult } = {},
  ) {
    super(message, 'cause' in o ? { cause: o.cause } : undefined);
    this.code = code;
    this.mayPass = o.mayPass ?? false;
    this.partial = o.partial;
  }
}

// The outcome of a stage. The last stage's outcome is the result; an earlier one's is a partial result.

/** Computed from what happened, each from 0 to 1. */
export type Confidence = { dataQuality: number; analysisCompleteness: number; sourceReliability: number };

/** A file of the results and the key of its bytes. Callers get a signed URL. */
export type ReportFile = { name: string; contentType: string; bytesAt: string; sizeBytes: number };

/** The text of a cited source as it was read; `from` and `to` are its bytes in the blob. */
export type Snapshot = { source: number; url: string; fetchedAt: string; sha256: string; from: number; to: number };

/** One blob for all texts of a task. */
export type Snapshots = { bytesAt: string; texts: Snapshot[] };

export type AgentReport = {
  results: Record<string, unknown>;
  /** Short: what a poll shows while the task runs. */
  preview: Record<string, unknown>;
  /** Sources and documents that were read. */
  sources: number;
  /** Requests that the model answered, and those that sources were asked. */
  queries: number;
  confidence?: Confidence;
  /** Those that are completed, where a stage has more than one checkpoint. */
  stages?: readonly string[];
  files?: ReportFile[];
  /** Of a completed research: the texts of its cited sources, unless the organization keeps none. */
  snapshots?: Snapshots | 'off';
  /** What was asked for and had no effect, as the work has shown. */
  warnings?: string[];
  /** Of a research. */
  effort?: Effort;
  byRole?: RoleUsage[];
};

/** The rounds of a research and what they took, beside what its depth allows. */
export type Effort = {
  rounds: number;
  /** Null while it goes on. */
  ended_by: 'covered' | 'nothing_new' | 'rounds' | 'tokens' | 'minutes' | 'no_search' | null;
  search_queries: number;
  /** Of the queries: not sent, as the organization asked the same within the last day. */
  queries_from_cache: number;
  pages_opened: number;
  pages_refused: number;
  /** Of the pages that were opened: not requested, as they were opened within the last day. */
  pages_from_cache: number;
  budget: { rounds: number; documents: number; tokens: number; minutes: number };
};

/** What one model did in one role. */
export type RoleUsage = {
  role: 'plan' | 'rank' | 'read' | 'check' | 'write';
  model: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
};

// The activity of a stage: what callers see of its work. The stage hands it on with its answer.

/** What an agent did. The texts come from models and strangers. */
type Activity =
  | { kind: 'query'; query: string }
  | { kind: 'hits'; source: string; count: number; reason?: string | undefined }
  | { kind: 'page_opened'; url: string; title: string; redirected_to?: string }
  | { kind: 'page_refused'; url: string; title: string; reason: string }
  | { kind: 'note'; text: string; documents: number[] }
  | { kind: 'claim_rejected'; text: string; reason: string }
  | { kind: 'budget'; used: Record<string, number>; limits: Record<string, number> };

export type ActivityEvent = Activity & { at: number };

/** Of one kind in one stage; more are counted. */
const MAX_OF_KIND = 40;

/** Together they keep an event at about 500 characters. */
const MAX_TEXT = { query: 200, source: 100, reason: 160, url: 250, title: 80, text: 300 };
const MAX_DOCUMENTS = 10;

/** White space, control characters, and the marks that turn the direction of the text around them. */
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

/** What one stage did: it hands this on with its answer, and the worker stores it. */
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
