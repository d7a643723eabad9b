/** Which addresses are asked: every template, filled with each query and each place, up to what its connector allows. */
import type { GatherRequest, SourceFault } from '../../shared/sources/gathered.ts';
import type { Connector, ResearchSource } from '../../shared/sources/source.ts';

type PlannedRequest = { address: string; connector: Connector };
type Plan = { requests: PlannedRequest[]; faults: SourceFault[] };

const MAX_PART_LENGTH = 200;
const QUERY = '{query}';
const PLACE = '{place}';

export function planRequests(
  { connectors }: Pick<ResearchSource, 'connectors'>,
  ask: Pick<GatherRequest, 'queries' | 'places'>,
): Plan {
  const requests: PlannedRequest[] = [];
  const faults: SourceFault[] = [];
  for (const connector of connectors) {
    const { limits } = connector;
    const addresses = [...new Set(connector.address.flatMap((template) => fillTemplate(template, ask)))];
    requests.push(...addresses.slice(0, limits.requests).map((address) => ({ address, connector })));
    const [unasked] = addresses.slice(limits.requests);
    if (unasked !== undefined) {
      faults.push({ address: unasked, reason: `was left out: at most ${limits.requests} addresses are asked at once` });
    }
    for (const template of connector.address) {
      if (fillTemplate(template, ask).length === 0)
        faults.push({ address: template, reason: 'needs something to ask for' });
    }
  }
  return { requests, faults };
}

/** Without a place all places are meant; without a query there is nothing to ask. */
function fillTemplate(template: string, { queries, places }: Pick<GatherRequest, 'queries' | 'places'>): string[] {
  const queryParts = template.includes(QUERY) ? queries.map(encodePart).filter((text) => text !== '') : [''];
  const placeParts = template.includes(PLACE) && places.length > 0 ? places.map(encodePart) : [''];
  return queryParts.flatMap((query) =>
    placeParts
      .filter((place) => !namesOtherPlace(query, place, placeParts))
      .map((place) => template.replaceAll(QUERY, query).replaceAll(PLACE, place)),
  );
}

/** Queries may name a place themselves: one about Poland is not asked of Latvia. */
const namesOtherPlace = (query: string, place: string, places: readonly string[]): boolean =>
  !names(query, place) && places.some((other) => other !== '' && names(query, other));

const names = (query: string, place: string): boolean => query.toLowerCase().includes(place.toLowerCase());

/** Stays one part of the address, whatever it holds: dots alone would climb in its path. */
function encodePart(text: string): string {
  const plain = text.slice(0, MAX_PART_LENGTH).toWellFormed().replaceAll(/\s+/g, ' ').trim();
  if (/^\.+$/.test(plain)) return '';
  return encodeURIComponent(plain).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
