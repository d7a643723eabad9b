/** The rate limits of this API, each with a counter of its own. Those of the first three are the specification's. */
import type { Limit } from '../../shared/limits/rate-limit.ts';

const READS = { minute: 25, hour: 500 };
const WRITES = { minute: 60 };

export const AGENT_LIMITS = {
  submits: { name: 'agent-submits', minute: 10, hour: 100 },
  lists: { name: 'agent-lists', minute: 50, hour: 1_000 },
  statusReads: { name: 'agent-status', ...READS },
  cancels: { name: 'agent-cancels', ...READS },
  inputReads: { name: 'agent-inputs', ...READS },
  resultReads: { name: 'agent-results', ...READS },
  snapshotReads: { name: 'agent-snapshots', ...WRITES },
  /** Clients that watch a task ask every few seconds. */
  eventReads: { name: 'agent-events', ...WRITES },
  deliveryReads: { name: 'agent-deliveries', ...READS },
  redeliveries: { name: 'agent-redeliveries', ...WRITES },
  /** Asking again while the file is read counts, too. */
  suggestions: { name: 'agent-suggestions', minute: 30 },
  sourceReads: { name: 'agent-sources', ...WRITES },
  usageReads: { name: 'agent-usage', ...WRITES },
  /** The hour's bound is the only one: a minute may hold it all. */
  socketTokens: { name: 'websocket-auth', minute: 60, hour: 60 },
} satisfies Record<string, Limit>;
