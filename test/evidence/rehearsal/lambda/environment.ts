/** The whole environment of an instance: the variables of the template and those that Lambda sets. */
import { KEY } from '../stack/connection.ts';
import type { FunctionPlan } from '../stack/functions.ts';
import { REGION } from '../stack/template.ts';

export const environmentOf = (plan: FunctionPlan, o: { token: string; awsUrl: string }): Record<string, string> => ({
  ...withoutGateway(plan.environment, o.awsUrl),
  _HANDLER: plan.handler,
  AWS_ACCESS_KEY_ID: KEY.accessKeyId,
  AWS_SECRET_ACCESS_KEY: KEY.secretAccessKey,
  AWS_SESSION_TOKEN: o.token,
  AWS_DEFAULT_REGION: REGION,
  AWS_REGION: REGION,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(plan.memoryMegabytes),
  AWS_LAMBDA_FUNCTION_NAME: `rehearsal-${plan.name}`,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  LAMBDA_TASK_ROOT: plan.folder,
  LANG: 'en_US.UTF-8',
  TZ: ':UTC',
  // Not set by Lambda: it leads the SDK to the emulators.
  AWS_ENDPOINT_URL: o.awsUrl,
});

/** Leads calls to a gateway's connections to the emulators too, with the API's id as the first part of the path. */
const withoutGateway = (environment: Record<string, string>, awsUrl: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/^https:\/\/([^./]+)\.execute-api\.[^/]+\//, `${awsUrl}/$1/`),
    ]),
  );
