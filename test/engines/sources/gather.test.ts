import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { putSource, removeSource } from '../../../shared/sources/stored-sources.ts';
import { asking, publish } from './publish.ts';

const { origin, pages, seen, waits, state, gather, withSource } = await publish();
const feedOf = (...titles: string[]) =>
  `<rss><channel>${titles.map((title) => `<item><title>${title}</title></item>`).join('')}</channel></rss>`;
const at = (path: string) => origin + path;

describe('gathering', () => {
  it('reads every kind from where it is published, and tells what could not be had', async () => {
    pages.set('/feed', feedOf('From a feed'));
    pages.set('/json', JSON.stringify([{ a: 'From JSON' }]));
    pages.set('/csv', 'A,V\nFrom CSV,4\n');
    pages.set('/page', '<title>From a page</title><p>Words.</p>');
    pages.set(
      '/letter.docx',
      readFileSync(join(import.meta.dirname, '../documents/samples/board-minutes-march.libreoffice.docx')),
    );
    pages.set('/broken', '<html>');
    const organization = await withSource([
      { kind: 'feed', address: [at('/feed'), at('/missing'), at('/broken')] },
      { kind: 'json', address: at('/json'), fields: { title: '{a}' } },
      { kind: 'csv', address: at('/csv'), fields: { title: '{A}' }, figures: [{ label: 'V', value: '{V}' }] },
      { kind: 'page', address: at('/page') },
      { kind: 'documents', address: at('/letter.docx') },
    ]);
    const found = await gather()(organization, 'own', asking());
    expect(found).toMatchObject({ source: 'own', queries: 7, isSample: false });
    expect(found.items.map(({ title }) => title).sort()).toEqual([
      'From CSV',
      'From JSON',
      'From a feed',
      'From a page',
      'letter.docx',
    ]);
    expect(found.items.every(({ source, address }) => source === 'own' && address.startsWith(origin))).toBe(true);
    expect(found.faults.sort((one, other) => (one.address < other.address ? -1 : 1))).toEqual([
      { address: at('/broken'), reason: 'is not a feed' },
      { address: at('/missing'), reason: 'could not be fetched' },
    ]);
  });

  it('uses entries of the source itself, without a request', async () => {
    const entries = [
      { title: 'Known', text: 'Words.', published: '2026-05-04', figures: [{ label: 'V', value: 3, unit: '%' }] },
      { title: 'Linked', text: 'Words.', address: at('/known') },
    ];
    const organization = await withSource([{ kind: 'page', address: at('/x') }]);
    await putSource(state(), organization, { name: 'own', value: { title: 'Own', entries } });
    const found = await gather()(organization, 'own', asking());
    expect(found).toEqual({
      source: 'own',
      items: [
        {
          source: 'own',
          address: 'source:own#1',
          title: 'Known',
          text: 'Words.',
          publishedAt: '2026-05-04T00:00:00.000Z',
          figures: [{ label: 'V', value: 3, unit: '%' }],
        },
        { source: 'own', address: at('/known'), title: 'Linked', text: 'Words.' },
      ],
      faults: [],
      queries: 0,
      isSample: false,
    });
  });

  it('asks under our name with the headers of its connector, and nothing of ours goes along', async () => {
    pages.set('/f', feedOf('One'));
    const organization = await withSource([{ kind: 'feed', address: at('/f'), headers: { accept: 'text/csv' } }]);
    await gather()(organization, 'own', asking());
    expect(seen[0]?.headers).toEqual({
      'user-agent': 'errand-sources/1',
      accept: 'text/csv',
      'accept-encoding': 'identity',
      host: new URL(origin).host,
      connection: expect.any(String),
    });
  });

  it('puts each query and each place into the address, and never more than a part of it', async () => {
    const organization = await withSource([
      { kind: 'feed', address: at('/{place}/find?q={query}'), limits: { requests: 4 } },
    ]);
    const ask = asking({ queries: ['port & fees', '../../x?y=z#', '..', ' '], places: ['São Tomé', 'a/b'] });
    const { queries, faults } = await gather()(organization, 'own', ask);
    const place = ['S%C3%A3o%20Tom%C3%A9', 'a%2Fb'];
    expect(seen.map(({ path }) => path).sort()).toEqual(
      [
        ...place.map((one) => `/${one}/find?q=port%20%26%20fees`),
        ...place.map((one) => `/${one}/find?q=..%2F..%2Fx%3Fy%3Dz%23`),
      ].sort(),
    );
    expect([queries, faults.length]).toEqual([4, 4]);
  });

  it('asks nothing where a query is needed and none is there, and leaves out what is too much', async () => {
    const organization = await withSource([
      { kind: 'feed', address: at('/find?q={query}') },
      { kind: 'feed', address: [at('/1'), at('/2'), at('/3')], limits: { requests: 2 } },
    ]);
    const { faults } = await gather()(organization, 'own', asking());
    expect(seen.map(({ path }) => path).sort()).toEqual(['/1', '/2']);
    expect(faults).toContainEqual({ address: at('/find?q={query}'), reason: 'needs a query' });
    expect(faults).toContainEqual({
      address: at('/3'),
      reason: 'was left out: at most 2 URLs are requested at once',
    });
  });

  it('waits between two requests to one host, also of another gathering', async () => {
    const organization = await withSource([{ kind: 'feed', address: [at('/1'), at('/2')], limits: { pauseMs: 400 } }]);
    const gathering = gather();
    waits.length = 0;
    await gathering(organization, 'own', asking());
    await gathering(organization, 'own', asking());
    expect(waits.sort((one, other) => one - other)).toEqual([400, 800, 1_200]);
  });

  it('asks a host no more when a minute of others is before it', async () => {
    const many = Array.from({ length: 12 }, (_, n) => at(`/${n}`));
    const organization = await withSource([{ kind: 'feed', address: many, limits: { pauseMs: 10_000, requests: 20 } }]);
    const { faults, queries } = await gather()(organization, 'own', asking());
    expect(queries).toBe(7);
    expect(faults.filter(({ reason }) => reason === 'is on a host that is asked too often')).toHaveLength(5);
  });

  it('follows no address inside, whether it is named or redirected to', async () => {
    pages.set('/moved', (response) => void response.writeHead(302, { location: 'https://169.254.169.254/' }).end());
    const organization = await withSource([
      { kind: 'feed', address: [at('/moved'), 'https://10.0.0.1/feed', 'https://localhost/feed'] },
    ]);
    const { items, faults } = await gather()(organization, 'own', asking());
    expect(items).toEqual([]);
    expect(new Set(faults.map(({ reason }) => reason))).toEqual(new Set(['has a URL that is not allowed']));
    expect(faults).toHaveLength(3);
  });

  it('takes no more bytes, no more time and nothing packed', async () => {
    pages.set('/long', 'x'.repeat(20_000));
    pages.set('/slow', (response) => void response.writeHead(200).write('<rss>'));
    pages.set('/packed', (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('abc'));
    pages.set('/empty', '');
    const limits = { bytes: 10_000, seconds: 1 };
    const organization = await withSource([
      { kind: 'feed', address: ['/long', '/slow', '/packed', '/empty'].map(at), limits },
    ]);
    const begun = Date.now();
    const { faults } = await gather()(organization, 'own', asking());
    expect(Date.now() - begun).toBeLessThan(8_000);
    expect(Object.fromEntries(faults.map(({ address, reason }) => [address.slice(origin.length), reason]))).toEqual({
      '/long': 'is too large to be read',
      '/slow': 'could not be fetched',
      '/packed': 'is compressed although no compression was requested',
      '/empty': 'is empty',
    });
  });

  it('hears what a server says of the encoding, unless the bytes say otherwise', async () => {
    const serveXml = (bytes: Buffer, charset: string) => (response: ServerResponse) =>
      void response.writeHead(200, { 'content-type': `application/xml; charset=${charset}` }).end(bytes);
    pages.set(
      '/cyrillic',
      serveXml(
        Buffer.concat([
          Buffer.from('<rss><item><title>'),
          Buffer.from([0xcf, 0xee, 0xf0, 0xf2]),
          Buffer.from('</title></item></rss>'),
        ]),
        'windows-1251',
      ),
    );
    pages.set('/utf-8', serveXml(Buffer.from(feedOf('Zölle')), 'iso-8859-1'));
    pages.set('/utf-16', serveXml(Buffer.from(`\ufeff${feedOf('Häfen')}`, 'utf16le'), 'utf-8'));
    const organization = await withSource([{ kind: 'feed', address: ['/cyrillic', '/utf-8', '/utf-16'].map(at) }]);
    const { items, faults } = await gather()(organization, 'own', asking());
    expect([items.map(({ title }) => title).sort(), faults]).toEqual([['Häfen', 'Zölle', 'Порт'], []]);
  });

  it('ends with the reason of its caller', async () => {
    pages.set('/hangs', () => undefined);
    pages.set('/slow', (response) => void response.writeHead(200).write('<rss>'));
    const organization = await withSource([{ kind: 'feed', address: at('/slow') }]);
    const caller = new AbortController();
    const gathering = gather()(organization, 'own', asking({ signal: caller.signal }));
    await expect.poll(() => seen.length).toBe(1);
    caller.abort(new Error('cancelled'));
    await expect(gathering).rejects.toThrow('cancelled');
    await expect(gather()(organization, 'own', asking({ signal: caller.signal }))).rejects.toThrow('cancelled');
  });

  it('tells the same only once, and keeps what speaks of the question when there is more than was asked for', async () => {
    pages.set('/a', feedOf('Same', 'Weather', 'Harbour dues rise'));
    const organization = await withSource([
      { kind: 'feed', address: at('/a') },
      { kind: 'feed', address: at('/a') },
    ]);
    const gathering = gather();
    expect((await gathering(organization, 'own', asking())).items).toHaveLength(3);
    const { items } = await gathering(organization, 'own', asking({ queries: ['harbour'], maxItems: 1 }));
    expect(items.map(({ title }) => title)).toEqual(['Harbour dues rise']);
  });
});

describe('the source of an organization', () => {
  it('replaces what the product brings along, for it alone, until it is removed', async () => {
    pages.set('/own', feedOf('Own'));
    pages.set('/ours', feedOf('Ours'));
    const feed = (address: string) => [{ kind: 'feed', address }];
    const own = await withSource(feed(at('/own')), 'news_feeds');
    const other = await withSource(feed(at('/other')), 'other');
    const ours = await withSource(feed(at('/ours')), 'ours');
    const { sourceOf } = await import('../../../shared/sources/stored-sources.ts');
    const source = await sourceOf(state().table, ours, 'ours');
    const gathering = gather(async (name) => (name === 'news_feeds' && source ? { source } : undefined));
    const titles = async (organization: string, name = 'news_feeds') =>
      (await gathering(organization, name, asking())).items.map(({ title }) => title);
    expect(await titles(own)).toEqual(['Own']);
    expect(await titles(other)).toEqual(['Ours']);
    await removeSource(state().table, own, 'news_feeds');
    expect(await titles(own)).toEqual(['Ours']);
    expect(await gathering(own, 'other', asking())).toMatchObject({
      items: [],
      queries: 0,
      faults: [{ address: 'other', reason: 'no longer exists' }],
    });
  });

  it.each([
    [{ title: 'x' }, /^connectors/],
    [{ title: 'x', entries: [{ title: 'y', text: 'z', published: 'soon' }] }, /^entries\.0\.published: must be a date/],
    [{ title: 'x', entries: [{ title: 'y' }] }, /^entries\.0\.text/],
    [{ title: 'x', connectors: [] }, /^connectors: must not be empty/],
    [{ title: 'x', connectors: [{ kind: 'ftp', address: 'https://a.org' }] }, /kind: must be one of feed, json/],
    [{ title: 'x', connectors: [{ kind: 'feed', address: 'http://a.org' }] }, /address\.0: must be an HTTPS URL/],
    [{ title: 'x', connectors: [{ kind: 'feed', address: 'https://{query}.org/' }] }, /nowhere but behind its host/],
    [{ title: 'x', connectors: [{ kind: 'feed', address: 'https://a.org@{query}/' }] }, /nowhere but behind its host/],
    [{ title: 'x', connectors: [{ kind: 'feed', address: 'https://a.org/{secret}' }] }, /nowhere but behind its host/],
    [{ title: 'x', connectors: [{ kind: 'feed', address: 'https://u:p@a.org/' }] }, /must be an HTTPS URL/],
    [
      { title: 'x', connectors: [{ kind: 'feed', address: 'https://a.org', headers: { cookie: 'a' } }] },
      /headers\.cookie/,
    ],
    [
      { title: 'x', connectors: [{ kind: 'feed', address: 'https://a.org', limits: { bytes: 1e9 } }] },
      /limits\.bytes: must/,
    ],
    [{ title: 'x', connectors: [{ kind: 'json', address: 'https://a.org' }] }, /fields/],
    ['text', /title and connectors/],
  ])('is refused as %j', async (given, remedy) => {
    const organization = await withSource([{ kind: 'feed', address: 'https://a.org' }]);
    await expect(putSource(state(), organization, { name: 'x', value: given })).rejects.toThrow(remedy);
  });

  it.each(['', 'A', '1a', 'a b', 'a#b', 'ü', 'a'.repeat(65), 'a/../b'])('is not called %j', async (name) => {
    const given = { title: 'x', connectors: [{ kind: 'feed', address: 'https://a.org' }] };
    const organization = await withSource(given.connectors);
    await expect(putSource(state(), organization, { name, value: given })).rejects.toThrow(/name of a source/);
  });
});

describe('two organizations', () => {
  it('gather side by side, though the sources of one of them never answer', async () => {
    const hanging: string[] = [];
    const addresses = Array.from({ length: 3 }, (_, n) => at(`/hanging${n}`));
    for (const address of addresses) pages.set(new URL(address).pathname, () => void hanging.push(address));
    pages.set('/page', '<title>From a page</title><p>Words.</p>');
    const busy = await withSource(addresses.map((address) => ({ kind: 'page', address })));
    const neighbour = await withSource([{ kind: 'page', address: at('/page') }]);
    const gathering = gather();
    const control = new AbortController();
    const stuck = Array.from({ length: 6 }, () =>
      gathering(busy, 'own', asking({ signal: control.signal })).catch((reason) => reason),
    );
    await expect.poll(() => hanging.length).toBe(8);
    const found = await gathering(neighbour, 'own', asking());
    expect(found.items.map(({ title }) => title)).toEqual(['From a page']);
    control.abort('cancelled');
    expect(new Set(await Promise.all(stuck))).toEqual(new Set(['cancelled']));
    expect(hanging).toHaveLength(8);
  });
});
