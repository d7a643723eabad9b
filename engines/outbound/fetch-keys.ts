/** Fetches the keys that an SSO issuer publishes; from a private address only if the operator allowed it for this issuer. */
import { text } from 'node:stream/consumers';
import type { Log } from '../../shared/core/log.ts';
import type { FetchKeys } from '../../shared/ports.ts';
import { isOutboundFailure } from './failure.ts';
import { issuerPolicy } from './issuer-policy.ts';
import type { OutboundRequest } from './outbound.ts';

const MAX_KEYS_BYTES = 262_144;
const KEYS_TIMEOUT_MS = 5_000;
const OK = 200;

type KeysFetcherOptions = { request: OutboundRequest; log: Log; ca?: string | undefined };

export const keysFetcher =
  ({ request, log, ca }: KeysFetcherOptions): FetchKeys =>
  async (address, { allowsPrivate }) => {
    const policy = issuerPolicy(address, { allowsPrivate, ca });
    const fault = (reason: unknown) => log.warn('the keys of an issuer were not fetched', { address, reason });
    try {
      const headers = { accept: 'application/json' };
      const answer = await request(address, {
        policy,
        headers,
        maxBytes: MAX_KEYS_BYTES,
        limits: { totalMs: KEYS_TIMEOUT_MS },
      });
      if (answer.status === OK) return JSON.parse(await text(answer.body));
      answer.cancel();
      fault(`status ${answer.status}`);
    } catch (error) {
      if (!isOutboundFailure(error) && !(error instanceof SyntaxError)) throw error;
      fault(isOutboundFailure(error) ? error.reason : 'no JSON');
    }
    return undefined;
  };
