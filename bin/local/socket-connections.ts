/** The WebSocket connections of one machine, and the messages to them. */
import type { Server } from 'node:http';
import type { LocalContext } from '../../adapters/local/context.ts';
import { carryOutOrders } from '../../adapters/local/socket-orders.ts';
import { socketServer } from '../../adapters/local/websocket.ts';
import type { Origins } from '../../functions/http/route.ts';
import { activityNotifier, SOCKET_TEXTS } from '../../functions/message-bodies.ts';
import { answerSocket } from '../../functions/websocket/session.ts';
import type { Organization } from '../../shared/accounts/organizations.ts';
import type { Log } from '../../shared/core/log.ts';
import { HOUR_MS, systemWait } from '../../shared/core/time.ts';
import { withoutOverlap } from '../../shared/core/without-overlap.ts';
import type { NotifyConnectionEnd } from '../../shared/realtime/connections.ts';
import { type Notifier, notifierOver } from '../../shared/realtime/notifier.ts';
import { cachedWatchers } from '../../shared/realtime/watchers.ts';
import type { NotifyActivity } from '../../shared/tasks/activity.ts';

const LOOK_MS = 250;
/** Cached for long, because this process accepts all connections and updates the cache itself. */
const CACHE_MS = HOUR_MS;

type Connections = {
  options: Pick<Notifier, 'notifyTask' | 'notify'> & { notifyActivity: NotifyActivity };
  sayEnding: NotifyConnectionEnd;
  serve(server: Server, allowsOrigin: Origins): void;
  stop(): void;
};

type ConnectionsOptions = { log: Log; organizationOf(id: string): Promise<Organization | undefined> };

export function openConnections(local: LocalContext, { log, organizationOf }: ConnectionsOptions): Connections {
  const { table, clock, ids, secrets } = local;
  const server = socketServer({ clock, ids, log });
  const { sockets } = server;
  const watchers = cachedWatchers({ table, clock, keptMs: CACHE_MS });
  const notifier = notifierOver({ table, clock, log, sockets, watchers, words: SOCKET_TEXTS });
  const { outboxes } = notifier;
  const noteSeen = async () => undefined;
  const around = { log, organizationOf, watchers, outboxes, seen: noteSeen, looks: 0, atOnce: 1, wait: systemWait };
  const handlers = answerSocket({ table, clock, secrets, sockets, ...around });
  const carryOut = withoutOverlap(() => carryOutOrders(table, sockets));

  function look(): void {
    if (server.count() === 0) return;
    server.look();
    carryOut().catch((error) => log.warn('requests of the command line were not read', { error }));
  }

  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return {
    options: { ...notifier, notifyActivity: activityNotifier(notifier) },
    sayEnding: (connection, endsAt) => sockets.post(connection, SOCKET_TEXTS.ending(endsAt)),
    serve: (http, allowsOrigin) => server.serve(http, { path: '/ws/tasks', handlers, allowsOrigin }),
    stop() {
      clearInterval(timer);
      server.stop();
    },
  };
}
