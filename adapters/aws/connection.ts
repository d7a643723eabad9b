/** How AWS's clients reach AWS: region, credentials, endpoints, timeouts and retries, with nothing left for them to look up. */

import type { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Environment } from '../../shared/core/environment.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { Problem } from '../../shared/core/problem.ts';
import { BoundedHandler } from './bounded-handler.ts';
import { StreamHandler } from './stream-handler.ts';

type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

/** The services by the names in AWS's own environment variables for their endpoints. */
export type ServiceName = 'DYNAMODB' | 'S3' | 'SCHEDULER' | 'SECRETS_MANAGER' | 'SESV2' | 'SQS';

export type AwsConnection = {
  region: string | (() => Promise<string>);
  credentials(): Promise<Credentials>;
  /** Replaces the region's own endpoint. */
  endpoint(service: ServiceName): string | undefined;
  useFipsEndpoint: boolean;
  useDualstackEndpoint: boolean;
};

/** The standard environment variables, which Lambda sets. */
const NAMES = {
  region: 'AWS_REGION',
  keyId: 'AWS_ACCESS_KEY_ID',
  secret: 'AWS_SECRET_ACCESS_KEY',
  token: 'AWS_SESSION_TOKEN',
  endpoint: 'AWS_ENDPOINT_URL',
  fips: 'AWS_USE_FIPS_ENDPOINT',
  dualStack: 'AWS_USE_DUALSTACK_ENDPOINT',
} as const;

export const environmentConnection = (env: Environment): AwsConnection => ({
  region: async () => regionIn(env),
  credentials: async () => credentialsIn(env),
  endpoint: (service) => endpointIn(env, service),
  useFipsEndpoint: switchIn(env, NAMES.fips),
  useDualstackEndpoint: switchIn(env, NAMES.dualStack),
});

/** Validated because the region becomes part of a host name. */
const REGION = /^[a-z0-9-]{1,40}$/;

function regionIn(env: Environment): string {
  const region = env[NAMES.region] ?? '';
  if (REGION.test(region)) return region;
  throw new Problem('badSetting', `${NAMES.region} is not a valid region: use one such as eu-central-1.`);
}

function credentialsIn(env: Environment): Credentials {
  const { [NAMES.keyId]: accessKeyId, [NAMES.secret]: secretAccessKey, [NAMES.token]: token } = env;
  if (accessKeyId && secretAccessKey) {
    return { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) };
  }
  throw new Problem(
    'badSetting',
    `${NAMES.keyId} and ${NAMES.secret} are not both set: AWS rejects requests without them.`,
  );
}

function endpointIn(env: Environment, service: ServiceName): string | undefined {
  const ofService = `${NAMES.endpoint}_${service}`;
  const name = env[ofService] ? ofService : NAMES.endpoint;
  const text = env[name];
  if (!text) return undefined;
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new Problem('badSetting', `${name} is not a valid URL: it must begin with https://.`);
}

/** Unknown values are rejected: falling back to the plain endpoint would bypass a FIPS requirement. */
function switchIn(env: Environment, name: string): boolean {
  const text = (env[name] ?? '').trim().toLowerCase();
  if (text === 'true') return true;
  if (text === '' || text === 'false') return false;
  throw new Problem('badSetting', `${name} must be true or false.`);
}

/**
 * `answerMs`: the timeout for the head of the response, and then for each pause in its body. A receive of messages that waits
 * for them needs a longer one.
 */
export type RequestTimeouts = { connectMs: number; answerMs: number };

/** Three attempts fit into the 29 seconds of a function that answers a request. */
const DEFAULT_TIMEOUTS: RequestTimeouts = { connectMs: 3_000, answerMs: 8_000 };
const DEFAULT_ATTEMPTS = 3;

type CallOptions = { timeouts?: RequestTimeouts | undefined; attempts?: number; isStream?: boolean };

/**
 * The configuration that every client gets. All of it is fixed: what is left out, a client looks up in the files of a
 * profile at its first request. `cacheMiddleware` stays off: with it, concurrent requests share a context, and one reaches
 * the bucket of another.
 */
export function clientConfig(
  service: ServiceName | undefined,
  { endpoint, ...connection }: AwsConnection,
  { timeouts = DEFAULT_TIMEOUTS, attempts = DEFAULT_ATTEMPTS, isStream = false }: CallOptions = {},
) {
  return {
    ...connection,
    ...(service === undefined ? {} : definedFields({ endpoint: endpoint(service) })),
    requestHandler: handlerFor(timeouts, isStream),
    defaultsMode: 'standard' as const,
    retryMode: 'standard',
    maxAttempts: attempts,
    authSchemePreference: [],
    disableClockSkewCorrection: false,
    ignoreConfiguredEndpointUrls: true,
    /** Identifies Errand in the user agent, which CloudTrail and the access logs of S3 show. */
    userAgentAppId: 'errand',
  };
}

const handlers = new Map<string, NodeHttpHandler>();

/** Clients with the same timeouts share a handler, and with it the connections that are kept. */
function handlerFor({ connectMs, answerMs }: RequestTimeouts, isStream: boolean): NodeHttpHandler {
  const key = `${connectMs} ${answerMs} ${isStream}`;
  const Handler = isStream ? StreamHandler : BoundedHandler;
  const handler =
    handlers.get(key) ??
    new Handler({
      connectionTimeout: connectMs,
      requestTimeout: answerMs,
      socketTimeout: answerMs,
      throwOnRequestTimeout: true,
    });
  handlers.set(key, handler);
  return handler;
}
