/**
 * What is written of the steps between stages. Work that costs something is kept at once. What may be repeated is kept
 * once it is worth the write, so that a task of many short stages does not pay for each of them.
 */
import type { Clock, Every } from '../ports.ts';
import type { Usage } from '../usage/tokens.ts';
import { checkpointDrafts } from './checkpoint.ts';
import type { TaskLease } from './hold-task.ts';
import { detailsExpireAt, type TaskAddress } from './task-rows.ts';

/** Of work that may be repeated, so much is lost with its process at most. */
const KEPT_AFTER_MS = 10_000;
/** Progress is told no more often. */
const TOLD_AFTER_MS = 1_000;

type StepPorts = { clock: Clock; every: Every };
export type StageStep = {
  reached: number;
  carried: unknown;
  usage: Usage | undefined;
  progress: number;
  stage: string;
};

export function stepsOf({ clock, every }: StepPorts, { address, hold }: { address: TaskAddress; hold: TaskLease }) {
  const { attempt } = hold;
  let [takenAt, keptAt, toldAt] = [clock.now(), clock.now(), clock.now()];
  let unkept: StageStep | undefined;
  let untold: StageStep | undefined;

  /** A stage that takes long does not hold back what those before it brought. */
  const stop = every(TOLD_AFTER_MS, () => {
    const now = clock.now();
    const isLong = now - takenAt >= KEPT_AFTER_MS;
    const step = isLong ? (unkept ?? untold) : untold;
    if (step) write(step, now).catch(() => undefined);
  });

  async function write(step: StageStep, now: number, isCostly = false): Promise<void> {
    const isKept = step === unkept && (isCostly || now - keptAt >= KEPT_AFTER_MS);
    if (!isKept && (step !== untold || now - toldAt < TOLD_AFTER_MS)) return hold.report(step.progress);
    const { reached, progress, stage } = step;
    toldAt = now;
    untold = undefined;
    if (isKept) {
      keptAt = now;
      unkept = undefined;
    }
    const kept = isKept ? { checkpoint: reached } : {};
    await hold.move({ type: 'beat', attempt, progress, stage, ...kept }, isKept ? draftsOf(step) : []);
  }

  const draftsOf = ({ reached, carried, usage }: StageStep) =>
    checkpointDrafts(address, {
      checkpoint: reached,
      attempt,
      carried,
      usage,
      expiresAt: detailsExpireAt(hold.task()),
    });

  return {
    async take(step: StageStep, mayRepeat: boolean): Promise<void> {
      [unkept, untold] = [step, step];
      takenAt = clock.now();
      await write(step, takenAt, !mayRepeat);
    },
    /** When the work ends early: what it had come to is shown, and gone on from. */
    async keepRest(): Promise<void> {
      if (!unkept || hold.signal.reason === 'lost') return;
      await write(unkept, clock.now(), true).catch(() => undefined);
    },
    stop,
  };
}
