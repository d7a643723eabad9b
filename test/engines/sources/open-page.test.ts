/** Opening the page of a search hit: robots.txt, redirects, and named paywalls and consent walls. */
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { publish } from './publish.ts';

const site = await publish();

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const article = (text: string, head = '') =>
  `<html><head><title>Port fees</title>${head}</head><body><article><h1>Port fees</h1><p>${text}</p></article></body></html>`;
const html =
  (page: string, status = 200) =>
  (response: ServerResponse) =>
    void response.writeHead(status, HTML).end(page);
const redirect = (to: string) => (response: ServerResponse) => void response.writeHead(302, { location: to }).end();
const LONG =
  'The port of Eastmere raises its fees by 6.5 per cent in March, the harbour master said on Monday. The fees had been the same for three years. Carriers expect that some of the cargo will go by rail, as the line to the north was opened in autumn. ';

const asking = (organization = 'one') => ({ organization, signal: new AbortController().signal, ownHosts: [] });
const open = (path: string) => site.opener()(site.origin + path, asking());

it('reads the main text of a page, without cookies, credentials or a referrer', async () => {
  site.pages.set('/a', html(article(LONG, '<meta property="article:published_time" content="2026-03-02T08:00:00Z">')));
  expect(await open('/a')).toMatchObject({
    url: `${site.origin}/a`,
    title: 'Port fees',
    text: expect.stringContaining('Eastmere'),
    publishedAt: '2026-03-02T08:00:00.000Z',
  });
  for (const { headers } of site.seen) {
    expect(headers['user-agent']).toBe('errand-research/1');
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['cookie']));
    for (const name of ['cookie', 'authorization', 'referer']) expect(headers).not.toHaveProperty(name);
  }
});

it('does not request a page that robots.txt forbids, also not by a redirect', async () => {
  site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /private\nAllow: /private/open$');
  site.pages.set('/private/a', html(article(LONG)));
  site.pages.set('/private/open', html(article(LONG)));
  site.pages.set('/there', redirect('/private/a'));
  const opener = site.opener();
  const refused = { refused: 'robots', explanation: 'may not be opened by programs (robots.txt)' };
  expect(await opener(`${site.origin}/private/a`, asking())).toEqual(refused);
  expect(await opener(`${site.origin}/there`, asking())).toEqual(refused);
  expect(await opener(`${site.origin}/private/open`, asking())).toHaveProperty('text');
  expect(site.seen.map(({ path }) => path)).toEqual(['/robots.txt', '/there', '/private/open']);
});

it('obeys the group of its own name instead of the general one', async () => {
  site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /\n\nUser-agent: Errand-Research\nDisallow: /*.cgi\n');
  site.pages.set('/a', html(article(LONG)));
  const opener = site.opener();
  expect(await opener(`${site.origin}/a`, asking())).toHaveProperty('text');
  expect(await opener(`${site.origin}/x/b.cgi?q=1`, asking())).toHaveProperty('refused', 'robots');
});

it('opens nothing on a host whose robots.txt fails', async () => {
  site.pages.set('/robots.txt', (response) => void response.writeHead(503).end());
  site.pages.set('/a', html(article(LONG)));
  expect(await open('/a')).toMatchObject({
    refused: 'unreachable',
    explanation: expect.stringContaining('robots.txt'),
  });
  expect(site.seen.map(({ path }) => path)).toEqual(['/robots.txt']);
});

it('follows redirects up to five, and names where they end', async () => {
  site.pages.set('/a', redirect('/b'));
  site.pages.set('/b', html(article(LONG)));
  site.pages.set('/round', redirect('/round'));
  site.pages.set('/own', redirect('https://169.254.169.254/latest'));
  site.pages.set('/plain', redirect('http://example.org/'));
  expect(await open('/a')).toHaveProperty('url', `${site.origin}/b`);
  expect(await open('/round')).toEqual({ refused: 'unreachable', explanation: 'is redirected too often' });
  expect(await open('/own')).toHaveProperty('refused', 'not_allowed');
  expect(await open('/plain')).toHaveProperty('refused', 'not_allowed');
});

it.each([
  ['gone', html('', 404)],
  ['gone', html('', 410)],
  ['login', html('', 401)],
  ['login', html('', 403)],
  ['paywall', html('', 402)],
  ['busy', html('', 429)],
  ['unreachable', html('', 500)],
  ['empty', html('')],
  ['empty', html(article('Soon.'))],
  ['login', redirect('/login?next=/a')],
  ['consent', redirect('/cookie-wall')],
  [
    'consent',
    html(article('Before you continue: we use cookies and similar means. Accept all cookies to go on reading.')),
  ],
  ['paywall', html(article('Fees rise in the ports of the coast. Subscribe to continue reading this article today.'))],
  [
    'paywall',
    html(
      article(
        'Fees rise in the ports of the coast, the harbour masters say.',
        '<script type="application/ld+json">{"isAccessibleForFree": "False"}</script>',
      ),
    ),
  ],
] as const)('refuses a page without an article, with the reason: %s (%#)', async (refused, page) => {
  site.pages.set('/a', page);
  expect(await open('/a')).toMatchObject({ refused, explanation: expect.any(String) });
});

it('takes a long article for an article, whatever it says of cookies', async () => {
  site.pages.set('/a', html(article(`${LONG.repeat(6)} We use cookies, says the port.`)));
  expect(await open('/a')).toHaveProperty('text');
});

it('does not read more than five megabytes', async () => {
  site.pages.set('/a', html(article('word '.repeat(1_100_000))));
  expect(await open('/a')).toEqual({ refused: 'unreadable', explanation: 'is too large to be read' });
});

it('keeps a page for the organization that opened it, and for no other', async () => {
  site.pages.set('/a', html(article(LONG)));
  const opener = site.opener();
  const first = await opener(`${site.origin}/a`, asking('one'));
  expect(await opener(`${site.origin}/a`, asking('one'))).toEqual({ ...first, isCached: true });
  expect(site.seen.filter(({ path }) => path === '/a')).toHaveLength(1);
  await opener(`${site.origin}/a`, asking('two'));
  expect(site.seen.map(({ path }) => path)).toEqual(['/robots.txt', '/a', '/a']);
});

it('requests one page of a host at a time', async () => {
  let [open, most] = [0, 0];
  const slow = (response: ServerResponse) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      response.writeHead(200, HTML).end(article(LONG));
    }, 50);
  };
  for (const path of ['/a', '/b', '/c']) site.pages.set(path, slow);
  const opener = site.opener();
  await Promise.all(['/a', '/b', '/c'].map((path) => opener(site.origin + path, asking())));
  expect(most).toBe(1);
  expect(site.waits.length).toBeGreaterThanOrEqual(2);
});

it('opens no page on another port than 443 if the operator did not name its origin', async () => {
  site.pages.set('/a', html(article(LONG)));
  const port = Number(new URL(site.origin).port);
  const others = ['https://127.0.0.1', `https://127.0.0.1:${port - 1}`, `https://localhost:${port}`];
  const opener = site.opener({ allowedOrigins: others });
  expect(await opener(`${site.origin}/a`, asking())).toHaveProperty('refused', 'not_allowed');
  expect(site.seen).toEqual([]);
});

it('follows no redirect from a named origin to another port', async () => {
  site.pages.set('/robots.txt', '');
  site.pages.set('/a', redirect(site.origin.replace('127.0.0.1', 'localhost')));
  site.pages.set('/b', redirect('https://8.8.8.8:8443/'));
  expect(await open('/a')).toHaveProperty('refused', 'not_allowed');
  expect(await open('/b')).toHaveProperty('refused', 'not_allowed');
  expect(site.seen.map(({ path }) => path)).toEqual(['/robots.txt', '/a', '/robots.txt', '/b']);
});

it('never opens a page of the product itself', async () => {
  const ask = { ...asking(), ownHosts: ['own.errand-tests.org'] };
  site.pages.set('/a', redirect('https://www.own.errand-tests.org/a'));
  expect(await site.opener()(`${site.origin}/a`, ask)).toHaveProperty('refused', 'not_allowed');
});

it('ends with the reason of its signal', async () => {
  const stop = new AbortController();
  site.pages.set('/a', () => stop.abort(new Error('cancelled')));
  await expect(site.opener()(`${site.origin}/a`, { ...asking(), signal: stop.signal })).rejects.toThrow('cancelled');
});
