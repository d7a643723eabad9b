/** Verifies signed URLs in front of a server that accepts any: the AWS SDK signs the same request once more. */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SignatureV4 } from '@smithy/signature-v4';
import { KEY } from '../../evidence/rehearsal/stack/connection.ts';
import { REGION } from '../../evidence/rehearsal/stack/template.ts';

/** Parameters that the SDK adds by itself. */
const SIGNED_WITH = /^X-Amz-(Algorithm|Credential|Date|Expires|Security-Token|Signature|SignedHeaders)$/;
const CONTENT = 'x-amz-content-sha256';

/** The hash constructor that the signing library expects: SHA-256, or HMAC-SHA-256 when there is a key. */
class Sha256 {
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

/** In a form that moto accepts. */
const asHeader = (credential: string): string =>
  `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=${'0'.repeat(64)}`;

/** Returns the request as moto accepts it, or `undefined` if its signature is not valid or has expired. */
export async function verifyAddress({ method = '', url = '/', headers }: IncomingMessage) {
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const given = Object.fromEntries(searchParams);
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !SIGNED_WITH.test(name)));
  const signedAt = dateIn(given['X-Amz-Date']);
  const seconds = Number(given['X-Amz-Expires']);
  if (!(Date.now() < signedAt + seconds * 1_000)) return undefined;
  const token = given['X-Amz-Security-Token'];
  const { query = {} } = await signer(token).presign(
    {
      ...{ protocol: 'http:', hostname: 's3', method, path: pathname, query: rest },
      headers: { host: headers.host ?? '', [CONTENT]: given['X-Amz-Content-Sha256'] ?? '' },
    },
    {
      ...{ signingDate: new Date(signedAt), expiresIn: seconds },
      ...{ unhoistableHeaders: new Set([CONTENT]), unsignableHeaders: new Set([CONTENT]) },
    },
  );
  if (Object.keys(given).some((name) => given[name] !== query[name])) return undefined;
  const { 'X-Amz-Content-Sha256': _, ...asked } = rest;
  return { url: `${pathname}?${new URLSearchParams(asked)}`, authorization: asHeader(given['X-Amz-Credential'] ?? '') };
}

const signer = (sessionToken: string | undefined) =>
  new SignatureV4({
    ...{ service: 's3', region: REGION, sha256: Sha256, uriEscapePath: false },
    credentials: { ...KEY, ...(sessionToken === undefined ? {} : { sessionToken }) },
  });

const dateIn = (text = ''): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
