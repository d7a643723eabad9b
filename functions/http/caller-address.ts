/** The source address of a request. The header of our CloudFront distribution counts only with its secret. */
import { timingSafeEqual } from 'node:crypto';
import type { HttpRequestMessage } from './route.ts';

/** CloudFront adds this secret to each request; callers do not know it. */
const ORIGIN_HEADER = 'x-errand-origin';
/** The client's address as seen by CloudFront. */
const VIEWER_HEADER = 'x-errand-viewer';

export type AddressOf = (incoming: Pick<HttpRequestMessage, 'headers' | 'sourceAddress'>) => Promise<string>;

/** `originSecret` returns `undefined` if no CloudFront distribution is in front of the gateway. */
export const callerAddress =
  (originSecret: () => Promise<string | undefined>): AddressOf =>
  async ({ headers, sourceAddress }) => {
    const header = headers[ORIGIN_HEADER];
    const secret = header === undefined ? undefined : await originSecret();
    const viewer = headers[VIEWER_HEADER];
    const isOurs = secret !== undefined && header !== undefined && isSame(header, secret);
    return networkOf(isOurs && viewer ? viewer : sourceAddress);
  };

function isSame(header: string, secret: string): boolean {
  const [headerBytes, secretBytes] = [Buffer.from(header), Buffer.from(secret)];
  return headerBytes.byteLength === secretBytes.byteLength && timingSafeEqual(headerBytes, secretBytes);
}

const GROUPS = 8;
const GROUPS_OF_A_NETWORK = 4;

/** An IPv6 address counts by its /64 network, because one caller has all of its addresses. */
function networkOf(address: string): string {
  const plain = address.replace(/^\[|\]$/g, '').replace(/^::ffff:(?=\d+\.)/i, '');
  const host = URL.parse(`http://[${plain}]`)?.hostname.slice(1, -1);
  if (host === undefined) return plain;
  const [first = [], last = []] = host.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const groups = [...first, ...Array<string>(GROUPS - first.length - last.length).fill('0'), ...last];
  return `${groups.slice(0, GROUPS_OF_A_NETWORK).join(':')}::/64`;
}
