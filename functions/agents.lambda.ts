/** The background-agent API as a Lambda function. */
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { logFrom, originsFrom, secretsFrom, tableFrom } from '../aws/context.ts';
import { organizationReader } from '../shared/accounts/organization.ts';
import { systemClock } from '../shared/core/clock.ts';
import { ids } from '../shared/core/ids.ts';
import { tokenAuthenticator } from '../shared/login/authenticate-token.ts';
import { agents } from './agents/face.ts';
import { dispatcher } from './http/dispatch.ts';
import { lambdaHandler } from './http/lambda.ts';

const clock = systemClock;
const table = tableFrom(process.env);
const secrets = secretsFrom(process.env);
const context = {
  table,
  clock,
  ids: ids(clock),
  log: logFrom(process.env),
  origins: originsFrom(process.env),
  organizationOf: organizationReader({ table, clock }),
  secrets,
  tokenOwner: tokenAuthenticator({ table, clock, secrets }),
};

export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>().handler(
  lambdaHandler(dispatcher(agents, context)),
);
