/** What a WebSocket connection may do. Life, silence and bytes are API Gateway's own limits, held on one machine too. */
import type { Cap } from '../limits/limit.ts';

export const SOCKETS: Cap = { name: 'sockets', most: 5 };

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export const SOCKET_LIMITS = {
  /** Who has not said in time whom it is for is sent away. */
  authenticateMs: 10 * SECOND_MS,
  lifeMs: 120 * MINUTE_MS,
  idleMs: 10 * MINUTE_MS,
  /** So long before its end a connection is told of it. */
  warnMs: 5 * MINUTE_MS,
  /** Whoever tells news elsewhere may know for so long that nobody watches; an index lags less than the rest. */
  unseenMs: 2 * SECOND_MS,
  indexMs: SECOND_MS,
  /** Of a frame that comes, and of a message that goes. */
  messageBytes: 32_768,
  /** Messages that a connection may send before and after it has authenticated; more of them end it. */
  unauthenticatedMessages: { perSecond: 5, burst: 20 },
  messages: { perSecond: 50, burst: 200 },
  /** What waits for a reader: behind that it has to look for itself. */
  waitingMessages: 10_000,
  waitingBytes: 4_194_304,
} as const;
