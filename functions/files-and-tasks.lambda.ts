/** The Files & Tasks API as a Lambda function. */
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { blobsFrom, hintsFrom, logFrom, originsFrom, secretsFrom, tableFrom } from '../adapters/aws/context.ts';
import { priceCheck } from '../engines/models/prices.ts';
import { fileFetcher, webhookSender } from '../engines/outbound/clients.ts';
import { outbound } from '../engines/outbound/request.ts';
import { publicEndpointFault, publicPolicy } from '../engines/outbound/ssrf-policy.ts';
import { ownTokenCheck, tokenAuthenticator } from '../shared/accounts/access-tokens.ts';
import { keyAuthenticator } from '../shared/accounts/key-authenticator.ts';
import { modelTableConfig } from '../shared/accounts/model-settings.ts';
import { organizationReader } from '../shared/accounts/organizations.ts';
import { badCredentialsConfig, blobsConfig, serviceUrlsConfig, stageLimitsConfig } from '../shared/core/config.ts';
import { ids } from '../shared/core/ids.ts';
import { systemClock } from '../shared/core/time.ts';
import { vault } from '../shared/core/vault.ts';
import { admission } from '../shared/lanes/admission.ts';
import { contractsIn } from './contract-routes.ts';
import { filesAndTasks } from './files-and-tasks/api.ts';
import { callerAddress } from './http/caller-address.ts';
import { credentialLimit } from './http/credential-limit.ts';
import { dispatcher } from './http/dispatch.ts';
import { failureLog, lambdaHandler } from './lambda-handlers.ts';

const clock = systemClock;
const table = tableFrom(process.env);
const log = logFrom(process.env);
const request = outbound();
const secrets = secretsFrom(process.env);
const organizationOf = organizationReader({ table, clock });
const context = {
  table,
  clock,
  ids: ids(clock),
  log,
  origins: originsFrom(process.env),
  stageLimits: stageLimitsConfig(process.env),
  contracts: contractsIn(__dirname),
  blobs: blobsFrom(process.env),
  outbound: fileFetcher({ request, log, ownBuckets: Object.values(blobsConfig(process.env)) }),
  hints: hintsFrom(process.env, log),
  admit: admission({ table, clock, organizationOf }),
  faultOfEndpoint: publicEndpointFault,
  ...serviceUrlsConfig(process.env),
  hasPrice: priceCheck(modelTableConfig(process.env).table),
  vault: vault(secrets),
  post: webhookSender({ request, policy: publicPolicy({ ownHosts: [] }), log }),
  organizationOf,
  limitCredentials: credentialLimit({
    table,
    clock,
    // This API has no CloudFront distribution in front of it.
    addressOf: callerAddress(async () => undefined),
    isOwnToken: ownTokenCheck({ clock, secrets }),
    ...badCredentialsConfig(process.env),
  }),
  keyOwner: keyAuthenticator({ table, clock, log }),
  tokenOwner: tokenAuthenticator({ table, clock, secrets }),
};

export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
  .use(failureLog(log))
  .handler(lambdaHandler(dispatcher(filesAndTasks, context)));
