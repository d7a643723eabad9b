/** What the WebSocket channel works with, and how it speaks to one connection. */
import type { Log } from '../../shared/core/log.ts';
import { type AuthenticationPorts, removeConnection } from '../../shared/realtime/connections.ts';
import type { Notifier } from '../../shared/realtime/notifier.ts';
import type { Watchers } from '../../shared/realtime/slots.ts';

export type SocketContext = AuthenticationPorts & {
  log: Log;
  watchers: Pick<Watchers, 'forget'>;
  outboxes: Notifier['outboxes'];
  /** Resolves when whoever tells news has seen what was written before. */
  seen(): Promise<void>;
  /** Behind the gateway messages may overtake each other: so often an authentication that is under way is waited for. */
  looks: number;
  wait(ms: number): Promise<void>;
  /** Tasks whose past is told at once: behind the gateway each message takes its time. */
  atOnce: number;
};

type Code = 'UNAUTHORIZED' | 'RATE_LIMIT_EXCEEDED' | 'INVALID_MESSAGE' | 'INTERNAL_ERROR';

export type ConnectionWriter = ReturnType<typeof connectionWriter>;

export function connectionWriter(context: SocketContext) {
  const { sockets, watchers } = context;

  async function closed(id: string): Promise<void> {
    const connection = await removeConnection(context, id);
    if (connection) watchers.forget(connection.organization);
  }

  /** False when nobody is there any more. */
  async function sayText(id: string, text: string): Promise<boolean> {
    if ((await sockets.post(id, text)) === 'sent') return true;
    await closed(id);
    return false;
  }

  const say = (id: string, message: object) => sayText(id, JSON.stringify(message));
  const fault = (id: string, code: Code, message: string) => say(id, { type: 'error', code, message });

  return {
    closed,
    say,
    sayText,
    fault,
    async sendAway(id: string, code: Code, message: string): Promise<void> {
      await fault(id, code, message);
      await sockets.close(id, code);
    },
  };
}
