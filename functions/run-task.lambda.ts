/** The worker as a Lambda function: handles the hints of one lane, a few at once, because tasks mostly wait for a model. */

import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import {
  bedrockFrom,
  blobsFrom,
  downloadsFrom,
  hintsFrom,
  laneOfArn,
  lanesFrom,
  logFrom,
  modelConnectionsFrom,
  notifierFrom,
  secretsFrom,
  sendingFrom,
  socketsFrom,
  tableFrom,
} from '../adapters/aws/context.ts';
import type { bedrockModels } from '../adapters/aws/model.ts';
import { createAgents } from '../agents/agents.ts';
import { reportRenderer } from '../agents/write-files.ts';
import { chartPng } from '../engines/charts/chart-image.ts';
import { withinMemory } from '../engines/documents/document.ts';
import { openDocuments } from '../engines/documents/documents.ts';
import { fileReader } from '../engines/documents/file-reader.ts';
import { bundledReaderFiles } from '../engines/documents/reader-files.ts';
import { bundledFontFiles } from '../engines/fonts/font.ts';
import { MODEL_REQUEST } from '../engines/models/call-limits.ts';
import { modelFinder } from '../engines/models/connect.ts';
import { modelGates } from '../engines/models/model-gates.ts';
import { models, visionSupport } from '../engines/models/models.ts';
import { wholeTokens } from '../engines/models/profile.ts';
import type { PROVIDERS } from '../engines/models/providers.ts';
import { asFetch, fileFetcher, webhookSender } from '../engines/outbound/clients.ts';
import { outbound } from '../engines/outbound/request.ts';
import { operatorPolicy, publicPolicy } from '../engines/outbound/ssrf-policy.ts';
import { bundledPublicSources } from '../engines/sources/bundled-sources.ts';
import { gatherer } from '../engines/sources/gather.ts';
import { searchConnectors } from '../engines/sources/web-search.ts';
import { modelTableConfig, searchConfig, seeingConfig } from '../shared/accounts/model-settings.ts';
import { modelConnections } from '../shared/accounts/stored-connections.ts';
import { blobsConfig, documentCpuConfig, documentsConfig, workersConfig } from '../shared/core/config.ts';
import { ids } from '../shared/core/ids.ts';
import { instancesOf, type Lane } from '../shared/core/lane.ts';
import { systemClock, systemEvery, systemWait } from '../shared/core/time.ts';
import { cachedVault, vault } from '../shared/core/vault.ts';
import { runBatch } from '../shared/lanes/batches.ts';
import { type LaneSeats, laneSeats } from '../shared/lanes/worker-seats.ts';
import { immediateDelivery } from '../shared/webhooks/immediate-delivery.ts';
import { senderCache } from '../shared/webhooks/sender-cache.ts';
import { senderSlots } from '../shared/webhooks/sender-slots.ts';
import { wholeBatch } from './hint-batches.ts';
import { failureLog, flushUpdates } from './lambda-handlers.ts';
import { activityNotifier, SOCKET_TEXTS, WEBHOOK_BODIES } from './message-bodies.ts';

/** Enough time to store a result, hand the task back and respond. */
const HAND_OVER_MS = 30_000;
/** More than the tasks of a batch. */
const AT_ONCE = 10;

const clock = systemClock;
const table = tableFrom(process.env);
const log = logFrom(process.env);
const request = outbound();

/** A bundle of its own with the libraries of the providers, loaded with the first model; `scripts/bundle.ts` builds it. */
type ModelProgram = { PROVIDERS: typeof PROVIDERS; bedrockModels: typeof bedrockModels };
const loadProviders = async (): Promise<ModelProgram> => require(`${__dirname}/model-providers.js`);

const bedrock: ReturnType<typeof bedrockModels> = async (...model) =>
  (await loadProviders()).bedrockModels({
    ...bedrockFrom(process.env),
    fetchTo: (origin) => asFetch({ request, policy: operatorPolicy({ origins: [origin] }), ...MODEL_REQUEST }),
  })(...model);
const { table: operatorModels } = modelTableConfig(process.env);
const { memoryMb } = documentsConfig(process.env);
const secrets = secretsFrom(process.env);
const connectionOf = modelConnections({
  table,
  clock,
  vault: vault(secrets),
  environment: modelConnectionsFrom(process.env),
});
const engines = {
  documents: openDocuments({
    ...bundledReaderFiles(__dirname),
    threads: 1,
    limits: { ...withinMemory(memoryMb), ...documentCpuConfig(process.env) },
  }),
  outbound: fileFetcher({ request, log, ownBuckets: Object.values(blobsConfig(process.env)) }),
};
const stores = { table, clock, ids: ids(clock), blobs: blobsFrom(process.env) };
const { documents } = engines;
const reader = fileReader({ ...stores, documents, every: systemEvery, pause: systemWait });
const agents = createAgents({
  ...stores,
  ...engines,
  fileReader: reader,
  gather: gatherer({ table, clock, ...engines, bundled: bundledPublicSources(__dirname) }),
  searchConnector: searchConnectors({
    table,
    clock,
    request,
    vault: vault(secrets),
    ...searchConfig(process.env),
  }),
  render: reportRenderer(documents, bundledFontFiles(__dirname)),
  modelOf: models(
    modelFinder(connectionOf, { request, loadProviders, bedrock }),
    { wait: systemWait, chance: Math.random },
    { ownProfiles: operatorModels, gates: modelGates({ ...stores, chance: Math.random }) },
  ),
  acceptsImages: visionSupport(seeingConfig(process.env).seeing, operatorModels),
  wholeTokens: wholeTokens(operatorModels),
  secrets,
  chartPng: chartPng(bundledFontFiles(__dirname)),
  sending: sendingFrom(process.env),
  pause: systemWait,
});
const { notifyTask, notify, send, settled } = notifierFrom({
  table,
  log,
  sockets: socketsFrom(process.env),
  words: SOCKET_TEXTS,
});
const hints = hintsFrom(process.env, log);
const sending = {
  table,
  clock,
  log,
  hints,
  notify,
  blobs: downloadsFrom(process.env),
  random: Math.random,
  post: webhookSender({ request, policy: publicPolicy({ ownHosts: [] }), log }),
  bodies: WEBHOOK_BODIES,
  slots: senderSlots({ ofOrganization: AT_ONCE, toReceiver: AT_ONCE }),
  recalled: senderCache({ table, clock, vault: cachedVault(vault(secrets)) }),
};
// A delivery attempt is shorter than the time reserved for handing a task over.
const immediate = immediateDelivery(sending, new AbortController().signal);
const notifying = { notify, notifyTask, notifyActivity: activityNotifier({ send }) };
const tasks = { table, clock, log, ...notifying, hints, every: systemEvery, agents, immediateDelivery: immediate };
const ports = { ...tasks, storeReading: reader.store };

const queues = lanesFrom(process.env);
const { atOnce } = workersConfig(process.env);
const holder = ids(clock).mark();
const seatsOf = (lane: Lane): LaneSeats =>
  laneSeats({ table, clock, log, every: systemEvery }, { lane, holder, instances: instancesOf(lane, atOnce) });
const seats = { high: seatsOf('high'), normal: seatsOf('normal'), low: seatsOf('low') };

// Deliveries may cause updates, so wait for these afterwards.
const allSettled = () => immediate.settled().then(settled);

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use([failureLog(log), flushUpdates(allSettled)])
  .handler(
    wholeBatch(
      ({ bodies, queueArn, stopSignal }) => {
        const lane = laneOfArn(process.env, queueArn);
        return runBatch({ ...ports, seats: seats[lane], queue: queues[lane] }, bodies, stopSignal);
      },
      { reservedMs: HAND_OVER_MS },
    ),
  );
