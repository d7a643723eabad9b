/** The channel behind a gateway in memory, in virtual time, whose connections break when a test says so. */

import { setImmediate } from 'node:timers/promises';
import { SOCKET_TEXTS } from '../../../functions/message-bodies.ts';
import { answerSocket } from '../../../functions/websocket/session.ts';
import type { Sockets } from '../../../shared/ports.ts';
import { notifierOver } from '../../../shared/realtime/notifier.ts';
import { cachedWatchers } from '../../../shared/realtime/watchers.ts';
import type { Message } from './client.ts';
import type { SocketSetup } from './setup.ts';

export type VirtualConnection = {
  id: string;
  openedAt: number;
  /** The messages that arrived. */
  heard: Message[];
  /** Accepts messages and loses them, like those in flight when a connection breaks. */
  isBreaking: boolean;
};

export function virtualSockets(at: SocketSetup) {
  const lines = new Map<string, VirtualConnection>();
  let posts = 0;
  const sockets: Sockets = {
    async post(id, message) {
      const line = lines.get(id);
      if (!line) return 'gone';
      // Other work continues meanwhile.
      if (posts++ % 3 === 0) await setImmediate();
      if (!line.isBreaking) line.heard.push(JSON.parse(message));
      return 'sent';
    },
    isThere: async (id) => lines.has(id),
    close: async (id) => void lines.delete(id),
  };
  const watchers = cachedWatchers({ table: at.table, clock: at.clock, keptMs: 3_600_000 });
  const news = notifierOver({ ...at.ports, table: at.table, clock: at.clock, sockets, watchers, words: SOCKET_TEXTS });
  const organizationOf = async (id: string) => ({ id, name: id, createdAt: 0, models: [], limits: {} });
  const socket = answerSocket({
    table: at.table,
    clock: at.clock,
    secrets: at.secrets,
    log: at.log,
    sockets,
    organizationOf,
    watchers,
    outboxes: news.outboxes,
    seen: async () => undefined,
    looks: 0,
    wait: async () => undefined,
    atOnce: 1,
  });

  return {
    lines,
    sockets,
    news,
    socket,
    ports: { ...at.ports, notifyTask: news.notifyTask },
    open(): VirtualConnection {
      const line = { id: at.ids.uuid(), openedAt: at.clock.now(), heard: [], isBreaking: false };
      lines.set(line.id, line);
      return line;
    },
    say: (line: VirtualConnection, message: object) => socket.message(line, JSON.stringify(message)),
    /** With a close event, as for most connections, or without one. */
    async end(line: VirtualConnection, o: { isSilent: boolean }): Promise<void> {
      lines.delete(line.id);
      if (!o.isSilent) await socket.closed(line.id);
    },
  };
}
