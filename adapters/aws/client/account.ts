/** The account that calls are made in: its credentials, region and endpoints, and AWS Signature Version 4 in headers and in URLs. */

import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Environment } from '../../../shared/core/environment.ts';
import { Problem } from '../../../shared/core/problem.ts';

/** The endpoint of a service in a region: the partition's domain, with the FIPS or dual-stack variant if requested. */
export type EndpointVariant = { fips: boolean; dualStack: boolean };

const PLAIN: EndpointVariant = { fips: false, dualStack: false };

type Partition = { domain: string; dualStackDomain: string };

const COMMERCIAL: Partition = { domain: 'amazonaws.com', dualStackDomain: 'api.aws' };
const PARTITIONS: [region: RegExp, partition: Partition][] = [
  [/^cn-/, { domain: 'amazonaws.com.cn', dualStackDomain: 'api.amazonwebservices.com.cn' }],
  [/^eusc-/, { domain: 'amazonaws.eu', dualStackDomain: 'api.amazonwebservices.eu' }],
  [/^us-iso-/, { domain: 'c2s.ic.gov', dualStackDomain: 'api.aws.ic.gov' }],
  [/^us-isob-/, { domain: 'sc2s.sgov.gov', dualStackDomain: 'api.aws.scloud' }],
  [/^eu-isoe-/, { domain: 'cloud.adc-e.uk', dualStackDomain: 'api.cloud-aws.adc-e.uk' }],
  [/^us-isof-/, { domain: 'csp.hci.ic.gov', dualStackDomain: 'api.aws.hci.ic.gov' }],
];

/** In GovCloud these hosts are FIPS endpoints under their plain names. */
const FIPS_BY_PLAIN_NAME = new Set(['dynamodb', 'sqs']);

export function regionHost(service: string, region: string, { fips, dualStack }: EndpointVariant = PLAIN): string {
  if (fips && service === 's3' && region.startsWith('cn-')) {
    throw new Problem(
      'badSetting',
      `S3 has no FIPS endpoint in ${region}; unset AWS_USE_FIPS_ENDPOINT or choose another region.`,
    );
  }
  const [, partition] = PARTITIONS.find(([of]) => of.test(region)) ?? [/^/, COMMERCIAL];
  const isPlainName = region.startsWith('us-gov-') && FIPS_BY_PLAIN_NAME.has(service) && !dualStack;
  const name = fips && !isPlainName ? `${service}-fips` : service;
  // The dual-stack hosts of S3 are under the partition's ordinary domain.
  if (service === 's3') return `${name}.${dualStack ? 'dualstack.' : ''}${region}.${partition.domain}`;
  const isOrdinary = !dualStack || (service === 'secretsmanager' && hasDualStackSecrets(partition, fips));
  return `${name}.${region}.${isOrdinary ? partition.domain : partition.dualStackDomain}`;
}

/** In these partitions the ordinary hosts of Secrets Manager serve both IPv4 and IPv6. */
const hasDualStackSecrets = ({ domain }: Partition, fips: boolean): boolean =>
  domain === COMMERCIAL.domain || (domain === 'amazonaws.com.cn' && !fips);

// The credentials, region and hosts of requests to AWS.

/** The service's name as in its host names and in AWS's own environment variables. */
export type ServiceName = 'dynamodb' | 'email' | 's3' | 'scheduler' | 'secretsmanager' | 'sqs';

export type Account = {
  region(): Promise<string>;
  credentials(): Promise<Credentials>;
  /** Overrides the region's own endpoint. */
  endpoint(service: ServiceName): URL | undefined;
  /** Selects the region's endpoints: FIPS, dual-stack, or neither. */
  variant(): EndpointVariant;
  /** The X-Ray trace header of the current invocation. */
  trace(): string | undefined;
};

/** The standard environment variables, which Lambda sets. */
const NAMES = {
  region: 'AWS_REGION',
  keyId: 'AWS_ACCESS_KEY_ID',
  secret: 'AWS_SECRET_ACCESS_KEY',
  token: 'AWS_SESSION_TOKEN',
  endpoint: 'AWS_ENDPOINT_URL',
  trace: '_X_AMZN_TRACE_ID',
  fips: 'AWS_USE_FIPS_ENDPOINT',
  dualStack: 'AWS_USE_DUALSTACK_ENDPOINT',
} as const;

const OWN_ENDPOINT: Record<ServiceName, string> = {
  dynamodb: 'AWS_ENDPOINT_URL_DYNAMODB',
  email: 'AWS_ENDPOINT_URL_SESV2',
  s3: 'AWS_ENDPOINT_URL_S3',
  scheduler: 'AWS_ENDPOINT_URL_SCHEDULER',
  secretsmanager: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  sqs: 'AWS_ENDPOINT_URL_SQS',
};

/** Read for each request, because each invocation of a function has another trace. */
export const environmentAccount = (env: Environment): Account => ({
  region: async () => regionIn(env),
  credentials: async () => credentialsIn(env),
  endpoint: (service) => endpointIn(env, service),
  variant: () => variantIn(env),
  trace: () => env[NAMES.trace] || undefined,
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

function endpointIn(env: Environment, service: ServiceName): URL | undefined {
  const name = env[OWN_ENDPOINT[service]] ? OWN_ENDPOINT[service] : NAMES.endpoint;
  const text = env[name];
  if (!text) return undefined;
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new Problem('badSetting', `${name} is not a valid URL: it must begin with https://.`);
}

const variantIn = (env: Environment): EndpointVariant => ({
  fips: switchIn(env, NAMES.fips),
  dualStack: switchIn(env, NAMES.dualStack),
});

/** Unknown values are rejected: falling back to the plain endpoint would bypass a FIPS requirement. */
function switchIn(env: Environment, name: string): boolean {
  const text = (env[name] ?? '').trim().toLowerCase();
  if (text === 'true') return true;
  if (text === '' || text === 'false') return false;
  throw new Problem('badSetting', `${name} must be true or false.`);
}

type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

/** What a signature is made with: credentials, region, service and time. */
export type Signing = { credentials: Credentials; region: string; service: string; at: number };

type Query = Record<string, string>;
type Headers = Record<string, string>;

/** `path` is encoded as it is sent; `query` is not encoded yet. The headers include `host`. */
type SignedMessage = {
  method: string;
  path: string;
  query: Query;
  headers: Headers;
  body?: string | Uint8Array | undefined;
};

const CONTENT_HASH = 'x-amz-content-sha256';
const NO_BODY = 'UNSIGNED-PAYLOAD';
const MAX_SECONDS = 7 * 24 * 3_600;

/** The hash constructor that the signing library expects: SHA-256, or HMAC-SHA-256 when there is a key. */
export class Sha256 {
  readonly #hash: Hash | Hmac;
  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', key as string | Uint8Array);
  }
  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {}
}

const signer = ({ credentials, region, service }: Signing): SignatureV4 =>
  new SignatureV4({
    credentials,
    region,
    service,
    sha256: Sha256,
    // S3 requires the hash of the body in a header and takes paths as they are; other services encode a path twice.
    applyChecksum: service === 's3',
    uriEscapePath: service !== 's3',
  });

/** The library signs the header `host` and reads no host from here. */
const ANY_HOST = { protocol: 'https:', hostname: '' };

/** The headers to send: the given ones, all of which are signed, and those of the signature. */
async function signedHeaders(message: SignedMessage, signing: Signing): Promise<Headers> {
  const { headers } = await signer(signing).sign({ ...ANY_HOST, ...message }, { signingDate: new Date(signing.at) });
  return headers;
}

type UrlRequest = { method: string; path: string; query: Query; host: string; seconds: number };

/** The query of a presigned URL that is valid for `seconds`, with any body. */
async function signedQuery({ host, seconds, ...request }: UrlRequest, signing: Signing): Promise<string> {
  // Here the library rejects with a string instead of an Error.
  if (seconds > MAX_SECONDS) throw new RangeError(`A URL is signed for ${MAX_SECONDS} seconds at most.`);
  const query = { ...request.query, 'X-Amz-Content-Sha256': NO_BODY };
  const headers = { host, [CONTENT_HASH]: NO_BODY };
  const stays = new Set([CONTENT_HASH]);
  const signed = await signer(signing).presign(
    { ...ANY_HOST, ...request, query, headers },
    { signingDate: new Date(signing.at), expiresIn: seconds, unhoistableHeaders: stays, unsignableHeaders: stays },
  );
  return queryText(signed.query as Query);
}

/** Percent-encodes every character that RFC 3986 does not call unreserved. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const byName = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1);

const queryText = (query: Readonly<Query>): string =>
  Object.entries(query)
    .map(([name, value]): [string, string] => [encoded(name), encoded(value)])
    .sort(byName)
    .map((pair) => pair.join('='))
    .join('&');

/** Signature Version 4. */
export const sigV4 = { headers: signedHeaders, query: signedQuery, queryText };
