/** Posts a webhook: one try within 15 s, no redirect followed, and of the answer no more than its beginning. */
import type { Log } from '../../shared/core/log.ts';
import type { Post, PostFault } from '../../shared/ports.ts';
import { type FailureReason, isOutboundFailure, type OutboundFailure } from './failure.ts';
import type { OutboundRequest, OutboundResponse } from './outbound.ts';
import type { UrlPolicy } from './policy.ts';

const WEBHOOK_TIMEOUT_MS = 15_000;
const WEBHOOK_LIMITS = {
  totalMs: WEBHOOK_TIMEOUT_MS,
  connectMs: 5_000,
  headersMs: WEBHOOK_TIMEOUT_MS,
  idleMs: WEBHOOK_TIMEOUT_MS,
};
/** So much is read, that the connection can be kept behind an answer of the usual length. */
const READ_BYTES = 65_536;
const EXCERPT_BYTES = 1_024;

const POST_FAULTS: Record<FailureReason, PostFault> = {
  resolve: 'unresolved',
  resolveTime: 'unresolved',
  connect: 'unreachable',
  connectTime: 'timeout',
  tls: 'tls',
  headersTime: 'timeout',
  idleTime: 'timeout',
  totalTime: 'timeout',
  redirects: 'broken',
  tooLarge: 'broken',
  broken: 'broken',
};

const postFaultOf = (failure: OutboundFailure): PostFault =>
  failure.kind === 'refused' ? 'blocked_target' : POST_FAULTS[failure.reason];

export const webhookPoster =
  ({ request, policy, log }: { request: OutboundRequest; policy: UrlPolicy; log: Log }): Post =>
  async (address, { headers, body }, signal) => {
    const ask = {
      policy,
      method: 'POST',
      headers,
      body,
      keepAlive: true,
      limits: WEBHOOK_LIMITS,
      maxBytes: Infinity,
    } as const;
    try {
      const answer = await request(address, signal ? { ...ask, signal } : ask);
      return {
        status: answer.status,
        retryAfter: answer.headers['retry-after'],
        answer: await readBeginning(answer, signal),
      };
    } catch (error) {
      if (!isOutboundFailure(error)) throw error;
      log.info('a webhook was not taken', { kind: error.kind, reason: error.reason });
      return { fault: postFaultOf(error) };
    }
  };

/** The status has been said: a body that then breaks off or drips changes nothing. */
async function readBeginning({ body }: OutboundResponse, signal: AbortSignal | undefined): Promise<string> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      if (bytes < EXCERPT_BYTES) kept.push(chunk.subarray(0, EXCERPT_BYTES - bytes));
      bytes += chunk.byteLength;
      if (bytes >= READ_BYTES) break;
    }
  } catch (error) {
    if (!isOutboundFailure(error) || signal?.aborted) throw error;
  }
  return decodeExcerpt(Buffer.concat(kept));
}

/** A character that was cut in two is left out. */
const decodeExcerpt = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true });
