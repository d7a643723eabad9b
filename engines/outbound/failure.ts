/** The two ways a request ends badly: refused by policy, or failed on the way. Reasons are for the log, never for a caller. */

export type RefusalReason =
  | 'text' // too long, unreadable, or with control characters
  | 'credentials'
  | 'own' // the product's own host or bucket
  | 'unlisted' // a policy that takes listed origins only
  | 'scheme'
  | 'host' // neither a public name nor an address
  | 'suffix'
  | 'port'
  | 'address' // the host is an address that is not public
  | 'answers' // the name leads, or also leads, to an address that is not public
  | 'remote'; // connected to another address than the judged one

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
  | 'broken'; // cut off, or not HTTP

export type OutboundFailure = Error &
  ({ kind: 'refused'; reason: RefusalReason } | { kind: 'failed'; reason: FailureReason });

export const refusal = (reason: RefusalReason): OutboundFailure =>
  Object.assign(new Error(`Refused: ${reason}`), { name: 'OutboundRefused', kind: 'refused' as const, reason });

export const failure = (reason: FailureReason, cause?: unknown): OutboundFailure =>
  Object.assign(new Error(`Failed: ${reason}`, { cause }), { name: 'OutboundFailed', kind: 'failed' as const, reason });

export const isOutboundFailure = (error: unknown): error is OutboundFailure =>
  error instanceof Error && (error.name === 'OutboundRefused' || error.name === 'OutboundFailed');
