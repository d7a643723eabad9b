/** How long and how much a request may take, unless its caller says otherwise. */

export type RequestLimits = {
  resolveMs: number;
  /** Connection and TLS handshake together. */
  connectMs: number;
  headersMs: number;
  /** Between two pieces of the body; the reader's own pauses do not count. */
  idleMs: number;
  /** Everything, redirects and the reading of the body included. */
  totalMs: number;
  headerBytes: number;
};

export const REQUEST_LIMITS: RequestLimits = {
  resolveMs: 5000,
  connectMs: 5000,
  headersMs: 10_000,
  idleMs: 10_000,
  totalMs: 25_000,
  headerBytes: 16_384,
};
