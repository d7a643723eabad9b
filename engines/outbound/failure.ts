/** How an outbound request fails: refused by policy, or failed on the way. */

export type RefusalReason =
  | 'text' // too long, unparseable, or with control characters
  | 'credentials'
  | 'own' // the product's own host or bucket
  | 'unlisted' // the policy allows only listed origins
  | 'scheme'
  | 'host' // not a public host name or an IP address
  | 'suffix'
  | 'port'
  | 'address' // the host is an IP address that is not public
  | 'answers' // at least one DNS answer is an IP address that is not public
  | 'remote'; // the connection reached another address than the checked one

export type FailureReason =
  | 'resolve'
  | 'resolveTime'
  | 'connect'
  | 'tls'
  | 'connectTime'
  | 'headersTime'
  | 'idleTime'
  | 'totalTime'
  | 'redirects'
  | 'tooLarge'
  | 'broken'; // the connection was cut off, or the response is not HTTP

/** The reasons are for logs, never for callers. */
export type OutboundFailure = Error &
  ({ kind: 'refused'; reason: RefusalReason } | { kind: 'failed'; reason: FailureReason });

export const outboundRefusal = (reason: RefusalReason): OutboundFailure =>
  Object.assign(new Error(`Refused: ${reason}`), { name: 'OutboundRefused', kind: 'refused' as const, reason });

export const outboundFailure = (reason: FailureReason, cause?: unknown): OutboundFailure =>
  Object.assign(new Error(`Failed: ${reason}`, { cause }), { name: 'OutboundFailed', kind: 'failed' as const, reason });

export const isOutboundFailure = (error: unknown): error is OutboundFailure =>
  error instanceof Error && (error.name === 'OutboundRefused' || error.name === 'OutboundFailed');
