/** The whole product in one process: both APIs, the signed URLs, the WebSocket channel, the console and the housekeeping. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { BLOBS_PATH, blobServer } from '../../adapters/local/blob-server.ts';
import type { LocalContext } from '../../adapters/local/context.ts';
import { clearOldBlobs, clearPartialBlobs } from '../../adapters/local/file-blobs.ts';
import { OUTBOX_PATH, outbox } from '../../adapters/local/mail-outbox.ts';
import { type Mount, serve } from '../../adapters/local/server.ts';
import { readSnapshot } from '../../agents/research/snapshots.ts';
import { priceCheck } from '../../engines/models/prices.ts';
import { fileFetcher, keysFetcher } from '../../engines/outbound/clients.ts';
import { type OutboundRequest, outbound } from '../../engines/outbound/request.ts';
import { CATCHER_PATH, documentFault, localEndpointFault } from '../../engines/outbound/ssrf-policy.ts';
import { threadedWebhookSender } from '../../engines/outbound/webhook-thread.ts';
import { agents } from '../../functions/agents/api.ts';
import type { AgentsContext } from '../../functions/agents/context.ts';
import { type LoginContext, login } from '../../functions/agents/login.ts';
import { filesAndTasks } from '../../functions/files-and-tasks/api.ts';
import type { FilesContext } from '../../functions/files-and-tasks/schema.ts';
import { callerAddress } from '../../functions/http/caller-address.ts';
import { credentialLimit } from '../../functions/http/credential-limit.ts';
import { dispatcher } from '../../functions/http/dispatch.ts';
import { type Api, isLoopbackOrigin } from '../../functions/http/route.ts';
import { CONTRACT_FILES, contractsIn } from '../../functions/contract-routes.ts';
import { ownTokenCheck, tokenAuthenticator } from '../../shared/accounts/access-tokens.ts';
import { keyAuthenticator } from '../../shared/accounts/api-keys.ts';
import { organizationReader } from '../../shared/accounts/organizations.ts';
import { issuerKeys } from '../../shared/accounts/sso.ts';
import { typicalDuration } from '../../shared/agents/agent-task.ts';
import { CONSOLE_FOLDER, CONSOLE_PAGE } from '../../shared/core/console.ts';
import { logWith } from '../../shared/core/log.ts';
import { semaphore } from '../../shared/core/semaphore.ts';
import { maxBytesIn } from '../../shared/core/stage.ts';
import { DAY_MS, MINUTE_MS, systemEvery, systemPause } from '../../shared/core/time.ts';
import { withoutOverlap } from '../../shared/core/without-overlap.ts';
import { sweepUploads } from '../../shared/files/cleanup.ts';
import { admission } from '../../shared/lanes/admission.ts';
import type { Outbound } from '../../shared/ports.ts';
import { limitsWithin, type ReconcilePorts, reconcile, scheduleRepairer } from '../../shared/reconcile/reconcile.ts';
import { hintsOver } from '../../shared/tasks/hints.ts';
import { freshTasks } from '../../shared/tasks/submit.ts';
import type { NotifyTask } from '../../shared/tasks/transition.ts';
import { leasedTasks } from '../../shared/tasks/worker.ts';
import type { DocsLocal } from './docs-server.ts';
import { type Addresses, type ConsoleLocal, LOCAL_FOLDER, type ProductOptions } from './start.ts';
import { openConnections, startSenders, startWorkers } from './workers.ts';

// Housekeeping, once a minute: the reconciler, and the removal of expired rows and bytes.

/** How often the scheduler checks whether a new minute has begun. */
const SCHEDULES_MS = 1_000;
const EVERY_MS = MINUTE_MS;
const ROWS_AT_ONCE = 1_000;

function startHousekeeping(local: LocalContext, ports: ReconcilePorts): { stop(): void } {
  const { table, folder, clock, scheduler } = local;
  const repairSchedules = scheduleRepairer({ table, scheduler, log: ports.log });
  let clearedAt = 0;
  // A full disk or a long list may make a round longer than a minute.
  const runMaintenance = withoutOverlap(async () => {
    const limits = limitsWithin(EVERY_MS);
    await reconcile(ports, limits);
    await repairSchedules();
    while ((await table.sweep(ROWS_AT_ONCE)) === ROWS_AT_ONCE);
    await clearPartialBlobs({ folder: folder.blobs, clock });
    if (clock.now() - clearedAt >= DAY_MS) {
      clearedAt = clock.now();
      await clearOldBlobs({ folder: folder.blobs, clock });
    }
    // Last, because it writes: on a full disk the steps before it free space.
    await sweepUploads(ports, limits.stop);
  });
  const timer = setInterval(() => {
    runMaintenance().catch((error) => ports.log.error('housekeeping failed', { error }));
  }, EVERY_MS);
  timer.unref();
  const stopFiring = systemEvery(SCHEDULES_MS, () => {
    scheduler.tick().catch((error) => ports.log.error('schedules were not fired', { error }));
  });
  return {
    stop() {
      clearInterval(timer);
      stopFiring();
    },
  };
}

/** The mount of the console. Its code is loaded on the first request. */
function consoleAt(local: ConsoleLocal): Mount[] {
  const load = async () => (await import('./console-server.ts')).consoleServer(local);
  let serving: ReturnType<typeof load> | undefined;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    serving ??= load();
    await (await serving)(request, response);
  };
  const folders = [CONSOLE_FOLDER, LOCAL_FOLDER, CATCHER_PATH, OUTBOX_PATH].map((prefix) => ({ prefix, serve }));
  return [{ prefix: CONSOLE_PAGE, isPage: true, serve }, ...folders];
}

/** The mount of the documentation. Its code is loaded on the first request. */
function docsAt({ ports: [files, agents], organizations }: Pick<ProductOptions, 'ports' | 'organizations'>): Mount[] {
  const local: DocsLocal = {
    roots: { files: `http://127.0.0.1:${files}`, agents: `http://127.0.0.1:${agents}` },
    organizations: organizations.map(({ name, apiKey, username, password }) => ({ name, apiKey, username, password })),
  };
  let serving: ReturnType<typeof load> | undefined;
  const load = async () => (await import('./docs-server.ts')).docsServer(local);
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    serving ??= load();
    await (await serving)(request, response);
  };
  return ['/docs', '/llms.txt'].map((prefix) => ({ prefix, serve }));
}

// Serves both APIs, each on its own port, and signed URLs on the port of the first.

/** On AWS, logging in is a function of its own; here it is part of the agents' API. */
const ALL_AGENTS: Api<AgentsContext & LoginContext> = { ...agents, routes: [...agents.routes, ...login.routes] };

/** Each password hash takes a core and 128 MiB for most of a second. */
export const PASSWORDS_AT_ONCE = Math.min(2, availableParallelism());
/** More logins than hashes: while one is hashed, the next is counted by the limit of guesses. */
const LOGINS_AT_ONCE = 2 * PASSWORDS_AT_ONCE;

const CONTRACTS = contractsIn(join(import.meta.dirname, '../../contracts'));

const contractsOf = (api: keyof typeof CONTRACT_FILES) => (name: string) =>
  CONTRACTS((CONTRACT_FILES[api] as Record<string, string>)[name] ?? name);

type PerApi =
  | 'outbound'
  | 'blobs'
  | 'secrets'
  | 'passwords'
  | 'keysAt'
  | 'addressOf'
  | 'pause'
  | 'passwordSlots'
  | 'typicalDuration';
type ApiContext = Omit<FilesContext & AgentsContext & LoginContext, PerApi>;
type ApiOptions = { apiContext: ApiContext; request: OutboundRequest; fetchFile: Outbound };

async function serveApis(local: LocalContext, o: ProductOptions, { apiContext, request, fetchFile }: ApiOptions) {
  const { table, clock, blobs, secrets } = local;
  const docs = docsAt(o);
  const onFault = (error: unknown) => o.log.error('request failed in the server', { error });
  const filesServer = await serve({
    dispatch: dispatcher(filesAndTasks, {
      ...apiContext,
      log: logWith(o.log, { face: filesAndTasks.name }),
      contracts: contractsOf('files-and-tasks'),
      outbound: fetchFile,
      blobs,
    }),
    port: o.ports[0],
    settled: table.settled,
    mounts: [
      {
        prefix: BLOBS_PATH,
        serve: blobServer({ blobs, addresses: local.addresses, clock: local.clock, maxBytes: maxBytesIn({}) }),
      },
      ...docs,
      ...consoleAt({ ...o, local }),
    ],
    onFault,
  });
  const agentsServer = await serve({
    dispatch: dispatcher(ALL_AGENTS, {
      ...apiContext,
      log: logWith(o.log, { face: agents.name }),
      contracts: contractsOf('agents'),
      secrets,
      passwords: o.passwords,
      blobs,
      keysAt: issuerKeys({ clock, fetchKeys: keysFetcher({ request, log: o.log, ca: o.sources.ca }) }),
      addressOf: NO_EDGE,
      pause: systemPause,
      passwordSlots: semaphore({ capacity: LOGINS_AT_ONCE, maxEach: LOGINS_AT_ONCE, name: 'passwordHashing' }),
      typicalDuration: typicalDuration({ table, clock }),
    }),
    port: o.ports[1],
    settled: table.settled,
    mounts: [{ prefix: OUTBOX_PATH, serve: outbox(local.folder.mail) }, ...docs],
    onFault,
  }).catch((error) => {
    filesServer.close();
    throw error;
  });
  return [filesServer, agentsServer] as const;
}

/** A running product. */
export type Product = { addresses: Addresses; stop(): Promise<void> };

const NO_EDGE = callerAddress(async () => undefined);

/** A change by the operator's command line takes effect within a second. */
const KEPT_MS = 500;

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
  const organizationOf = organizationReader({ table, clock, keptMs: KEPT_MS });
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
    keyOwner: keyAuthenticator({ table, clock, log: o.log, keptMs: KEPT_MS }),
    tokenOwner: tokenAuthenticator({ table, clock, secrets, keptMs: KEPT_MS }),
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
    firstSender: senders.firstSender,
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
const readersOf = ({ blobs }: LocalContext): Pick<ApiContext, 'readSnapshot'> => ({
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
