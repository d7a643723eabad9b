/** Caches who watches an organization, so that a task without a watcher costs at most one read, and mostly none. */
import { loadingCache } from '../core/cache.ts';
import { type ConnectionSlot, readSlots, type SlotPorts } from './places.ts';

export type Watchers = {
  /** What is known without a read. */
  known(organization: string): ConnectionSlot[] | undefined;
  of(organization: string): Promise<ConnectionSlot[]>;
  /** They have changed in this process. */
  forget(organization: string): void;
};

const MAX_ORGANIZATIONS = 10_000;

/** `keptMs`: how long connections to another process may stay unnoticed. */
export function cachedWatchers({ keptMs, ...ports }: SlotPorts & { keptMs: number }): Watchers {
  const { clock } = ports;
  const cached = loadingCache({
    clock,
    ttlMs: keptMs,
    max: MAX_ORGANIZATIONS,
    load: (organization) => readSlots(ports, organization),
  });
  const present = (places: ConnectionSlot[]): ConnectionSlot[] => places.filter(({ endsAt }) => endsAt > clock.now());

  return {
    known(organization) {
      const places = cached.peek(organization);
      return places && present(places);
    },
    of: async (organization) => present((await cached.get(organization)) ?? []),
    forget: cached.delete,
  };
}
