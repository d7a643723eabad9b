/** Gathers from a real TLS server on this machine with the test's pages. */
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach } from 'vitest';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import { fileFetcher } from '../../../engines/outbound/clients.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import type { FindBundledSource } from '../../../engines/sources/bundled-sources.ts';
import { gatherer } from '../../../engines/sources/gather.ts';
import { pageOpener } from '../../../engines/sources/open-page.ts';
import { createOrganization } from '../../../shared/accounts/create-organization.ts';
import { logger } from '../../../shared/core/log.ts';
import type { GatherRequest } from '../../../shared/sources/source-item.ts';
import { putSource } from '../../../shared/sources/stored-sources.ts';
import { useAccounts } from '../../shared/accounts/setup.ts';
import { authority } from '../outbound/certificates.ts';

const trusted = authority('The publishers');

type Page = string | Uint8Array | ((response: ServerResponse) => void);
type Seen = { path: string; headers: Record<string, unknown> };

/** One server for a test file; every test begins with no pages. */
export async function publish() {
  const pages = new Map<string, Page>();
  const seen: Seen[] = [];
  const server = createServer(trusted.issue({ for: ['127.0.0.1'] }), ({ url = '', headers }, response) => {
    seen.push({ path: url, headers });
    const page = pages.get(url);
    if (typeof page === 'function') page(response);
    else response.writeHead(page === undefined ? 404 : 200).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const documents = openDocuments(readerFilesFromCheckout());
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await documents.close();
  });
  afterEach(() => {
    pages.clear();
    seen.length = 0;
  });
  const state = useAccounts();
  const log = logger({ clock: { now: () => 0 }, write: () => undefined, minLevel: 'error' });
  const fetchFile = fileFetcher({ request: outbound(), log, allowSources: [origin], ca: trusted.cert });
  const waits: number[] = [];

  const gather = (bundled: FindBundledSource = async () => undefined) =>
    gatherer({ ...state(), documents, bundled, outbound: fetchFile, wait: async (ms) => void waits.push(ms) });

  /** Opens pages as the research agent does. The server of the test cannot listen on port 443. */
  const opener = ({ allowedOrigins = [origin] } = {}) =>
    pageOpener({
      ...state(),
      documents,
      outbound: fetchFile,
      allowedOrigins: new Set(allowedOrigins),
      wait: async (ms) => void waits.push(ms),
    });

  async function withSource(connectors: object[], name = 'own'): Promise<string> {
    const { organization } = await createOrganization(state(), { name: 'Acme', models: ['offline/extractive'] });
    await putSource(state(), organization.id, { name, value: { title: 'Own', connectors } });
    return organization.id;
  }

  return { origin, pages, seen, waits, state, gather, opener, withSource };
}

export const asking = (ask: Partial<GatherRequest> = {}): GatherRequest => ({
  queries: [],
  places: [],
  maxItems: 100,
  signal: new AbortController().signal,
  ownHosts: [],
  ...ask,
});
