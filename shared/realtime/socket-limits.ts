/** The limits of WebSocket connections. */

import { MINUTE_MS, SECOND_MS } from '../core/time.ts';

/** The limits of a WebSocket connection. Lifetime, idle time and message size are API Gateway's limits, enforced locally too. */
export const SOCKET_LIMITS = {
  /** A connection that does not authenticate within this time is closed. */
  authenticateMs: 10 * SECOND_MS,
  lifeMs: 120 * MINUTE_MS,
  idleMs: 10 * MINUTE_MS,
  /** How long before its end a connection receives a notice. */
  warnMs: 5 * MINUTE_MS,
  /** How long another process may assume that there are no watchers. */
  unseenMs: 2 * SECOND_MS,
  indexMs: SECOND_MS,
  /** For incoming frames and outgoing messages. */
  messageBytes: 32_768,
  /** Messages that a connection may send before and after authentication; exceeding this closes it. */
  unauthenticatedMessages: { perSecond: 5, burst: 20 },
  messages: { perSecond: 50, burst: 200 },
  /** Limits of the send buffer. Beyond them messages are dropped, and the client must poll. */
  waitingMessages: 10_000,
  waitingBytes: 4_194_304,
} as const;
