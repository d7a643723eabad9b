/** What a model may take to answer: it thinks long before the first byte, and says much. */

const MINUTE_MS = 60_000;

export const MODEL_REQUEST = {
  maxBytes: 20_000_000,
  limits: { headersMs: 5 * MINUTE_MS, idleMs: 2 * MINUTE_MS, totalMs: 10 * MINUTE_MS },
} as const;
