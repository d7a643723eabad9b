/** The rate limits of this API, each with a counter of its own. Those of the first three are the specification's. */
import type { Limit } from '../../shared/limits/rate-limit.ts';

const READS = { minute: 25, hour: 500 };
const WRITES = { minute: 60 };

export const SUBMITS: Limit = { name: 'agent-submits', minute: 10, hour: 100 };
export const LISTS: Limit = { name: 'agent-lists', minute: 50, hour: 1_000 };
export const STATUS_READS: Limit = { name: 'agent-status', ...READS };
export const CANCELS: Limit = { name: 'agent-cancels', ...READS };
export const INPUT_READS: Limit = { name: 'agent-inputs', ...READS };
export const RESULT_READS: Limit = { name: 'agent-results', ...READS };
export const SNAPSHOT_READS: Limit = { name: 'agent-snapshots', ...WRITES };
export const DELIVERY_READS: Limit = { name: 'agent-deliveries', ...READS };
export const REDELIVERIES: Limit = { name: 'agent-redeliveries', ...WRITES };
/** Asking again while the file is read counts, too. */
export const SUGGESTIONS: Limit = { name: 'agent-suggestions', minute: 30 };
export const SOURCE_READS: Limit = { name: 'agent-sources', ...WRITES };
export const USAGE_READS: Limit = { name: 'agent-usage', ...WRITES };
/** The hour's bound is the only one: a minute may hold it all. */
export const SOCKET_TOKENS: Limit = { name: 'websocket-auth', minute: 60, hour: 60 };
