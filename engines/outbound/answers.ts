/** The addresses that a host stands for: one look-up, and all of them judged before the first connection. */
import { isIP, SocketAddress } from 'node:net';
import { failed, refused } from './failure.ts';
import { hostOf, judgeAnswers, type Reach, type Target } from './judge-address.ts';
import { within } from './life.ts';
import type { Limits } from './limits.ts';
import type { Network } from './wire.ts';

export async function judgedAnswers(
  { url, reach }: Target,
  { network, limits, signal }: { network: Network; limits: Limits; signal: AbortSignal },
): Promise<string[]> {
  const host = hostOf(url);
  const answers = isIP(host)
    ? [host]
    : await within({ ms: limits.resolveMs, fault: 'resolveTime', signal }, (signal) =>
        looked(host, network, { reach, signal }),
      );
  if (answers.length === 0) throw failed('resolve');
  if (!judgeAnswers(answers, reach)) throw refused('answers');
  return answers.map(plainIp);
}

const looked = (host: string, network: Network, o: { reach: Reach; signal: AbortSignal }): Promise<string[]> =>
  network.resolve(host, o).catch((cause) => {
    throw failed('resolve', cause);
  });

/** The one spelling in which a socket tells its remote address. */
const plainIp = (address: string): string =>
  new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address;
