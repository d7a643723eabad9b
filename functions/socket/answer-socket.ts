/** One WebSocket connection: what it says, and what it is answered. The same on one machine and behind the gateway. */
import { connectionById, messageBudgets, type OpenedConnection } from '../../shared/realtime/connections.ts';
import { parseClientMessage } from './asked.ts';
import { authenticate } from './authenticate.ts';
import { connectionWriter, type SocketContext } from './context.ts';
import { subscribe } from './subscribe.ts';

const TOO_MANY = 'This connection sent too many messages. Open another one and send fewer per second.';

export function answerSocket(context: SocketContext) {
  const speaking = connectionWriter(context);
  const { say, fault, sendAway, closed } = speaking;
  const budgets = messageBudgets(context.clock, async (id) => (await connectionById(context.table, id)) !== undefined);

  /** Ends the connection at the first message over its budget, and ignores what it sends after that. */
  async function isWithinBudget(id: string): Promise<boolean> {
    const taken = await budgets.take(id);
    if (taken !== 'justSpent') return taken === 'ok';
    context.log.warn('a connection was closed because it sent too many messages', { connection: id });
    await sendAway(id, 'RATE_LIMIT_EXCEEDED', TOO_MANY).catch((error) => {
      // It is still open: its next burst is another reason to close it.
      budgets.forget(id);
      throw error;
    });
    return false;
  }

  async function answer(opened: OpenedConnection, text: string): Promise<void> {
    const { id } = opened;
    const asked = parseClientMessage(text);
    if ('fault' in asked) await fault(id, 'INVALID_MESSAGE', asked.fault);
    else if (asked.type === 'authenticate') await authenticate(context, speaking, { opened, token: asked.token });
    else if (asked.type === 'subscribe') await subscribe(context, speaking, { id, asked });
    else await say(id, { type: 'pong' });
  }

  return {
    async message(opened: OpenedConnection, text: string): Promise<void> {
      try {
        if (await isWithinBudget(opened.id)) await answer(opened, text);
      } catch (error) {
        context.log.error('a message of a connection was not answered', { connection: opened.id, error });
        await fault(opened.id, 'INTERNAL_ERROR', 'Something went wrong on our side; try again.');
      }
    },
    /** A protocol ping or pong: a gateway answers these itself and shows them to nobody. */
    async controlFrame(id: string): Promise<void> {
      await isWithinBudget(id);
    },
    /** What no gateway lets through. */
    refuse: (id: string, message: string) => sendAway(id, 'INVALID_MESSAGE', message),
    /** Its ten seconds are over. */
    async checkAuthenticated(id: string): Promise<void> {
      if (await connectionById(context.table, id)) return;
      await sendAway(id, 'UNAUTHORIZED', 'No valid websocket_token came within 10 seconds.');
    },
    async closed(id: string): Promise<void> {
      budgets.forget(id);
      await closed(id);
    },
  };
}
