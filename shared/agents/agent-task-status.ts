/** The states of a task in the background-agent API. */

import type { VisibleState } from '../tasks/task.ts';

export const STATUSES = {
  queued: 'pending',
  recurring: 'pending',
  running: 'processing',
  cancelling: 'cancelling',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<VisibleState, string>;

export type Status = (typeof STATUSES)[VisibleState];
