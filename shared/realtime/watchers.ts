/** The connections of an organization that listen, cached. */

import { loadingCache } from '../core/cache.ts';
import { type ConnectionSlot, readSlots, type SlotPorts } from './connection-slots.ts';

/** Caches the watchers of an organization, so that a task without one costs at most one read, usually none. */
export type Watchers = {
  /** The cached watchers, without a read. */
  peek(organization: string): ConnectionSlot[] | undefined;
  of(organization: string): Promise<ConnectionSlot[]>;
  /** Call after a change in this process. */
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
  const present = (slots: ConnectionSlot[]): ConnectionSlot[] => slots.filter(({ endsAt }) => endsAt > clock.now());

  return {
    peek(organization) {
      const slots = cached.peek(organization);
      return slots && present(slots);
    },
    of: async (organization) => present((await cached.get(organization)) ?? []),
    forget: cached.delete,
  };
}
