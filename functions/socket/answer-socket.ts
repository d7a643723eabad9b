/** One WebSocket connection: what it says, and what it is answered. The same on one machine and behind the gateway. */
import type { Opened } from '../../shared/sockets/authenticate-connection.ts';
import { connectionById } from '../../shared/sockets/connection.ts';
import { askedIn } from './asked.ts';
import { authenticate } from './authenticate.ts';
import { type SocketContext, speaker } from './context.ts';
import { subscribe } from './subscribe.ts';

export function answerSocket(context: SocketContext) {
  const speaking = speaker(context);
  const { say, fault, sendAway, closed } = speaking;

  async function answer(opened: Opened, text: string): Promise<void> {
    const { id } = opened;
    const asked = askedIn(text);
    if ('fault' in asked) await fault(id, 'INVALID_MESSAGE', asked.fault);
    else if (asked.type === 'authenticate') await authenticate(context, speaking, { opened, token: asked.token });
    else if (asked.type === 'subscribe') await subscribe(context, speaking, { id, asked });
    else await say(id, { type: 'pong' });
  }

  return {
    async message(opened: Opened, text: string): Promise<void> {
      try {
        await answer(opened, text);
      } catch (error) {
        context.log.error('a message of a connection was not answered', { connection: opened.id, error });
        await fault(opened.id, 'INTERNAL_ERROR', 'Something went wrong on our side; try again.');
      }
    },
    /** What no gateway lets through. */
    refuse: (id: string, message: string) => sendAway(id, 'INVALID_MESSAGE', message),
    /** Its ten seconds are over. */
    async checkAuthenticated(id: string): Promise<void> {
      if (await connectionById(context.table, id)) return;
      await sendAway(id, 'UNAUTHORIZED', 'No valid websocket_token came within 10 seconds.');
    },
    closed,
  };
}
