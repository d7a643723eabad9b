/** The port of an agent: its named stages, and the failure that a stage throws. */
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

/** What a stage answers is its checkpoint: JSON that the next stage is given. The last one's is the result. */
export type Stage = {
  name: string;
  /** Done again it does no harm and costs nothing but its time: where that was short, it need not be kept. */
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
};
