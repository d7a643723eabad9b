/** An agent as the worker sees it: its stages, and the work that each of them gets. */

import type { CallMeter } from '../usage/meter.ts';
import type { TaskAddress } from './rows.ts';
import type { RunOf } from './task.ts';

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
