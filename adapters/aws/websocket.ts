/** The WebSocket connections that API Gateway holds. */
import {
  type ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import type { Sockets } from '../../shared/ports.ts';
import { failAs, httpStatusOf, isAwsError } from './errors.ts';

const GONE = 410;
const fail = failAs('The gateway of the connections');

const isGone = (error: unknown): boolean => isAwsError(error, 'GoneException') || httpStatusOf(error) === GONE;

/** The client sends to the URL of the stage that holds the connections. */
export function gatewaySockets(client: () => ApiGatewayManagementApiClient): Sockets {
  const ifGone =
    <T>(value: T) =>
    (error: unknown): T =>
      isGone(error) ? value : fail(error);

  return {
    post: async (ConnectionId, Data) =>
      client()
        .send(new PostToConnectionCommand({ ConnectionId, Data }))
        .then(() => 'sent' as const, ifGone('gone' as const)),
    isThere: async (ConnectionId) =>
      client()
        .send(new GetConnectionCommand({ ConnectionId }))
        .then(() => true, ifGone(false)),
    async close(ConnectionId) {
      await client()
        .send(new DeleteConnectionCommand({ ConnectionId }))
        .then(() => undefined, ifGone(undefined));
    },
  };
}
