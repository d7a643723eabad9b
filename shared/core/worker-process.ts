/** The process that an attempt runs in, and how long its work waits after that process has restarted. */

import { MINUTE_MS, SECOND_MS } from './time.ts';

/**
 * The process of an attempt, where it runs no other tasks beside. `own`: it runs nothing else meanwhile, so if it ends, the
 * task is at fault. `only`: the product's only process, on one machine. Its ends are known as restarts, and suspect no task.
 */
export type WorkerProcess = 'own' | 'only';

/** A restart counts against no task and no file; but what does end its process may not end it again and again. The last one repeats. */
export const RESTART_BACKOFF_MS = [0, 5 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS] as const;
