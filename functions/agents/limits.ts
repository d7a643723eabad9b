/** The rate limits of this API, each with its own counter. The specification defines the first three. */
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
  /** Clients that watch a task poll every few seconds. */
  eventReads: { name: 'agent-events', ...WRITES },
  deliveryReads: { name: 'agent-deliveries', ...READS },
  redeliveries: { name: 'agent-redeliveries', ...WRITES },
  /** Polls while the file is being read count too. */
  suggestions: { name: 'agent-suggestions', minute: 30 },
  sourceReads: { name: 'agent-sources', ...WRITES },
  usageReads: { name: 'agent-usage', ...WRITES },
  /** Only the hour limits: one minute may use all of it. */
  socketTokens: { name: 'websocket-auth', minute: 60, hour: 60 },
} satisfies Record<string, Limit>;
