/** The login API as a Lambda function: separate, because checking a password takes a core and much memory for most of a second. */
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { logFrom, originSecretFrom, originsFrom, secretsFrom, tableFrom } from '../adapters/aws/context.ts';
import { keysFetcher } from '../engines/outbound/clients.ts';
import { outbound } from '../engines/outbound/request.ts';
import { passwords } from '../engines/passwords/passwords.ts';
import { issuerKeys } from '../shared/accounts/issuer-keys.ts';
import { organizationReader } from '../shared/accounts/organizations.ts';
import { ids } from '../shared/core/ids.ts';
import { semaphore } from '../shared/core/semaphore.ts';
import { systemClock, systemPause } from '../shared/core/time.ts';
import { login } from './agents/login.ts';
import { callerAddress } from './http/caller-address.ts';
import { dispatcher } from './http/dispatch.ts';
import { failureLog, lambdaHandler } from './lambda-handlers.ts';

const clock = systemClock;
const table = tableFrom(process.env);
const log = logFrom(process.env);
const context = {
  table,
  clock,
  ids: ids(clock),
  log,
  origins: originsFrom(process.env),
  organizationOf: organizationReader({ table, clock }),
  secrets: secretsFrom(process.env),
  passwords: passwords(),
  keysAt: issuerKeys({ clock, fetchKeys: keysFetcher({ request: outbound(), log }) }),
  addressOf: callerAddress(originSecretFrom(process.env)),
  pause: systemPause,
  // A Lambda instance handles one request at a time.
  passwordSlots: semaphore({ capacity: 1, name: 'passwordHashing' }),
};

export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
  .use(failureLog(log))
  .handler(lambdaHandler(dispatcher(login, context)));
