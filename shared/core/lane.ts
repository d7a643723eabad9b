/** The three lanes of tasks: each has a queue and a share of the workers. */

export const LANES = ['high', 'normal', 'low'] as const;
export type Lane = (typeof LANES)[number];
export type EachLane<T> = Readonly<Record<Lane, T>>;

export const laneOf = (priority: number): Lane => (priority >= 8 ? 'high' : priority >= 4 ? 'normal' : 'low');

/** Of tasks that name none, from 1 to 10; a higher number is more urgent. */
export const DEFAULT_PRIORITY = 5;

/** The lane of tasks without a priority of their own, and of files to read. */
export const DEFAULT_LANE: Lane = laneOf(DEFAULT_PRIORITY);

/** Shares of all workers: a higher lane waits less under a backlog, and no lane starves. */
export const LANE_SHARES: EachLane<number> = { high: 0.5, normal: 0.3, low: 0.2 };

/** The smallest maximum concurrency that Lambda accepts for a queue. */
const MIN_INSTANCES = 2;
/** The worker instances of a lane on AWS. */
export const instancesOf = (lane: Lane, atOnce: number): number =>
  Math.max(MIN_INSTANCES, Math.floor(atOnce * LANE_SHARES[lane]));
/** Tasks that one instance runs at once: most of a task's time is waiting for a model. */
export const TASKS_PER_INSTANCE = 5;

/** One organization holds at most this share of a lane's worker slots, even alone. */
const ORGANIZATION_SHARE = 0.75;
export const organizationSlots = (slots: number): number => Math.max(1, Math.floor(slots * ORGANIZATION_SHARE));
