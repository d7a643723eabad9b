/** Fetches a file for a stranger: any public address but our own, and the answer must be a 2xx. */
import type { Log } from '../../shared/core/log.ts';
import type { Outbound } from '../../shared/ports.ts';
import { isOutboundFailure } from './failure.ts';
import type { OutboundRequest } from './outbound.ts';
import { publicPolicy } from './policy.ts';

type FileFetcherOptions = {
  request: OutboundRequest;
  log: Log;
  ownBuckets?: string[];
  allowSources?: string[];
  ca?: string | undefined;
};

/** Some hosts turn away who does not say this much. */
const FILE_HEADERS = { 'user-agent': 'errand-files/1', accept: '*/*' };

export const fileFetcher =
  ({ request, log, ...given }: FileFetcherOptions): Outbound =>
  async (address, { maxBytes, maxRedirects, seconds, headers = {}, ownHosts, signal }) => {
    const policy = publicPolicy({ ...given, ownHosts });
    const ms = seconds * 1_000;
    try {
      const answer = await request(address, {
        policy,
        maxBytes,
        redirects: maxRedirects,
        headers: { ...FILE_HEADERS, ...headers },
        // A slow source has all of that time, wherever it takes it.
        ...(signal ? { signal } : {}),
        limits: { totalMs: ms, headersMs: ms, idleMs: ms },
      });
      if (answer.status >= 200 && answer.status < 300) return answer;
      log.info('a file was not fetched', { reason: 'status', status: answer.status });
      answer.cancel();
      return 'failed';
    } catch (error) {
      if (!isOutboundFailure(error)) throw error;
      log.info('a file was not fetched', { kind: error.kind, reason: error.reason });
      return error.kind;
    }
  };
