/** Who watches an organization, known for a moment: a task nobody watches costs a read at most, and mostly none. */
import { type Place, type PlacePorts, placesOf } from './places.ts';

export type Watchers = {
  /** What is known without asking. */
  known(organization: string): Place[] | undefined;
  of(organization: string): Promise<Place[]>;
  /** They have changed in this process. */
  forget(organization: string): void;
};

const MOST_KEPT = 10_000;

/** Where connections come in elsewhere, `keptMs` is how long they may go unseen: they are told that they watch only then. */
export function watchersOver({ keptMs, ...ports }: PlacePorts & { keptMs: number }): Watchers {
  const kept = new Map<string, { at: number; places: Place[] }>();
  const reading = new Map<string, Promise<Place[]>>();

  function known(organization: string): Place[] | undefined {
    const found = kept.get(organization);
    const now = ports.clock.now();
    if (!found || now < found.at || now - found.at >= keptMs) return undefined;
    return found.places.filter(({ endsAt }) => endsAt > now);
  }

  function read(organization: string): Promise<Place[]> {
    const at = ports.clock.now(); // before the read: what is kept is never older than it says
    const asked: Promise<Place[]> = placesOf(ports, organization)
      .then((places) => {
        // Unless it was forgotten meanwhile.
        if (reading.get(organization) === asked) {
          if (kept.size >= MOST_KEPT) kept.clear();
          kept.set(organization, { at, places });
        }
        return places;
      })
      .finally(() => {
        if (reading.get(organization) === asked) reading.delete(organization);
      });
    reading.set(organization, asked);
    return asked;
  }

  return {
    known,
    of: async (organization) => known(organization) ?? (await (reading.get(organization) ?? read(organization))),
    forget(organization) {
      kept.delete(organization);
      reading.delete(organization);
    },
  };
}
