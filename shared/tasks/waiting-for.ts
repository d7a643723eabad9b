/** What a task waits for while its model is busy or away, in words for its callers. */
import { toIsoTime } from '../core/time.ts';
import type { Task } from './task.ts';

/** Absent while it runs, and while it waits for nothing but a worker. */
export const waitingFor = ({ state, waitsFor, queuedAt }: Task): string | undefined =>
  state === 'queued' && waitsFor !== undefined
    ? `waiting for ${waitsFor}, next try at ${toIsoTime(queuedAt)}`
    : undefined;
