/** A double of a search provider on 127.0.0.1, written from its public documentation; records requests. */

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { outbound } from '../../../../engines/outbound/request.ts';
import { operatorPolicy } from '../../../../engines/outbound/ssrf-policy.ts';
import { searchClient } from '../../../../engines/sources/web-search.ts';
import type { SearchPreset } from '../../../../shared/accounts/search-provider.ts';
import { setClock } from '../../../ports/clock.ts';

type Seen = {
  method: string;
  path: string;
  parameters: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: unknown;
};
type Answer = { status?: number; headers?: Record<string, string>; body?: unknown };

/** Answers the requests in turn, the last answer also to all that follow. */
export async function providerOf(
  preset: SearchPreset,
  answers: Answer[],
  key = preset === 'searxng' ? undefined : 'secret-key',
) {
  const seen: Seen[] = [];
  const waits: number[] = [];
  const clock = setClock();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://provider');
    const sent = await text(request);
    const { method = '', headers } = request;
    seen.push({
      method,
      path: url.pathname,
      parameters: Object.fromEntries(url.searchParams),
      headers,
      body: sent && JSON.parse(sent),
    });
    const { status = 200, headers: own = {}, body = {} } = answers[Math.min(seen.length, answers.length) - 1] ?? {};
    response.writeHead(status, { 'content-type': 'application/json', ...own });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const connect = searchClient({
    request: outbound(),
    clock,
    wait: async (ms) => {
      waits.push(ms);
      clock.pass(ms);
    },
  });
  const policy = operatorPolicy({ origins: [url] });
  const connectAs = (organization: string, own = key) =>
    connect({ organization, preset, url, policy, ...(own ? { key: own } : {}) });
  return { connector: connectAs('one'), connectAs, seen, waits, clock, url };
}

export const live = (): AbortSignal => new AbortController().signal;
