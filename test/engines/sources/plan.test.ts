import fc from 'fast-check';
import { expect, it } from 'vitest';
import { planRequests } from '../../../engines/sources/gather.ts';
import { connectorOf } from './setup.ts';

const TEMPLATE = 'https://published.errand-tests.org/a/{query}/b?where={place}&end=1';
const connector = connectorOf({ kind: 'feed', address: TEMPLATE });
const addressesFor = (query: string, place: string) =>
  planRequests({ connectors: [connector] }, { queries: [query], places: [place] }).requests.map(
    ({ address }) => new URL(address),
  );

it('lets nothing that is asked for change anything but its own part of the address', () => {
  const any = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.stringMatching(/^[./\\\\?#&=%@:{}querylac2e5 ]{0,40}$/),
  );
  fc.assert(
    fc.property(any, any, (query, place) => {
      for (const url of addressesFor(query, place)) {
        expect([url.origin, url.username, url.hash]).toEqual(['https://published.errand-tests.org', '', '']);
        expect(url.pathname).toMatch(/^\/a\/[^/]+\/b$/);
        expect([...url.searchParams.keys()]).toEqual(['where', 'end']);
      }
    }),
    { numRuns: 2_000 },
  );
});

it('reads back what was asked for', () => {
  const [url] = addressesFor("port's fees (2026)! 100%", 'Côte d’Ivoire');
  expect(decodeURIComponent(url?.pathname.split('/')[2] ?? '')).toBe("port's fees (2026)! 100%");
  expect(url?.searchParams.get('where')).toBe('Côte d’Ivoire');
});

it('asks of no place what a query asks of another one', () => {
  const queries = ['port fees', 'port fees Poland', 'port fees latvia', 'port fees Poland and Latvia'];
  const { requests } = planRequests({ connectors: [connector] }, { queries, places: ['Poland', 'Latvia'] });
  const asked = requests
    .map(({ address }) => new URL(address))
    .map(({ pathname, searchParams }) => [decodeURIComponent(pathname.split('/')[2] ?? ''), searchParams.get('where')]);
  expect(asked).toEqual([
    ['port fees', 'Poland'],
    ['port fees', 'Latvia'],
    ['port fees Poland', 'Poland'],
    ['port fees latvia', 'Latvia'],
    ['port fees Poland and Latvia', 'Poland'],
    ['port fees Poland and Latvia', 'Latvia'],
  ]);
});

it('requests of a source that was gathered before only what other queries change', () => {
  const feed = connectorOf({ kind: 'feed', address: 'https://published.errand-tests.org/feed' });
  const ask = { queries: ['port fees'], places: [] };
  const connectors = [feed, connector];
  expect(planRequests({ connectors }, ask).requests).toHaveLength(2);
  expect(planRequests({ connectors }, { ...ask, isFurther: true }).requests.map((one) => one.connector)).toEqual([
    connector,
  ]);
});
