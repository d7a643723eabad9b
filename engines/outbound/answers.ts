/** The addresses that a host stands for: one look-up, and all of them judged before the first connection. */
import { isIP, SocketAddress } from 'node:net';
import { failure, refusal } from './failure.ts';
import { areAllowedIps, type CheckedUrl, hostOf, type Reach } from './judge-address.ts';
import { withTimeout } from './life.ts';
import type { RequestLimits } from './limits.ts';
import type { Network } from './wire.ts';

export async function resolveAndCheck(
  { url, reach }: CheckedUrl,
  { network, limits, signal }: { network: Network; limits: RequestLimits; signal: AbortSignal },
): Promise<string[]> {
  const host = hostOf(url);
  const answers = isIP(host)
    ? [host]
    : await withTimeout({ ms: limits.resolveMs, fault: 'resolveTime', signal }, (signal) =>
        lookUp(host, network, { reach, signal }),
      );
  if (answers.length === 0) throw failure('resolve');
  if (!areAllowedIps(answers, reach)) throw refusal('answers');
  return answers.map(canonicalIp);
}

const lookUp = (host: string, network: Network, o: { reach: Reach; signal: AbortSignal }): Promise<string[]> =>
  network.resolve(host, o).catch((cause) => {
    throw failure('resolve', cause);
  });

/** The one spelling in which a socket tells its remote address. */
const canonicalIp = (address: string): string =>
  new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address;
