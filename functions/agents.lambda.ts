/** The background-agent API as a Lambda function. */

import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import {
  archiveReaderFrom,
  downloadsFrom,
  hintsFrom,
  logFrom,
  notifierFrom,
  originSecretFrom,
  originsFrom,
  secretsFrom,
  socketsFrom,
  tableFrom,
} from '../adapters/aws/context.ts';
import type { readSnapshot } from '../agents/research/snapshots.ts';
import { priceCheck } from '../engines/models/prices.ts';
import { webhookSender } from '../engines/outbound/clients.ts';
import { outbound } from '../engines/outbound/request.ts';
import { publicEndpointFault, publicPolicy } from '../engines/outbound/ssrf-policy.ts';
import { ownTokenCheck, tokenAuthenticator } from '../shared/accounts/access-tokens.ts';
import { keyAuthenticator } from '../shared/accounts/key-authenticator.ts';
import { modelTableConfig } from '../shared/accounts/model-settings.ts';
import { organizationReader } from '../shared/accounts/organizations.ts';
import { typicalDuration } from '../shared/agents/typical-duration.ts';
import { badCredentialsConfig, retentionConfig, serviceUrlsConfig } from '../shared/core/config.ts';
import { ids } from '../shared/core/ids.ts';
import { systemClock } from '../shared/core/time.ts';
import { vault } from '../shared/core/vault.ts';
import { admission } from '../shared/lanes/admission.ts';
import { senderConfig } from '../shared/mail/mail-settings.ts';
import { agents } from './agents/api.ts';
import type { AgentsContext } from './agents/context.ts';
import { contractsIn } from './contract-routes.ts';
import { callerAddress } from './http/caller-address.ts';
import { credentialLimit } from './http/credential-limit.ts';
import { dispatcher } from './http/dispatch.ts';
import { failureLog, flushUpdates, lambdaHandler } from './lambda-handlers.ts';
import { SOCKET_TEXTS } from './message-bodies.ts';

/** A separate bundle that most calls never load; `scripts/bundle.ts` builds it. */
type SnapshotProgram = { readSnapshot: typeof readSnapshot };
const loadSnapshotProgram = (): SnapshotProgram => require(`${__dirname}/read-snapshot.js`);

const archive = archiveReaderFrom(process.env);
const clock = systemClock;
const table = tableFrom(process.env);
const secrets = secretsFrom(process.env);
const log = logFrom(process.env);
const organizationOf = organizationReader({ table, clock });
const { notifyTask, notify, settled } = notifierFrom({
  table,
  log,
  sockets: socketsFrom(process.env),
  words: SOCKET_TEXTS,
});
const context = {
  table,
  clock,
  ids: ids(clock),
  log,
  origins: originsFrom(process.env),
  stageLimits: retentionConfig(process.env),
  contracts: contractsIn(__dirname),
  organizationOf,
  limitCredentials: credentialLimit({
    table,
    clock,
    addressOf: callerAddress(originSecretFrom(process.env)),
    isOwnToken: ownTokenCheck({ clock, secrets }),
    ...badCredentialsConfig(process.env),
  }),
  secrets,
  keyOwner: keyAuthenticator({ table, clock, log }),
  tokenOwner: tokenAuthenticator({ table, clock, secrets }),
  blobs: downloadsFrom(process.env),
  // The reader is this bundle's: the program has a class `Problem` of its own, and the dispatcher would not recognize it.
  readSnapshot: (async (snapshots, source) =>
    loadSnapshotProgram().readSnapshot(archive, snapshots, source)) satisfies AgentsContext['readSnapshot'],
  hints: hintsFrom(process.env, log),
  notifyTask,
  notify,
  admit: admission({ table, clock, organizationOf }),
  faultOfEndpoint: publicEndpointFault,
  faultOfDocument: publicEndpointFault,
  ...serviceUrlsConfig(process.env),
  hasPrice: priceCheck(modelTableConfig(process.env).table),
  typicalDuration: typicalDuration({ table, clock }),
  sendsMail: senderConfig(process.env).sender !== undefined,
  vault: vault(secrets),
  post: webhookSender({ request: outbound(), policy: publicPolicy({ ownHosts: [] }), log }),
};

export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
  .use([failureLog(log), flushUpdates(settled)])
  .handler(lambdaHandler(dispatcher(agents, context)));
