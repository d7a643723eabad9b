/** Signed URLs of local blobs: a URL needs no other credential, as the signature covers everything in it. */
import { timingSafeEqual } from 'node:crypto';
import { keyOfBlob } from '../../shared/core/blobs.ts';
import { deriveKey, hmac } from '../../shared/core/derived-keys.ts';
import type { Attachment, Clock, MasterSecret, Secrets } from '../../shared/ports.ts';

export const BLOBS_PATH = '/blobs/';
const LONGEST_SECONDS = 604_800; // the limit of S3

type Signing = { method: 'GET' | 'PUT'; key: string; seconds: number; as?: Attachment };
type Parameter = [name: string, value: string];
export type Granted = { key: string; as?: Attachment };

export type SignedAddresses = {
  sign(signing: Signing): Promise<string>;
  /** Checks a request's path and query. `undefined`: the URL is not ours, altered or signed for another method. */
  check(method: string, url: string): Promise<Granted | 'expired' | undefined>;
};

export function signedAddresses(o: { baseUrl: () => string; secrets: Secrets; clock: Clock }): SignedAddresses {
  return {
    async sign({ method, key, seconds, as }) {
      keyOfBlob(key);
      if (!Number.isInteger(seconds) || seconds < 1 || seconds > LONGEST_SECONDS) {
        throw new RangeError(`A signed URL is valid for 1 to ${LONGEST_SECONDS} whole seconds, not ${seconds}.`);
      }
      const [current] = await o.secrets.master();
      const path = pathOf(key);
      const parameters: Parameter[] = [['expires', String(o.clock.now() + seconds * 1_000)]];
      if (as) parameters.push(['name', as.fileName.toWellFormed()], ['type', as.contentType.toWellFormed()]);
      const signature = signatureOf(method, path, parameters, current);
      return `${o.baseUrl()}${path}?${parameters.map(toQueryPair).join('&')}&signature=${signature}`;
    },

    async check(method, url) {
      if (!URL.canParse(url, 'http://local')) return undefined;
      const { pathname, searchParams: query } = new URL(url, 'http://local');
      const masters = await o.secrets.master();
      const [presented = '', ...more] = query.getAll('signature');
      const parameters = [...query].filter(([name]) => name !== 'signature');
      // Unlike S3, which refuses a HEAD with a signature for GET: here `curl -I` shows what a download is.
      const signedFor = method === 'HEAD' ? 'GET' : method;
      const signed = masters.some((master) =>
        isSameSignature(presented, signatureOf(signedFor, pathname, parameters, master)),
      );
      if (!signed || more.length > 0) return undefined;
      if (o.clock.now() >= Number(query.get('expires'))) return 'expired';
      const [fileName, contentType] = [query.get('name'), query.get('type')];
      const key = keyIn(pathname);
      return fileName === null || contentType === null ? { key } : { key, as: { fileName, contentType } };
    },
  };
}

/** The key as one base64url segment, because clients and proxies rewrite "..", "//" and escaped characters. */
const pathOf = (key: string): string => BLOBS_PATH + Buffer.from(key, 'utf8').toString('base64url');
const keyIn = (path: string): string => Buffer.from(path.slice(BLOBS_PATH.length), 'base64url').toString('utf8');

const toQueryPair = ([name, value]: Parameter): string => `${name}=${encodeURIComponent(value)}`;

/** Covers all parameters in order, repeated ones included, so that none can be added, repeated or left out. */
function signatureOf(method: string, path: string, parameters: Parameter[], master: MasterSecret): string {
  const signed = JSON.stringify([method, path, parameters]);
  return hmac(deriveKey('addresses', master), signed, 'base64url');
}

/** Compares the encoded texts, because a decoder accepts several texts for the same bytes. */
function isSameSignature(actual: string, right: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
