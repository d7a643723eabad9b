/** The connections that API Gateway holds. */
import {
  type ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import type { Sockets } from '../shared/ports.ts';
import { failAs, isAwsError, statusOf } from './failures.ts';

const GONE = 410;
const fail = failAs('The gateway of the connections');

const isGone = (error: unknown): boolean => isAwsError(error, 'GoneException') || statusOf(error) === GONE;

export function gatewaySockets({ client }: { client: ApiGatewayManagementApiClient }): Sockets {
  const ifGone =
    <T>(told: T) =>
    (error: unknown): T =>
      isGone(error) ? told : fail(error);

  return {
    post: (ConnectionId, message) =>
      client
        .send(new PostToConnectionCommand({ ConnectionId, Data: message }))
        .then(() => 'sent' as const, ifGone('gone' as const)),
    isThere: (ConnectionId) => client.send(new GetConnectionCommand({ ConnectionId })).then(() => true, ifGone(false)),
    async close(ConnectionId) {
      await client.send(new DeleteConnectionCommand({ ConnectionId })).then(() => undefined, ifGone(undefined));
    },
  };
}
