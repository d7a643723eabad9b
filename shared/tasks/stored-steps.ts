/**
 * How steps between stages are stored. Work that costs money is stored at once. Work that may be repeated is stored
 * when enough time has passed, so that a task with many short stages does not pay for each of them.
 */

import type { Clock, Every } from '../ports.ts';
import type { openActivity } from './activity.ts';
import type { ReachedUsage } from './attempt-usage.ts';
import { checkpointDrafts } from './checkpoints.ts';
import type { TaskEvent } from './decide.ts';
import type { TaskLease } from './lease.ts';
import { detailsExpireAt, type TaskAddress } from './rows.ts';
import type { MoveOutcome } from './transition.ts';

export const isMoved = (outcome: MoveOutcome | undefined): boolean =>
  outcome !== undefined && outcome.ignored === undefined;

/** The most repeatable work, in time, that is lost with its process. */
const STORE_AFTER_MS = 10_000;

/** The minimum time between two progress reports. */
const REPORT_EVERY_MS = 1_000;

type StepPorts = { clock: Clock; every: Every };

type StageStep = {
  reached: number;
  beganAnew: boolean;
  /** The number of activity events so far. */
  events: number;
  carried: unknown;
  /** Of this attempt and earlier ones, for the result. */
  notes: string[];
  usage: ReachedUsage | undefined;
  progress: number;
  stage: string;
};

export type StepRun = {
  address: TaskAddress;
  /** Of the checkpoints. */
  version: number;
  lease: TaskLease;
  activity: Awaited<ReturnType<typeof openActivity>>;
};

export function stepWriter({ clock, every }: StepPorts, { address, version, lease, activity }: StepRun) {
  const { attempt } = lease;
  let [takenAt, storedAt, reportedAt] = [clock.now(), clock.now(), clock.now()];
  let unstored: StageStep | undefined;
  let unreported: StageStep | undefined;

  /** A long stage does not delay the storing of the steps before it. */
  const stop = every(REPORT_EVERY_MS, () => {
    const now = clock.now();
    const isLong = now - takenAt >= STORE_AFTER_MS;
    const step = isLong ? (unstored ?? unreported) : unreported;
    if (step) write(step, now).catch(() => undefined);
  });

  async function write(step: StageStep, now: number, isCostly = false): Promise<void> {
    const isStored = step === unstored && (isCostly || now - storedAt >= STORE_AFTER_MS);
    if (!isStored && (step !== unreported || now - reportedAt < REPORT_EVERY_MS)) return lease.report(step.progress);
    const { reached, beganAnew, events, progress, stage } = step;
    reportedAt = now;
    unreported = undefined;
    if (isStored) {
      storedAt = now;
      unstored = undefined;
    }
    if (!isStored) return void (await lease.move({ type: 'beat', attempt, progress, stage }));
    const batch = activity.batch(reached, { upTo: events, expiresAt: detailsExpireAt(lease.task()) });
    const checkpointFields = { checkpoint: reached, beganAnew, eventsIn: batch.eventsIn };
    const beat: TaskEvent = { type: 'beat', attempt, progress, stage, ...checkpointFields };
    if (isMoved(await lease.move(beat, [...draftsOf(step), ...batch.drafts]))) batch.markStored();
  }

  const draftsOf = ({ reached, carried, notes, usage }: StageStep) =>
    checkpointDrafts(address, {
      checkpoint: reached,
      attempt,
      carried,
      notes,
      usage,
      version,
      expiresAt: detailsExpireAt(lease.task()),
    });

  return {
    /** `isUnchanged`: the stage returned its input unchanged, so the stored checkpoint is sufficient. */
    async take(
      step: StageStep,
      { mayRepeat, isUnchanged }: { mayRepeat: boolean; isUnchanged: boolean },
    ): Promise<void> {
      if (unstored || !isUnchanged) unstored = step;
      unreported = step;
      takenAt = clock.now();
      await write(step, takenAt, !mayRepeat && !isUnchanged);
    },
    /** When the work ends early: stores the last step, so that it is shown and the next attempt continues from it. */
    async storeLast(): Promise<void> {
      if (!unstored || lease.signal.reason === 'lost') return;
      await write(unstored, clock.now(), true).catch(() => undefined);
    },
    stop,
  };
}
