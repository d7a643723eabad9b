/** Serves the frozen web over TLS, and a search engine in the form of SearXNG that knows titles and beginnings only. */

import { once } from 'node:events';
import { createServer as createHttpServer, type Server, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import { fileFetcher } from '../../../engines/outbound/clients.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { operatorPolicy } from '../../../engines/outbound/ssrf-policy.ts';
import { pageOpener } from '../../../engines/sources/open-page.ts';
import { searchClient } from '../../../engines/sources/web-search.ts';
import { logger } from '../../../shared/core/log.ts';
import { systemClock } from '../../../shared/core/time.ts';
import { authority } from '../../engines/outbound/certificates.ts';
import { HOSTS } from './names.ts';
import { type FrozenPage, htmlOf, PAGES, pdfOf, ROBOTS } from './pages.ts';

const SLOW_MS = 300;
const SEARCHED_CHARACTERS = 200;
const HITS = 10;

/** The pages that were requested, in their order. */
type Seen = { pages: string[]; queries: string[] };

function answer(response: ServerResponse, page: FrozenPage, url: string): void {
  const html = () => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(htmlOf(page));
  if (page.delivery === 'redirected' && url !== page.finalUrl) {
    response.writeHead(301, { location: page.finalUrl }).end();
  } else if (page.delivery === 'consent') {
    response.writeHead(302, { location: `/consent?next=${encodeURIComponent(url)}` }).end();
  } else if (page.delivery === 'busy') response.writeHead(429, { 'retry-after': '3600' }).end();
  else if (page.delivery === 'pdf') response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdfOf(page));
  else if (page.delivery === 'slow') setTimeout(html, SLOW_MS);
  else html();
}

/** Ranks by words in the title and the first 200 characters. It knows no question. */
function searchIndex(pages: readonly FrozenPage[]) {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE VIRTUAL TABLE page USING fts5(url UNINDEXED, title, beginning)');
  const insert = database.prepare('INSERT INTO page VALUES (?, ?, ?)');
  for (const { url, title, lead } of pages) insert.run(url, title, lead.slice(0, SEARCHED_CHARACTERS));
  const select = database.prepare(
    'SELECT url, title, beginning AS content FROM page WHERE page MATCH ? ORDER BY rank LIMIT ? OFFSET ?',
  );
  return (query: string, page: number): object[] => {
    const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
    if (words.length === 0) return [];
    return select.all(words.map((word) => `"${word}"`).join(' OR '), HITS, HITS * (page - 1));
  };
}

const portOf = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

export async function frozenWeb(pages: readonly FrozenPage[] = PAGES, { isPausing = false } = {}) {
  const seen: Seen = { pages: [], queries: [] };
  const trusted = authority('The frozen web');
  const known = new Map(pages.flatMap((page) => [page.url, page.finalUrl].map((url) => [url, page] as const)));
  const web = createServer(trusted.issue({ for: HOSTS }), (request, response) => {
    const url = `https://${request.headers.host}${request.url}`;
    seen.pages.push(url);
    const page = known.get(url);
    if (request.url === '/robots.txt') response.end(ROBOTS);
    else if (page) answer(response, page, url);
    else response.writeHead(404).end();
  });
  const find = searchIndex(pages);
  const engine = createHttpServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://search');
    const query = searchParams.get('q') ?? '';
    seen.queries.push(query);
    const results = find(query, Number(searchParams.get('pageno') ?? '1'));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ query, results }));
  });
  const [webPort, searchPort] = [await portOf(web), await portOf(engine)];
  const searchUrl = `http://127.0.0.1:${searchPort}/`;

  // Every host of the frozen web is this machine, and its port 443 the server above. Nothing else can be reached.
  const request = outbound({
    resolve: async (host) => (HOSTS.includes(host) ? ['127.0.0.1'] : []),
    connect: async (_endpoint, signal) => {
      const socket = connect({ host: '127.0.0.1', port: webPort });
      await once(socket, 'connect', { signal });
      return socket;
    },
  });
  const log = logger({ clock: systemClock, write: () => undefined, minLevel: 'error' });
  const fetchPage = fileFetcher({
    request,
    log,
    allowSources: HOSTS.map((host) => `https://${host}`),
    ca: trusted.cert,
  });
  const documents = openDocuments(readerFilesFromCheckout());
  const openPage = pageOpener({
    clock: systemClock,
    outbound: fetchPage,
    documents,
    ...(isPausing ? {} : { wait: async () => undefined }),
  });
  const connector = searchClient({ request: outbound(), clock: systemClock })({
    organization: 'one',
    preset: 'searxng',
    url: searchUrl,
    policy: operatorPolicy({ origins: [searchUrl] }),
  });
  return {
    seen,
    searchUrl,
    connector,
    openPage,
    async close() {
      for (const server of [web, engine]) {
        server.closeAllConnections();
        server.close();
      }
      await documents.close();
    },
  };
}

export type FrozenWeb = Awaited<ReturnType<typeof frozenWeb>>;
