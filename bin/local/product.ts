/** The whole product in one process: both APIs, the signed URLs, the WebSocket channel, the console and the housekeeping. */

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LocalContext } from '../../adapters/local/context.ts';
import { readSnapshot } from '../../agents/research/snapshots.ts';
import { priceCheck } from '../../engines/models/prices.ts';
import { fileFetcher } from '../../engines/outbound/clients.ts';
import { outbound } from '../../engines/outbound/request.ts';
import { documentFault, localEndpointFault } from '../../engines/outbound/ssrf-policy.ts';
import { threadedWebhookSender } from '../../engines/outbound/webhook-thread.ts';
import { credentialLimit } from '../../functions/http/credential-limit.ts';
import { isLoopbackOrigin } from '../../functions/http/route.ts';
import { ownTokenCheck, tokenAuthenticator } from '../../shared/accounts/access-tokens.ts';
import { keyAuthenticator } from '../../shared/accounts/key-authenticator.ts';
import { organizationReader } from '../../shared/accounts/organizations.ts';
import { admission } from '../../shared/lanes/admission.ts';
import type { Outbound } from '../../shared/ports.ts';
import { freshTasks } from '../../shared/tasks/fresh-tasks.ts';
import { hintsOver } from '../../shared/tasks/hints.ts';
import { leasedTasks } from '../../shared/tasks/leased-tasks.ts';
import type { NotifyTask } from '../../shared/tasks/transition.ts';
import { startHousekeeping } from './housekeeping.ts';
import type { Addresses } from './local-file.ts';
import type { ProductOptions } from './product-options.ts';
import { type LocalApiContext, NO_EDGE, serveApis } from './serve-apis.ts';
import { openConnections } from './socket-connections.ts';
import { startSenders } from './webhook-senders.ts';
import { startWorkers } from './workers.ts';

/** A running product. */
export type Product = { addresses: Addresses; stop(): Promise<void> };

/** A change by the operator's command line takes effect within a second. */
const CACHE_MS = 500;

/** Adds our own hosts to those that outbound requests must not reach, whatever host name the caller used. */
const withOwnHosts =
  (ownHosts: string[], fetchFile: Outbound): Outbound =>
  (address, ask) =>
    fetchFile(address, { ...ask, ownHosts: [...ask.ownHosts, ...ownHosts] });

const addressOf = (server: Server): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;

export async function startProduct(local: LocalContext, o: ProductOptions): Promise<Product> {
  const { table, clock, ids, secrets } = local;
  const hints = hintsOver({ ...local.queues, log: o.log });
  const fresh = freshTasks();
  const request = outbound();
  const ownHosts = o.ports.flatMap((port) => [`127.0.0.1:${port}`, `localhost:${port}`]);
  const { post, stop: stopPoster } = threadedWebhookSender({ ownHosts }, o.log);
  const organizationOf = organizationReader({ table, clock, keptMs: CACHE_MS });
  const fetchFile = fileFetcher({ request, log: o.log, ...o.sources });
  const connections = openConnections(local, { log: o.log, organizationOf });
  const { sayEnding } = connections;
  const leases = leasedTasks();
  const notifyTask: NotifyTask = (effects, address, task, about) => {
    leases.notify(address, task);
    connections.options.notifyTask(effects, address, task, about);
  };
  const notifications = { ...connections.options, notifyTask };
  const apiContext = {
    table,
    clock,
    ids,
    log: o.log,
    origins: isLoopbackOrigin,
    organizationOf,
    keyOwner: keyAuthenticator({ table, clock, log: o.log, keptMs: CACHE_MS }),
    tokenOwner: tokenAuthenticator({ table, clock, secrets, keptMs: CACHE_MS }),
    limitCredentials: limitOfBadCredentials(local, o.maxBadCredentials),
    readsWithoutState: true as const,
    hints,
    fresh,
    ...notifications,
    admit: admission({ table, clock, organizationOf }),
    faultOfEndpoint: localEndpointFault,
    faultOfDocument: documentFault(o.sources),
    serviceUrls: ownHosts.map((host) => `http://${host}`),
    hasPrice: priceCheck(local.models.table),
    sendsMail: true,
    vault: local.vault,
    post,
    ...readersOf(local),
  };
  const [filesServer, agentsServer] = await serveApis(local, o, { apiContext, request, fetchFile });
  connections.serve(agentsServer, isLoopbackOrigin);
  const endpoints = { outbound: withOwnHosts(ownHosts, fetchFile), rootUrl: `http://${addressOf(agentsServer)}` };
  const senders = startSenders(local, { log: o.log, hints, post, ...notifications });
  const workers = await startWorkers(local, {
    log: o.log,
    hints,
    ...notifications,
    ...endpoints,
    fresh,
    leases,
    sources: o.sources,
    immediateDelivery: senders.immediateDelivery,
    modelConnections: o.modelConnections,
  });
  const housekeeping = startHousekeeping(local, { ...local, sayEnding, ...notifications, log: o.log, hints });
  return {
    addresses: {
      filesAndTasks: `http://${addressOf(filesServer)}`,
      agents: `http://${addressOf(agentsServer)}`,
      agentsSocket: `ws://${addressOf(agentsServer)}`,
    },
    async stop() {
      housekeeping.stop();
      connections.stop();
      await Promise.all([filesServer, agentsServer].map(closeServer));
      await workers.stop();
      await senders.stop();
      await stopPoster();
    },
  };
}

/** On AWS this code is a separate bundle, because few calls need it. */
const readersOf = ({ blobs }: LocalContext): Pick<LocalApiContext, 'readSnapshot'> => ({
  readSnapshot: (snapshots, source) => readSnapshot(blobs, snapshots, source),
});

const limitOfBadCredentials = ({ table, clock, secrets }: LocalContext, max: number) =>
  credentialLimit({ table, clock, addressOf: NO_EDGE, max, isOwnToken: ownTokenCheck({ clock, secrets }) });

const GRACE_MS = 2_000;

/** Closes the server; requests that still run after the grace period are aborted. */
function closeServer(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  return new Promise((resolve) => {
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
