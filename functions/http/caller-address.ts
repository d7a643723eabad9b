/** The address a request came from. What our edge says of it counts only when the request came through our edge. */
import { timingSafeEqual } from 'node:crypto';
import type { HttpRequestMessage } from './message.ts';

/** CloudFront puts it on the way to us; nobody else knows the secret. */
const ORIGIN_HEADER = 'x-errand-origin';
/** The address that our edge saw. */
const VIEWER_HEADER = 'x-errand-viewer';

export type AddressOf = (incoming: Pick<HttpRequestMessage, 'headers' | 'sourceAddress'>) => Promise<string>;

/** Without a secret there is no edge before the gateway. */
export const callerAddress =
  (originSecret: () => Promise<string | undefined>): AddressOf =>
  async ({ headers, sourceAddress }) => {
    const given = headers[ORIGIN_HEADER];
    const secret = given === undefined ? undefined : await originSecret();
    const viewer = headers[VIEWER_HEADER];
    const isOurs = secret !== undefined && given !== undefined && isSame(given, secret);
    return networkOf(isOurs && viewer ? viewer : sourceAddress);
  };

function isSame(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}

const GROUPS = 8;
const GROUPS_OF_A_NETWORK = 4;

/** One caller has all of an IPv6 network of 64 bits to call from. */
function networkOf(address: string): string {
  const plain = address.replace(/^\[|\]$/g, '').replace(/^::ffff:(?=\d+\.)/i, '');
  const host = URL.parse(`http://[${plain}]`)?.hostname.slice(1, -1);
  if (host === undefined) return plain;
  const [first = [], last = []] = host.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const groups = [...first, ...Array<string>(GROUPS - first.length - last.length).fill('0'), ...last];
  return `${groups.slice(0, GROUPS_OF_A_NETWORK).join(':')}::/64`;
}
