/** The WebSocket channel of the local product: its connections, the answers to their messages, and their updates. */

import type { Server } from 'node:http';
import type { LocalContext } from '../../adapters/local/context.ts';
import { carryOutOrders, socketServer } from '../../adapters/local/websocket.ts';
import type { Origins } from '../../functions/http/request.ts';
import { answerSocket } from '../../functions/websocket/session.ts';
import { SOCKET_TEXTS } from '../../functions/websocket/texts.ts';
import type { Organization } from '../../shared/accounts/organizations.ts';
import type { Log } from '../../shared/core/log.ts';
import { HOUR_MS, systemWait } from '../../shared/core/time.ts';
import { cachedWatchers, type NotifyConnectionEnd } from '../../shared/realtime/connections.ts';
import { type Notifier, notifierOver } from '../../shared/realtime/notifier.ts';

const LOOK_MS = 250;
/** All connections come in here, so that what is known of them holds until it is forgotten. */
const KEPT_MS = HOUR_MS;

export type Connections = {
  options: Pick<Notifier, 'notifyTask' | 'notify'>;
  sayEnding: NotifyConnectionEnd;
  serve(server: Server, allowsOrigin: Origins): void;
  stop(): void;
};

type ConnectionsOptions = { log: Log; organizationOf(id: string): Promise<Organization | undefined> };

export function openConnections(local: LocalContext, { log, organizationOf }: ConnectionsOptions): Connections {
  const { table, clock, ids, secrets } = local;
  const server = socketServer({ clock, ids, log });
  const { sockets } = server;
  const watchers = cachedWatchers({ table, clock, keptMs: KEPT_MS });
  const notifier = notifierOver({ table, clock, log, sockets, watchers, words: SOCKET_TEXTS });
  const { outboxes } = notifier;
  const seen = async () => undefined;
  const around = { log, organizationOf, watchers, outboxes, seen, looks: 0, atOnce: 1, wait: systemWait };
  const handlers = answerSocket({ table, clock, secrets, sockets, ...around });
  let isOrdering = false;

  function look(): void {
    if (server.count() === 0) return;
    server.look();
    if (isOrdering) return;
    isOrdering = true;
    carryOutOrders(table, sockets)
      .catch((error) => log.warn('the orders of the command line were not read', { error }))
      .finally(() => {
        isOrdering = false;
      });
  }

  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return {
    options: { notifyTask: notifier.notifyTask, notify: notifier.notify },
    sayEnding: (connection, endsAt) => sockets.post(connection, SOCKET_TEXTS.ending(endsAt)),
    serve: (http, allowsOrigin) => server.serve(http, { path: '/ws/tasks', handlers, allowsOrigin }),
    stop() {
      clearInterval(timer);
      server.stop();
    },
  };
}
