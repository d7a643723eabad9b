/** The local product's workers: they run the tasks of all lanes. */

import { getHeapStatistics } from 'node:v8';
import { type Consumer, startConsumer } from '../../adapters/local/consumer.ts';
import type { LocalContext } from '../../adapters/local/context.ts';
import { createAgents } from '../../agents/agents.ts';
import { reportRenderer } from '../../agents/write-files.ts';
import {
  fontFilesFromCheckout,
  readerFilesFromCheckout,
  samplesFromCheckout,
} from '../../engines/assets/checkout-files.ts';
import { chartPng } from '../../engines/charts/chart-image.ts';
import { openDocuments } from '../../engines/documents/documents.ts';
import { fileReader } from '../../engines/documents/file-reader.ts';
import { modelFinder } from '../../engines/models/connect.ts';
import { modelGates } from '../../engines/models/model-gates.ts';
import { models, visionSupport } from '../../engines/models/models.ts';
import { wholeTokens } from '../../engines/models/profile.ts';
import { outbound } from '../../engines/outbound/request.ts';
import { sampleCorpora } from '../../engines/sources/bundled-sources.ts';
import { gatherer } from '../../engines/sources/gather.ts';
import { searchConnectors } from '../../engines/sources/web-search.ts';
import type { EnvironmentConnections } from '../../shared/accounts/model-connections.ts';
import { modelConnections } from '../../shared/accounts/stored-connections.ts';
import { LANE_SHARES, LANES, type Lane, organizationSlots } from '../../shared/core/lane.ts';
import type { Log } from '../../shared/core/log.ts';
import { systemEvery, systemWait } from '../../shared/core/time.ts';
import { maintainReading } from '../../shared/files/reading.ts';
import { runHint } from '../../shared/lanes/batches.ts';
import type { Outbound } from '../../shared/ports.ts';
import type { Notify } from '../../shared/realtime/notifier.ts';
import type { NotifyActivity } from '../../shared/tasks/activity.ts';
import type { FreshTasks } from '../../shared/tasks/fresh-tasks.ts';
import { addressOfHint, type Hints } from '../../shared/tasks/hints.ts';
import type { ImmediateDelivery } from '../../shared/tasks/immediate-delivery.ts';
import type { LeasedTasks } from '../../shared/tasks/leased-tasks.ts';
import { parseTaskAddress } from '../../shared/tasks/rows.ts';
import { moveTask, type NotifyTask } from '../../shared/tasks/transition.ts';
import { maintainBreaker } from '../../shared/webhooks/maintain-breaker.ts';
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
  immediateDelivery: ImmediateDelivery;
  fresh: FreshTasks;
  leases: LeasedTasks;
  sources: Sources;
  modelConnections: EnvironmentConnections;
};

/** A change by the operator's command line takes effect within a second. */
const KEPT_CONNECTIONS_MS = 500;

export async function startWorkers(local: LocalContext, input: WorkersInput): Promise<Consumer> {
  const {
    log,
    hints,
    notifyTask,
    notify,
    notifyActivity,
    outbound: fetchFile,
    immediateDelivery,
    fresh,
    leases,
  } = input;
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
  const engines = { documents, outbound: fetchFile };
  const reader = fileReader({ ...local, documents, every: systemEvery, pause: systemWait, process: 'only' });
  const gather = gatherer({ ...local, ...engines, bundled: sampleCorpora(samplesFromCheckout()) });
  const { allowSources, ca } = input.sources;
  const searchConnector = searchConnectors({ ...local, request, allowSources, ca });
  const agents = createAgents({
    ...local,
    ...engines,
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
    immediateDelivery,
    fresh,
    leasedTasks: leases,
  };
  const ports = { ...tasks, storeReading: reader.store };
  const stopController = new AbortController();
  const consumers = LANES.map((lane) =>
    startConsumer({
      queue: queues.lanes[lane],
      atOnce: () => workerSlots(lane),
      ofOrganization: {
        atOnce: () => organizationSlots(workerSlots(lane)),
        organizationIn: (body) => addressOfHint(body)?.organization ?? '',
      },
      consume: (body) => runHint(ports, body, stopController.signal),
    }),
  );
  return {
    async stop() {
      stopController.abort();
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
