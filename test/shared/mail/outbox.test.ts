/** The outbox pages of the local product: their content, and that mails can run nothing. */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { outbox } from '../../../adapters/local/mail-outbox.ts';
import { gatheringOf, item, type OpenedMail, openMail, rates } from '../../agents/notification/setup.ts';

let at: OpenedMail;
let server: Server;
let root: string;
beforeEach(async () => {
  const bad = item({ title: '<script>alert(1)</script>', text: '</iframe><img src=x onerror=alert(1)>' });
  at = await openMail({
    sources: { news_feeds: gatheringOf([bad]), market_data: gatheringOf(rates(), { source: 'market_data' }) },
  });
  server = createServer((request, response) => void outbox(at.outbox)(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.close();
  at.close();
});

const read = async (path: string, init?: RequestInit) => {
  const answer = await fetch(root + path, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};
const send = () =>
  at.run({
    notification_type: '<i>x</i> report',
    content: { recipients: ['ann@readers.org'], data_sources: ['news_feeds', 'market_data'], include_charts: true },
  });

it('is empty at first', async () => {
  expect((await read('/mail/')).text).toContain('No e-mails yet');
});

it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('does not accept %s', async (method) => {
  const { status, headers } = await read('/mail/', { method });
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

it('answers HEAD like GET, without the body', async () => {
  expect(await read('/mail/', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
});

it('lists mails, the newest first, with a link to each', async () => {
  await send();
  at.clock.pass(60_000);
  await at.run({ content: { recipients: ['bob@readers.org'], subject: 'Later' } }, { run: { number: 2, slotAt: 2 } });
  const { text, headers } = await read('/mail/');
  expect([...text.matchAll(/to (\w+)@readers/g)].map(([, name]) => name)).toEqual(['bob', 'ann']);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  for (const [, path = ''] of text.matchAll(/href="([^"]+)"/g)) expect((await read(path)).status).toBe(200);
});

it('shows each part of a mail: headers, plain text, HTML in a sandboxed frame, pictures', async () => {
  await send();
  const [name = ''] = at.files();
  const page = await read(`/mail/${name}`);
  expect(page.text).toContain(
    `<iframe title="The mail as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox" src="/mail/${name}/html">`,
  );
  expect(page.text).toContain('List-Unsubscribe=One-Click');
  expect(page.text).toContain('data:image/png;base64,');
  expect(page.text).not.toMatch(/<script|<i>x|<img src=x/);
  const shown = await read(`/mail/${name}/html`);
  expect(shown.headers.get('content-security-policy')).toMatch(
    /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/,
  );
  expect(shown.text).toContain('src="data:image/png;base64,');
  expect(shown.text).not.toContain('cid:');
  expect(shown.text).not.toMatch(/<script/);
  const raw = await read(`/mail/${name}/raw`);
  expect(raw.headers.get('content-disposition')).toContain('attachment');
  expect(raw.text).toBe(String(at.raws()[0]));
});

it('renders a hostile mail harmless', async () => {
  await send();
  const [name = ''] = at.files();
  const hostile = [
    'Subject: <script>alert(1)</script>',
    'From: x@y.org',
    'Content-Type: text/html',
    '',
    '<script>alert(1)</script><meta http-equiv=refresh content="0;url=https://x.org"><form action=https://x.org>',
  ];
  writeFileSync(join(at.outbox, name), hostile.join('\r\n'));
  expect((await read('/mail/')).text).not.toContain('<script');
  expect((await read(`/mail/${name}`)).text).not.toContain('<script');
  const policy = (await read(`/mail/${name}/html`)).headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/sandbox/);
  expect(policy).not.toMatch(/allow-(scripts|forms|same-origin|top)/);
  expect(policy).toMatch(/form-action 'none'/);
});

it.each(['..%2F..%2Fmaster.json', '../master.json', 'x.eml', '%00', `${'a'.repeat(300)}.eml`])(
  'opens only mails: %s',
  async (name) => {
    await send();
    for (const part of ['', '/html', '/raw', '/other']) expect((await read(`/mail/${name}${part}`)).status).toBe(404);
  },
);

it('answers only under a host name of this machine', async () => {
  const { request } = await import('node:http');
  const status = await new Promise((resolve) => {
    const asked = request(`${root}/mail/`, { headers: { host: 'rebound.attacker.org' } }, ({ statusCode }) =>
      resolve(statusCode),
    );
    asked.end();
  });
  expect(status).toBe(403);
});
