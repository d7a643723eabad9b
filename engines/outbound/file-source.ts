/** The port through which files come in by address: any place that the policy takes, and 2xx answers only. */
import type { Outbound } from '../../shared/ports.ts';
import { isOutboundFailure } from './failure.ts';
import type { Request } from './outbound.ts';
import type { Policy } from './policy.ts';

export const fileSource =
  (request: Request, policy: Policy): Outbound =>
  async (address, { maxBytes, maxRedirects, seconds }) => {
    try {
      const limits = { totalMs: seconds * 1000 };
      const answer = await request(address, { policy, maxBytes, redirects: maxRedirects, limits });
      if (answer.status >= 200 && answer.status < 300) return answer;
      answer.cancel();
      return 'failed';
    } catch (error) {
      if (isOutboundFailure(error)) return error.kind;
      throw error;
    }
  };
