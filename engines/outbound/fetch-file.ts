/** Fetches a file for a stranger: any public address but our own, and the answer must be a 2xx. */
import type { Log } from '../../shared/core/log.ts';
import type { Outbound } from '../../shared/ports.ts';
import { isOutboundFailure } from './failure.ts';
import type { Request } from './outbound.ts';
import { publicPolicy } from './policy.ts';

type Given = { request: Request; log: Log; ownBuckets?: string[]; allowSources?: string[]; ca?: string | undefined };

export const fileFetcher =
  ({ request, log, ...given }: Given): Outbound =>
  async (address, { maxBytes, maxRedirects, seconds, headers = {}, ownHosts }) => {
    const policy = publicPolicy({ ...given, ownHosts });
    try {
      const answer = await request(address, {
        policy,
        maxBytes,
        redirects: maxRedirects,
        headers,
        limits: { totalMs: seconds * 1_000 },
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
