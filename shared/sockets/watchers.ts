/** Caches who watches an organization, so that a task without a watcher costs at most one read, and mostly none. */
import { loadingCache } from '../core/cache.ts';
import { type Place, type PlacePorts, placesOf } from './places.ts';

export type Watchers = {
  /** What is known without a read. */
  known(organization: string): Place[] | undefined;
  of(organization: string): Promise<Place[]>;
  /** They have changed in this process. */
  forget(organization: string): void;
};

const MAX_ORGANIZATIONS = 10_000;

/** `keptMs`: how long connections to another process may stay unnoticed. */
export function watchersOver({ keptMs, ...ports }: PlacePorts & { keptMs: number }): Watchers {
  const { clock } = ports;
  const cached = loadingCache({
    clock,
    ttlMs: keptMs,
    max: MAX_ORGANIZATIONS,
    load: (organization) => placesOf(ports, organization),
  });
  const present = (places: Place[]): Place[] => places.filter(({ endsAt }) => endsAt > clock.now());

  return {
    known(organization) {
      const places = cached.peek(organization);
      return places && present(places);
    },
    of: async (organization) => present((await cached.get(organization)) ?? []),
    forget: cached.delete,
  };
}
