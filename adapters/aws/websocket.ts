/** The WebSocket connections that API Gateway holds. */
import type { Sockets } from '../../shared/ports.ts';
import { encoded } from './client/account.ts';
import { type AwsRequester, failAs, isAwsError, statusOf } from './client/request.ts';

const GONE = 410;
const fail = failAs('The gateway of the connections');

const isGone = (error: unknown): boolean => isAwsError(error, 'GoneException') || statusOf(error) === GONE;

/** `gateway` sends requests to the URL of the stage that holds the connections. */
export function gatewaySockets(gateway: Pick<AwsRequester, 'ask'>): Sockets {
  const about = (connection: string) => `/@connections/${encoded(connection)}`;
  const ifGone =
    <T>(value: T) =>
    (error: unknown): T =>
      isGone(error) ? value : fail(error);

  return {
    post: (connection, body) =>
      gateway
        .ask({ method: 'POST', path: about(connection), headers: { 'content-type': 'text/plain' }, body })
        .then(() => 'sent' as const, ifGone('gone' as const)),
    isThere: (connection) => gateway.ask({ method: 'GET', path: about(connection) }).then(() => true, ifGone(false)),
    async close(connection) {
      await gateway.ask({ method: 'DELETE', path: about(connection) }).then(() => undefined, ifGone(undefined));
    },
  };
}
