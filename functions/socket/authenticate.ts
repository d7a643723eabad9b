/** `{type: authenticate, token}`: whom a connection is for. */
import { authenticateConnection, connectionById, type OpenedConnection } from '../../shared/realtime/connections.ts';
import type { ConnectionWriter, SocketContext } from './context.ts';

const REFUSED = 'Invalid, expired or used websocket_token; ask for another one.';
const FULL = 'Your organization has as many WebSocket connections as it may; close one of them first.';

export async function authenticate(
  context: SocketContext,
  { say, fault, sendAway }: ConnectionWriter,
  { opened, token }: { opened: OpenedConnection; token: string },
): Promise<void> {
  const { id } = opened;
  if (await connectionById(context.table, id)) {
    await fault(id, 'INVALID_MESSAGE', 'This connection is authenticated already.');
    return;
  }
  const answer = await authenticateConnection(context, opened, token);
  if (answer === 'full') return sendAway(id, 'RATE_LIMIT_EXCEEDED', FULL);
  if (answer === 'refused') return void (await fault(id, 'UNAUTHORIZED', REFUSED));
  context.watchers.forget(answer.organization);
  await say(id, { type: 'authenticated' });
}
