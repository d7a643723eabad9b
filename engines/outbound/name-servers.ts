/** Asks the name servers for all addresses of a name, and ties up no thread: a slow name holds nothing else up. */
import { Resolver } from 'node:dns/promises';

export type NameLookup = (host: string, signal: AbortSignal) => Promise<string[]>;

/** With one server this ends within the time of a look-up, so that one family that stays silent does not cost the other. */
const RESOLVER_OPTIONS = { timeout: 1_000, tries: 2 };

/** `servers` in place of those that this machine is set up with, which are looked up each time. */
export const nameServerLookup =
  ({ servers }: { servers?: string[] } = {}): NameLookup =>
  async (host, signal) => {
    const resolver = new Resolver(RESOLVER_OPTIONS);
    if (servers) resolver.setServers(servers);
    signal.addEventListener('abort', () => resolver.cancel(), { once: true });
    // IPv4 first: a function on Lambda has no way out over IPv6.
    const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const answers = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
    const [first] = families;
    if (answers.length === 0 && first.status === 'rejected') throw first.reason;
    return answers;
  };
