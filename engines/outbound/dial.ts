/** Opens a connection to one of the judged addresses, and makes sure that it is the one it leads to. */
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { failed, isOutboundFailure, refused } from './failure.ts';
import { hostOf, portOf } from './judge-address.ts';
import { within } from './life.ts';
import type { Limits } from './limits.ts';
import type { Network, Wire } from './wire.ts';

type Call = { url: URL; answers: readonly string[]; ca: string | undefined };
type Kit = { network: Network; limits: Limits };

export const dial = (call: Call, kit: Kit & { signal: AbortSignal }): Promise<Duplex> =>
  within({ ms: kit.limits.connectMs, fault: 'connectTime', signal: kit.signal }, async (signal) => {
    const wire = await connected(call, kit, signal);
    signal.addEventListener('abort', () => wire.destroy(), { once: true });
    return call.url.protocol === 'http:' ? wire : secured(wire, call, kit, signal);
  });

async function connected({ url, answers }: Call, { network, limits }: Kit, signal: AbortSignal): Promise<Wire> {
  const [address = '', second] = twoOf(answers);
  const open = (address: string, signal: AbortSignal) => opened({ address, port: portOf(url) }, network, signal);
  if (second === undefined) return open(address, signal);
  try {
    const step = { ms: limits.connectMs / 2, fault: 'connectTime', signal } as const;
    return await within(step, (signal) => open(address, signal));
  } catch (cause) {
    if (signal.aborted || !isOutboundFailure(cause) || cause.kind === 'refused') throw cause;
    return open(second, signal);
  }
}

/** The resolver's first choice, and one of the other family in case that this machine has no way there. */
function twoOf([first = '', ...others]: readonly string[]): string[] {
  const second = others.find((other) => isIP(other) !== isIP(first)) ?? others[0];
  return second === undefined ? [first] : [first, second];
}

async function opened(place: { address: string; port: number }, network: Network, signal: AbortSignal): Promise<Wire> {
  const wire = await network.connect(place, signal).catch((cause) => {
    throw failed('connect', cause);
  });
  const { remoteAddress } = wire;
  if (remoteAddress === place.address) return wire;
  wire.destroy();
  // Without one the other end has hung up already.
  throw remoteAddress === undefined ? failed('connect') : refused('remote');
}

async function secured(wire: Wire, { url, ca }: Call, { network }: Kit, signal: AbortSignal): Promise<Duplex> {
  try {
    return await network.secure(wire, { host: hostOf(url), ca }, signal);
  } catch (cause) {
    throw failed('tls', cause);
  }
}
