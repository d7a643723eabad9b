/** The kinds of faults in a run and their rates, as shares of the calls, messages or tasks. */
import type { Point } from './points.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export type Rates = {
  /** Per crash point that a process passes, and the most crashes for one task. */
  crash: number;
  maxCrashes: number;
  /** Share of the reconciler's rounds that crash at one of their points, regardless of their number of tasks. */
  roundCrash: number;
  /** After a write with relaxed durability: the machine loses power, and unsynced writes are lost. */
  powerCut: number;
  /** Calls that throw: without effect, or after their effect. */
  throttled: number;
  lostReply: number;
  /** Processes that freeze past their lease. */
  frozen: number;
  /** Shares of the messages. */
  lost: number;
  twice: number;
  /** Delayed by up to ten minutes. */
  late: number;
  /** Redelivered although it was acknowledged. */
  again: number;
  /** Shares of the webhooks: an error response, and a lost response to an accepted webhook. */
  refused: number;
  lostAnswer: number;
  /** Share of the model's calls. */
  modelFails: number;
  /** Shares of the tasks. */
  cancelled: number;
  /** Looked at by a reconciler out of turn. */
  looked: number;
  redelivered: number;
  redriven: number;
  recurring: number;
};

/**
 * `awayMs`: how long receivers are unavailable from the start on. `sparesAlone`: no process crashes or freezes that runs a single
 * task, so no task is at fault for a lost lease.
 */
export type Setting = {
  points: readonly Point[];
  tasks: number;
  seed: number;
  rates: Rates;
  awayMs?: number;
  sparesAlone?: boolean;
};

/** The base rates of every run. */
const ALWAYS: Rates = {
  crash: 0.35,
  maxCrashes: 2,
  roundCrash: 0.6,
  powerCut: 0,
  throttled: 0.002,
  lostReply: 0.002,
  frozen: 0.0005,
  lost: 0.01,
  twice: 0.03,
  late: 0.02,
  again: 0.03,
  refused: 0.03,
  lostAnswer: 0.01,
  modelFails: 0.02,
  cancelled: 0.04,
  looked: 0.1,
  redelivered: 0.02,
  redriven: 0.01,
  recurring: 0.02,
};

export const AT_A_POINT: Rates = ALWAYS;

/** All crash points, with higher rates of all other faults. */
export const MIXED: Rates = {
  ...ALWAYS,
  crash: 0.01,
  maxCrashes: 4,
  roundCrash: 0.2,
  throttled: 0.01,
  lostReply: 0.01,
  frozen: 0.004,
  lost: 0.05,
  twice: 0.1,
  late: 0.1,
  again: 0.1,
  refused: 0.1,
  lostAnswer: 0.03,
  modelFails: 0.06,
  cancelled: 0.1,
  looked: 0.3,
  redelivered: 0.05,
  redriven: 0.03,
};

/** Workers crash over and over, beside the base rates of all other faults. */
export const CRASHING: Rates = { ...ALWAYS, crash: 0.8, maxCrashes: 100 };

/** Only crashes, lost messages and the base rates, so that receivers recover exactly once. */
export const AFTER_AN_OUTAGE: Rates = {
  ...ALWAYS,
  crash: 0.02,
  refused: 0,
  lostAnswer: 0,
  frozen: 0,
  cancelled: 0,
  redelivered: 0,
  recurring: 0,
};

/** One machine with repeated power cuts. */
export const IN_THE_DARK: Rates = { ...ALWAYS, crash: 0, roundCrash: 0, powerCut: 0.2 };

export const TIMES = {
  skewMs: 2 * SECOND,
  lagMs: 30 * SECOND,
  maxLateMs: 10 * MINUTE,
  frozenMs: [61 * SECOND, 10 * MINUTE],
  /** A worker's timeout, and the most time that it is warned before; too short for some when the timeout is the crash point. */
  limitMs: MINUTE,
  handOverMs: 10 * SECOND,
  scarceMs: 60,
  visibleMs: { worker: 90 * MINUTE, sender: 6 * MINUTE },
  maxReceives: 5,
  submittedWithinMs: 5 * MINUTE,
  roundMs: MINUTE,
  /** The power stays on for up to this time after a cut. */
  upMs: 2 * MINUTE,
} as const;
