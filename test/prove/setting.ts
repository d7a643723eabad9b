/** What goes wrong in a run, and how often: shares of the calls, messages or tasks that it strikes. */
import type { Point } from './points.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export type Rates = {
  /** At each passing of a point, and how often a task suffers it at most. */
  crash: number;
  maxCrashes: number;
  /** Of rounds of the reconciler: at one of their points, however many tasks they look at. */
  roundCrash: number;
  /** After a write that may fade: the machine under all of it goes dark, and what is not on the disk is gone. */
  powerCut: number;
  /** A call that throws: without having been made, or although it was. */
  throttled: number;
  lostReply: number;
  /** A process that stands still past its lease. */
  frozen: number;
  /** Of messages. */
  lost: number;
  twice: number;
  /** Up to ten minutes. */
  late: number;
  /** Once more though it was acknowledged. */
  again: number;
  /** Of receivers' answers: a failure, and an answer that never arrives though the body was taken. */
  refused: number;
  lostAnswer: number;
  /** Of calls of the model. */
  modelFails: number;
  /** Of tasks. */
  cancelled: number;
  /** By a reconciler, out of turn. */
  looked: number;
  redelivered: number;
  redriven: number;
  recurring: number;
};

/** `awayMs`: for so long from the beginning no receiver takes anything. */
export type Setting = { points: readonly Point[]; tasks: number; seed: number; rates: Rates; awayMs?: number };

/** Whatever is looked at, this is always there too. */
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

/** All points at once, and more of everything else. */
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

/** Nothing but crashes, lost messages and what else is always there: so that receivers recover once. */
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

/** One machine, and its power goes again and again. */
export const IN_THE_DARK: Rates = { ...ALWAYS, crash: 0, roundCrash: 0, powerCut: 0.02 };

export const TIMES = {
  skewMs: 2 * SECOND,
  lagMs: 30 * SECOND,
  maxLateMs: 10 * MINUTE,
  frozenMs: [61 * SECOND, 10 * MINUTE],
  /** A worker is gone by then, and is told so that much before at most: where it is to die of it, too late for some. */
  limitMs: MINUTE,
  handOverMs: 10 * SECOND,
  scarceMs: 60,
  visibleMs: { worker: 90 * MINUTE, sender: 6 * MINUTE },
  maxReceives: 5,
  submittedWithinMs: 5 * MINUTE,
  roundMs: MINUTE,
} as const;
