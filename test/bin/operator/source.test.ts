import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { withAcme } from './errand.ts';

const { acme, json, refuses, run } = withAcme();
const folder = temporaryFolder();
afterAll(() => folder.remove());

function writeText(text: string, name = 'source.yaml'): string {
  const file = join(folder.path, name);
  writeFileSync(file, text);
  return file;
}

const FEED = 'title: Port news\nconnectors:\n  - kind: feed\n    address: https://news.errand-tests.org/feed\n';
const put = (name: string, text = FEED) => json(['source', 'put', name, '--file', writeText(text), '--org', 'Acme']);
const list = () => json(['source', 'list', '--org', 'Acme']);

it('adds a source, replaces it under its name, lists it and removes it', async () => {
  const shown = { name: 'port_news', title: 'Port news', kinds: ['feed'], addresses: 1, entries: 0, replaces: false };
  expect(await put('port_news')).toEqual({ ...shown, changed: expect.any(String) });
  const more = FEED.replace('address: ', 'address:\n      - https://a.errand-tests.org/\n      - ');
  expect(await put('port_news', more)).toMatchObject({ name: 'port_news', addresses: 2 });
  expect(await put('news_feeds')).toMatchObject({ name: 'news_feeds', replaces: true });
  expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['news_feeds', 'port_news']);
  expect(await json(['source', 'remove', 'port_news', '--org', 'Acme'])).toMatchObject({ removed: true });
  expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['news_feeds']);
  await refuses(['source', 'remove', 'port_news', '--org', 'Acme'], /There is no source "port_news"/);
});

it('audits who added which source, also if it was refused', async () => {
  await put('port_news');
  await run(['source', 'put', 'Port News', '--file', writeText(FEED), '--org', 'Acme']);
  const acts = await json(['audit', 'Acme']);
  expect(acts.slice(0, 2)).toMatchObject([
    { act: 'source put', subject: 'Port News', outcome: 'failed' },
    { act: 'source put', subject: 'port_news', outcome: 'done', organization: acme().id },
  ]);
});

it.each([
  ['title: [', /is not valid YAML/],
  ['a: &a [x]\ntitle: n\nconnectors: [*a, *a]\n', /is not valid YAML/],
  ['title: Port news\n', /connectors/],
  [FEED.replace('https', 'http'), /connectors\.0\.address\.0: must be an HTTPS URL/],
  [FEED.replace('feed\n', 'gopher\n'), /connectors\.0\.kind: must be one of feed, json, csv, page, documents/],
  [`${FEED}password: x\n`, /password/],
])('reports in one line what is wrong with %j', async (text, remedy) => {
  await refuses(['source', 'put', 'port_news', '--file', writeText(text), '--org', 'Acme'], remedy);
  expect(await list()).toEqual([]);
});

it('reports which file cannot be read, and requires one', async () => {
  const none = join(folder.path, 'none.yaml');
  await refuses(
    ['source', 'put', 'x', '--file', none, '--org', 'Acme'],
    /File \S+none\.yaml does not exist: give a YAML file/,
  );
  expect((await run(['source', 'put', 'x', '--org', 'Acme'])).status).toBe(2);
});
