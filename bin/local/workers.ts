/** The local product's workers, webhook senders and WebSocket connections. */

import type { Server } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import type { LocalContext } from '../../adapters/local/context.ts';
import { type Consumer, startConsumer } from '../../adapters/local/memory-queue.ts';
import { carryOutOrders, socketServer } from '../../adapters/local/websocket.ts';
import { createAgents } from '../../agents/agents.ts';
import { reportRenderer } from '../../agents/write-files.ts';
import {
  fontFilesFromCheckout,
  readerFilesFromCheckout,
  samplesFromCheckout,
} from '../../engines/assets/checkout-files.ts';
import { chartPng } from '../../engines/charts/chart-image.ts';
import { fileReader, openDocuments } from '../../engines/documents/documents.ts';
import { modelFinder } from '../../engines/models/connect.ts';
import { models, visionSupport } from '../../engines/models/models.ts';
import { modelGates } from '../../engines/models/pace.ts';
import { wholeTokens } from '../../engines/models/profile.ts';
import { outbound } from '../../engines/outbound/request.ts';
import { sampleCorpora } from '../../engines/sources/bundled-sources.ts';
import { gatherer } from '../../engines/sources/gather.ts';
import { searchConnectors } from '../../engines/sources/web-search.ts';
import type { Origins } from '../../functions/http/route.ts';
import { activityNotifier, SOCKET_TEXTS, WEBHOOK_BODIES } from '../../functions/outgoing.ts';
import { answerSocket } from '../../functions/websocket/session.ts';
import type { EnvironmentConnections } from '../../shared/accounts/model-connections.ts';
import type { Organization } from '../../shared/accounts/organizations.ts';
import { modelConnections } from '../../shared/accounts/stored-connections.ts';
import { cachedVault } from '../../shared/core/crypto.ts';
import type { Log } from '../../shared/core/log.ts';
import { HOUR_MS, systemEvery, systemWait } from '../../shared/core/time.ts';
import { withoutOverlap } from '../../shared/core/without-overlap.ts';
import { maintainReading } from '../../shared/files/reading.ts';
import { runHint } from '../../shared/lanes/batches.ts';
import { LANE_SHARES, LANES, type Lane, organizationSlots } from '../../shared/lanes/lane.ts';
import type { Outbound, Post } from '../../shared/ports.ts';
import { cachedWatchers, type NotifyConnectionEnd } from '../../shared/realtime/connections.ts';
import { type Notifier, type Notify, notifierOver } from '../../shared/realtime/notifier.ts';
import type { NotifyActivity } from '../../shared/tasks/activity.ts';
import { addressOfHint, type Hints } from '../../shared/tasks/hints.ts';
import type { LeasedTasks } from '../../shared/tasks/lease.ts';
import { parseTaskAddress } from '../../shared/tasks/rows.ts';
import type { FreshTasks } from '../../shared/tasks/submit.ts';
import { moveTask, type NotifyTask } from '../../shared/tasks/transition.ts';
import type { FirstSender } from '../../shared/tasks/worker.ts';
import { maintainBreaker } from '../../shared/webhooks/circuit-breaker.ts';
import { firstSender, senderCache, senderSlots, sendHint } from '../../shared/webhooks/send.ts';
import type { Sources } from './arguments.ts';
import { bedrockHere } from './bedrock.ts';

/** The number of tasks that run at once on one machine, over all lanes: as many as on a new stage, fewer while memory is short. */
const USUAL = 200;
const FEW = 50;
/**
 * The share of memory up to which tasks start freely. Running tasks may hold the text of whole documents, so the rest
 * is left for them to grow.
 */
const EASY_SHARE = 0.5;

type Heap = Pick<ReturnType<typeof getHeapStatistics>, 'used_heap_size' | 'heap_size_limit'>;

export const tasksAtOnce = (heap: Heap = getHeapStatistics()): number =>
  heap.used_heap_size < heap.heap_size_limit * EASY_SHARE ? USUAL : FEW;

const RESUMED_AT_ONCE = 100;

/** The worker slots of a lane: the number of its tasks that run at once. */
const workerSlots = (lane: Lane): number => tasksAtOnce() * LANE_SHARES[lane];

/** `rootUrl`: the base URL of links in mails. */
type WorkersInput = {
  log: Log;
  hints: Hints;
  notifyTask: NotifyTask;
  notify: Notify;
  notifyActivity: NotifyActivity;
  outbound: Outbound;
  rootUrl: string;
  firstSender: FirstSender;
  fresh: FreshTasks;
  leases: LeasedTasks;
  sources: Sources;
  modelConnections: EnvironmentConnections;
};

/** A change by the operator's command line takes effect within a second. */
const KEPT_CONNECTIONS_MS = 500;

export async function startWorkers(local: LocalContext, input: WorkersInput): Promise<Consumer> {
  const { log, hints, notifyTask, notify, notifyActivity, outbound: fetchFile, firstSender, fresh, leases } = input;
  const { table, clock, queues } = local;
  await resume(local, { hints, notifyTask, log });
  const documents = openDocuments({ ...readerFilesFromCheckout(), limits: local.documentLimits });
  const { seeing: visibleModels, table: ownProfiles } = local.models;
  const connectionOf = modelConnections({ ...local, environment: input.modelConnections, keptMs: KEPT_CONNECTIONS_MS });
  const timing = { wait: systemWait, chance: Math.random };
  const request = outbound();
  const loadProviders = () => import('../../engines/models/providers.ts');
  const findModel = modelFinder(connectionOf, { request, loadProviders, bedrock: bedrockHere(local.models, request) });
  const modelOf = models(findModel, timing, { ownProfiles, gates: modelGates({ ...local, chance: Math.random }) });
  const readers = { documents, outbound: fetchFile };
  const reader = fileReader({ ...local, documents, every: systemEvery, pause: systemWait, process: 'only' });
  const gather = gatherer({ ...local, ...readers, bundled: sampleCorpora(samplesFromCheckout()) });
  const { allowSources, ca } = input.sources;
  const searchConnector = searchConnectors({ ...local, request, allowSources, ca });
  const agents = createAgents({
    ...local,
    ...readers,
    fileReader: reader,
    gather,
    allowedOrigins: new Set(allowSources),
    searchConnector,
    render: reportRenderer(documents, fontFilesFromCheckout()),
    modelOf,
    acceptsImages: visionSupport(visibleModels, ownProfiles),
    wholeTokens: wholeTokens(ownProfiles),
    chartPng: chartPng(fontFilesFromCheckout()),
    sending: { ...local.mail, rootUrl: input.rootUrl },
    pause: systemWait,
  });
  const notifying = { notifyTask, notify, notifyActivity };
  const tasks = {
    table,
    clock,
    hints,
    ...notifying,
    log,
    every: systemEvery,
    agents,
    firstSender,
    fresh,
    held: leases,
  };
  const ports = { ...tasks, storeReading: reader.store };
  const mustGo = new AbortController();
  const consumers = LANES.map((lane) =>
    startConsumer({
      queue: queues.lanes[lane],
      atOnce: () => workerSlots(lane),
      ofOrganization: {
        atOnce: () => organizationSlots(workerSlots(lane)),
        organizationIn: (body) => addressOfHint(body)?.organization ?? '',
      },
      consume: (body) => runHint(ports, body, mustGo.signal),
    }),
  );
  return {
    async stop() {
      mustGo.abort();
      await Promise.all(consumers.map(({ stop }) => stop()));
      await documents.close();
    },
  };
}

/** No other process runs tasks of this state folder, so leases of a dead process are released and their hints are resent. */
async function resume(
  { table, blobs, clock }: LocalContext,
  input: Pick<WorkersInput, 'hints' | 'notifyTask' | 'log'>,
): Promise<void> {
  const keys = table.dueKeys('TASK');
  for (let from = 0; from < keys.length; from += RESUMED_AT_ONCE) {
    const addresses = keys.slice(from, from + RESUMED_AT_ONCE).map(parseTaskAddress);
    await Promise.all(addresses.map((address) => moveTask({ table, clock, ...input }, address, { type: 'restart' })));
  }
  for (const key of table.dueKeys('READING'))
    await maintainReading({ table, blobs, clock, ...input }, key, { isRestart: true });
  for (const key of table.dueKeys('BREAKER')) await maintainBreaker({ table, clock, ...input }, key);
}

// Webhook senders: the consumer of the webhook queue, and the first attempt by the worker.

/** Many, because a receiver may take 15 s to respond; few for each receiver. */
const AT_ONCE = 1_000;
const AT_ONCE_TO_ONE = 10;

type SendersInput = { log: Log; hints: Hints; post: Post; notify: Notify };
type Senders = { firstSender: FirstSender; stop(): Promise<void> };

export function startSenders({ table, blobs, clock, vault, queues }: LocalContext, input: SendersInput): Senders {
  const ports = {
    ...input,
    table,
    blobs,
    clock,
    random: Math.random,
    bodies: WEBHOOK_BODIES,
    slots: senderSlots({ ofOrganization: AT_ONCE, toReceiver: AT_ONCE_TO_ONE }),
    recalled: senderCache({ table, clock, vault: cachedVault(vault) }),
  };
  const mustGo = new AbortController();
  const sendFirst = firstSender(ports, mustGo.signal);
  const { stop } = startConsumer({
    queue: queues.webhooks,
    atOnce: () => AT_ONCE,
    ofOrganization: {
      atOnce: () => organizationSlots(AT_ONCE),
      organizationIn: (body) => addressOfHint(body)?.organization ?? '',
    },
    consume: (body) => sendHint(ports, body, mustGo.signal),
  });
  return {
    firstSender: sendFirst,
    async stop() {
      mustGo.abort();
      await Promise.all([stop(), sendFirst.settled()]);
    },
  };
}

const LOOK_MS = 250;
/** Cached for long, because this process accepts all connections and updates the cache itself. */
const KEPT_MS = HOUR_MS;

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
  const watchers = cachedWatchers({ table, clock, keptMs: KEPT_MS });
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
