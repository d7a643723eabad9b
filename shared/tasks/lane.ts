/** Three lanes of tasks, each with a queue and a share of the workers of its own. */

export const LANES = ['high', 'normal', 'low'] as const;
export type Lane = (typeof LANES)[number];
export type EachLane<T> = Readonly<Record<Lane, T>>;

export const USUAL_PRIORITY = 5;

export const laneOf = (priority: number): Lane => (priority >= 8 ? 'high' : priority >= 4 ? 'normal' : 'low');

/** Of all workers: a higher lane waits less under a backlog, and none starves. */
export const LANE_SHARES: EachLane<number> = { high: 0.5, normal: 0.3, low: 0.2 };
