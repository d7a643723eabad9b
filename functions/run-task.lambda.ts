/** The worker as a Lambda function: the hints of one lane, a few at once, because most of a task is waiting for a model. */
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import {
  bedrockFrom,
  blobsFrom,
  hintsFrom,
  logFrom,
  modelKeyFrom,
  newsFrom,
  secretsFrom,
  sendingFrom,
  socketsFrom,
  tableFrom,
} from '../aws/context.ts';
import { bedrockModels } from '../aws/model.ts';
import { agentsOver } from '../engines/agents/agents.ts';
import { chartPng } from '../engines/charts/chart-png.ts';
import { beside } from '../engines/documents/beside.ts';
import { openDocuments } from '../engines/documents/documents.ts';
import { filesBeside } from '../engines/fonts/font-files.ts';
import { configuredModels } from '../engines/model/configured.ts';
import { MODEL_REQUEST } from '../engines/model/model-request.ts';
import { seeing } from '../engines/model/seeing.ts';
import { asFetch } from '../engines/outbound/as-fetch.ts';
import { fileFetcher } from '../engines/outbound/fetch-file.ts';
import { outbound } from '../engines/outbound/outbound.ts';
import { operatorPolicy } from '../engines/outbound/policy.ts';
import { renderReport } from '../engines/reports/render-report.ts';
import { publicDefaults } from '../engines/sources/defaults.ts';
import { gatherer } from '../engines/sources/gather.ts';
import { systemClock, systemEvery, systemWait } from '../shared/core/clock.ts';
import { blobsConfig, modelConfig, seeingConfig } from '../shared/core/config.ts';
import { ids } from '../shared/core/ids.ts';
import { runHint } from '../shared/tasks/run-hint.ts';
import { hintBatch } from './hint-batch.ts';
import { WORDS } from './socket/words.ts';

/** Enough to keep a result, hand the task back and answer. */
const HAND_OVER_MS = 30_000;

const clock = systemClock;
const table = tableFrom(process.env);
const log = logFrom(process.env);
const request = outbound();
const bedrock = bedrockModels({
  ...bedrockFrom(process.env),
  fetchTo: (origin) => asFetch({ request, policy: operatorPolicy({ origins: [origin] }), ...MODEL_REQUEST }),
});
const { address } = modelConfig(process.env);
const ways = {
  documents: openDocuments(beside(__dirname)),
  outbound: fileFetcher({ request, log, ownBuckets: Object.values(blobsConfig(process.env)) }),
};
const agents = agentsOver({
  table,
  clock,
  ids: ids(clock),
  blobs: blobsFrom(process.env),
  ...ways,
  gather: gatherer({ table, clock, ...ways, bundled: publicDefaults(__dirname) }),
  render: renderReport(filesBeside(__dirname)),
  modelOf: configuredModels({ address, key: modelKeyFrom(process.env) }, request, { bedrock }),
  sees: seeing(seeingConfig(process.env).seeing),
  secrets: secretsFrom(process.env),
  chartPng: chartPng(filesBeside(__dirname)),
  sending: sendingFrom(process.env),
  pause: systemWait,
});
const { tell, settled } = newsFrom({ table, log, sockets: socketsFrom(process.env), words: WORDS });
const ports = { table, clock, log, tell, hints: hintsFrom(process.env, log), every: systemEvery, agents };

export const handler = middy<SQSEvent, SQSBatchResponse>().handler(
  hintBatch((body, mustGo) => runHint(ports, body, mustGo), { leaveMs: HAND_OVER_MS, settled }),
);
