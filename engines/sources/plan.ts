/** Which addresses are asked: every template, filled with each query and each place, up to what its connector allows. */
import type { GatherRequest, SourceFault } from '../../shared/sources/gathered.ts';
import type { Connector, ResearchSource } from '../../shared/sources/source.ts';

type Planned = { address: string; connector: Connector };
type Plan = { requests: Planned[]; faults: SourceFault[] };

const MOST_BLANK = 200;
const QUERY = '{query}';
const PLACE = '{place}';

export function planOf(
  { connectors }: Pick<ResearchSource, 'connectors'>,
  ask: Pick<GatherRequest, 'queries' | 'places'>,
): Plan {
  const requests: Planned[] = [];
  const faults: SourceFault[] = [];
  for (const connector of connectors) {
    const { limits } = connector;
    const addresses = [...new Set(connector.address.flatMap((template) => filled(template, ask)))];
    requests.push(...addresses.slice(0, limits.requests).map((address) => ({ address, connector })));
    const [unasked] = addresses.slice(limits.requests);
    if (unasked !== undefined) {
      faults.push({ address: unasked, reason: `was left out: at most ${limits.requests} addresses are asked at once` });
    }
    for (const template of connector.address) {
      if (filled(template, ask).length === 0) faults.push({ address: template, reason: 'needs something to ask for' });
    }
  }
  return { requests, faults };
}

/** Without a place all places are meant; without a query there is nothing to ask. */
function filled(template: string, { queries, places }: Pick<GatherRequest, 'queries' | 'places'>): string[] {
  const asked = template.includes(QUERY) ? queries.map(encoded).filter((text) => text !== '') : [''];
  const where = template.includes(PLACE) && places.length > 0 ? places.map(encoded) : [''];
  return asked.flatMap((query) =>
    where
      .filter((place) => !namesAnother(query, place, where))
      .map((place) => template.replaceAll(QUERY, query).replaceAll(PLACE, place)),
  );
}

/** Queries may name a place themselves: one about Poland is not asked of Latvia. */
const namesAnother = (query: string, place: string, places: readonly string[]): boolean =>
  !names(query, place) && places.some((other) => other !== '' && names(query, other));

const names = (query: string, place: string): boolean => query.toLowerCase().includes(place.toLowerCase());

/** Stays one part of the address, whatever it holds: dots alone would climb in its path. */
function encoded(text: string): string {
  const plain = text.slice(0, MOST_BLANK).toWellFormed().replaceAll(/\s+/g, ' ').trim();
  if (/^\.+$/.test(plain)) return '';
  return encodeURIComponent(plain).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
