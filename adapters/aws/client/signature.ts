/** AWS Signature Version 4, in headers and in addresses. See https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
import { createHash, createHmac } from 'node:crypto';

export type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

/** Who signs for which service, and when. */
export type Signing = { credentials: Credentials; region: string; service: string; at: number };

/** `path` as it goes over the wire, `query` before it is encoded. */
export type SignedMessage = { method: string; path: string; query: Query; headers: Headers; bodyHash: string };
type Query = Readonly<Record<string, string>>;
type Headers = Readonly<Record<string, string>>;

const ALGORITHM = 'AWS4-HMAC-SHA256';
const NO_BODY = 'UNSIGNED-PAYLOAD';
const MOST_SECONDS = 7 * 24 * 3_600;

export const hashOf = (body: string | Uint8Array): string => createHash('sha256').update(body).digest('hex');

/** Everything but what RFC 3986 calls unreserved. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const byName = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1);

export const queryText = (query: Query): string =>
  Object.entries(query)
    .map(([name, value]): [string, string] => [encoded(name), encoded(value)])
    .sort(byName)
    .map((pair) => pair.join('='))
    .join('&');

/** The headers to send: those given, each of which is signed, and those of the signature. */
export function signedHeaders(message: SignedMessage, signing: Signing): Record<string, string> {
  const { sessionToken } = signing.credentials;
  const headers = {
    ...message.headers,
    'x-amz-date': instantOf(signing),
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const { names, signature } = signatureOf({ ...message, headers }, signing);
  const credential = `Credential=${signing.credentials.accessKeyId}/${scopeOf(signing)}`;
  return { ...headers, authorization: `${ALGORITHM} ${credential}, SignedHeaders=${names}, Signature=${signature}` };
}

type Address = { method: string; path: string; query: Query; host: string; seconds: number };

/** The query of an address that carries its own permission for so many seconds, whatever body is sent to it. */
export function signedQuery({ method, path, query, host, seconds }: Address, signing: Signing): string {
  if (seconds > MOST_SECONDS) throw new RangeError(`An address is signed for ${MOST_SECONDS} seconds at most.`);
  const { accessKeyId, sessionToken } = signing.credentials;
  const wanted = {
    ...query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Content-Sha256': NO_BODY,
    'X-Amz-Credential': `${accessKeyId}/${scopeOf(signing)}`,
    'X-Amz-Date': instantOf(signing),
    'X-Amz-Expires': String(seconds),
    ...(sessionToken === undefined ? {} : { 'X-Amz-Security-Token': sessionToken }),
    'X-Amz-SignedHeaders': 'host',
  };
  const { signature } = signatureOf({ method, path, query: wanted, headers: { host }, bodyHash: NO_BODY }, signing);
  return queryText({ ...wanted, 'X-Amz-Signature': signature });
}

const instantOf = ({ at }: Signing): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
const dayOf = (signing: Signing): string => instantOf(signing).slice(0, 8);
const scopeOf = (signing: Signing): string => `${dayOf(signing)}/${signing.region}/${signing.service}/aws4_request`;

function signatureOf({ method, path, query, headers, bodyHash }: SignedMessage, signing: Signing) {
  const sorted = Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), trimmed(value)])
    .sort(byName);
  const names = sorted.map(([name]) => name).join(';');
  const lines = sorted.map((pair) => `${pair.join(':')}\n`).join('');
  const place = signing.service === 's3' ? path : encodeTwice(path);
  const canonical = [method, place, queryText(query), lines, names, bodyHash].join('\n');
  const toSign = [ALGORITHM, instantOf(signing), scopeOf(signing), hashOf(canonical)].join('\n');
  return { names, signature: hmac(keyOf(signing), toSign).toString('hex') };
}

const trimmed = (value: string): string => value.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '');

/** All services but S3 take the path apart from its dots and doubled slashes, and encode it once more. */
function encodeTwice(path: string): string {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  const end = kept.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${kept.map(encoded).join('/')}${end}`;
}

const hmac = (key: string | Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest();

let last: { of: string; key: Buffer } | undefined;

/** Good for a day; the last one is kept. */
function keyOf(signing: Signing): Buffer {
  const { region, service, credentials } = signing;
  const of = JSON.stringify([credentials.secretAccessKey, dayOf(signing), region, service]);
  if (last?.of !== of) {
    const day = hmac(`AWS4${credentials.secretAccessKey}`, dayOf(signing));
    last = { of, key: hmac(hmac(hmac(day, region), service), 'aws4_request') };
  }
  return last.key;
}
