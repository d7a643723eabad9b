/** The states of a task in the background-agent API. */

import type { ShownState } from '../tasks/task.ts';

export const STATUSES = {
  queued: 'pending',
  recurring: 'pending',
  running: 'processing',
  cancelling: 'cancelling',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<ShownState, string>;

export type Status = (typeof STATUSES)[ShownState];
