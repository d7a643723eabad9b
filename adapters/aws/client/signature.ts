/** AWS Signature Version 4, in headers and in URLs, by AWS's own library. */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

export type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

/** Who signs for which service, and when. */
export type Signing = { credentials: Credentials; region: string; service: string; at: number };

type Query = Record<string, string>;
type Headers = Record<string, string>;

/** `path` as it goes over the wire, `query` before it is encoded. The headers include `host`. */
export type SignedMessage = {
  method: string;
  path: string;
  query: Query;
  headers: Headers;
  body?: string | Uint8Array | undefined;
};

const CONTENT_HASH = 'x-amz-content-sha256';
const NO_BODY = 'UNSIGNED-PAYLOAD';
const MAX_SECONDS = 7 * 24 * 3_600;

/** The library's hash, and its HMAC when there is a key. */
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
    // S3 wants the hash of the body in a header, and its paths as they are; the other services encode a path twice.
    applyChecksum: service === 's3',
    uriEscapePath: service !== 's3',
  });

/** The library signs the header `host` and reads no host from here. */
const ANY_HOST = { protocol: 'https:', hostname: '' };

/** The headers to send: those given, each of which is signed, and those of the signature. */
export async function signedHeaders(message: SignedMessage, signing: Signing): Promise<Headers> {
  const { headers } = await signer(signing).sign({ ...ANY_HOST, ...message }, { signingDate: new Date(signing.at) });
  return headers;
}

type UrlRequest = { method: string; path: string; query: Query; host: string; seconds: number };

/** The query of a URL that carries its own permission for so many seconds, whatever body is sent to it. */
export async function signedQuery({ host, seconds, ...request }: UrlRequest, signing: Signing): Promise<string> {
  // The library rejects with a text here, which is not an Error.
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

/** Everything but what RFC 3986 calls unreserved. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const byName = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1);

export const queryText = (query: Readonly<Query>): string =>
  Object.entries(query)
    .map(([name, value]): [string, string] => [encoded(name), encoded(value)])
    .sort(byName)
    .map((pair) => pair.join('='))
    .join('&');
