/** Opens a connection to one of the judged addresses, and makes sure that it is the one it leads to. */
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { failure, isOutboundFailure, refusal } from './failure.ts';
import { hostOf, portOf } from './judge-address.ts';
import { withTimeout } from './life.ts';
import type { RequestLimits } from './limits.ts';
import type { Network, RawConnection } from './wire.ts';

type DialTarget = { url: URL; answers: readonly string[]; ca: string | undefined };
type DialContext = { network: Network; limits: RequestLimits };

export const dial = (call: DialTarget, kit: DialContext & { signal: AbortSignal }): Promise<Duplex> =>
  withTimeout({ ms: kit.limits.connectMs, fault: 'connectTime', signal: kit.signal }, async (signal) => {
    const wire = await connectToOneOf(call, kit, signal);
    signal.addEventListener('abort', () => wire.destroy(), { once: true });
    return call.url.protocol === 'http:' ? wire : startTls(wire, call, kit, signal);
  });

async function connectToOneOf(
  { url, answers }: DialTarget,
  { network, limits }: DialContext,
  signal: AbortSignal,
): Promise<RawConnection> {
  const [address = '', second] = twoCandidates(answers);
  const open = (address: string, signal: AbortSignal) => connectTo({ address, port: portOf(url) }, network, signal);
  if (second === undefined) return open(address, signal);
  try {
    const step = { ms: limits.connectMs / 2, fault: 'connectTime', signal } as const;
    return await withTimeout(step, (signal) => open(address, signal));
  } catch (cause) {
    if (signal.aborted || !isOutboundFailure(cause) || cause.kind === 'refused') throw cause;
    return open(second, signal);
  }
}

/** The resolver's first choice, and one of the other family in case that this machine has no way there. */
function twoCandidates([first = '', ...others]: readonly string[]): string[] {
  const second = others.find((other) => isIP(other) !== isIP(first)) ?? others[0];
  return second === undefined ? [first] : [first, second];
}

async function connectTo(
  place: { address: string; port: number },
  network: Network,
  signal: AbortSignal,
): Promise<RawConnection> {
  const wire = await network.connect(place, signal).catch((cause) => {
    throw failure('connect', cause);
  });
  const { remoteAddress } = wire;
  if (remoteAddress === place.address) return wire;
  wire.destroy();
  // Without one the other end has hung up already.
  throw remoteAddress === undefined ? failure('connect') : refusal('remote');
}

async function startTls(
  wire: RawConnection,
  { url, ca }: DialTarget,
  { network }: DialContext,
  signal: AbortSignal,
): Promise<Duplex> {
  try {
    return await network.secure(wire, { host: hostOf(url), ca }, signal);
  } catch (cause) {
    throw failure('tls', cause);
  }
}
