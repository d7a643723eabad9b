/** The unsubscribe link: its page, its effect, and what it never reveals. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agents } from '../../../functions/agents/api.ts';
import { dispatcher } from '../../../functions/http/dispatch.ts';
import { signToken } from '../../../shared/core/jwt.ts';
import { recipientMark } from '../../../shared/mail/recipient.ts';
import { listSuppressions } from '../../../shared/mail/suppressions.ts';
import { type OpenedMail, openMail, ROOT } from '../../agents/notification/setup.ts';
import { openApi } from '../../functions/agents/setup.ts';

let at: OpenedMail;
let api: ReturnType<typeof openApi>;
beforeEach(async () => {
  at = await openMail();
  api = openApi();
});
afterEach(() => {
  at.close();
  api.close();
});

const ANN = 'ann@readers.org';

type Sent = { type?: string; body?: string; method?: string; headers?: Record<string, string> };

/** A request without any credential, as browsers and mail programs send it. */
async function ask(path: string, { type, body = '', method = 'GET', headers = {} }: Sent = {}) {
  const organization = { id: at.organization, name: 'Acme <b>&</b> Co', createdAt: 0, models: [], limits: {} };
  const context = {
    ...api.context,
    table: at.table,
    clock: at.clock,
    secrets: at.secrets,
    organizationOf: async (id: string) => (id === at.organization ? organization : undefined),
  };
  return dispatcher(
    agents,
    context,
  )({
    method,
    path,
    query: new URLSearchParams(),
    headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
    body: Buffer.from(body),
    sourceAddress: '192.0.2.1',
    hosts: [],
  });
}

/** The path in the mail that Ann got. */
async function linkOf(): Promise<string> {
  await at.run({ content: { recipients: [ANN] } });
  const [mail] = await at.mails();
  const header = mail?.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
  return header.slice(1 + ROOT.length, -1);
}
const suppressions = () => listSuppressions(at.table, at.organization, 10);
const FORM = 'application/x-www-form-urlencoded';
const ONE_CLICK = { method: 'POST', type: FORM, body: 'List-Unsubscribe=One-Click' };

it('asks for confirmation on GET, and changes nothing', async () => {
  const path = await linkOf();
  expect(path).toMatch(/^\/unsubscribe\/[\w.-]+$/);
  for (let times = 0; times < 2; times++) {
    const { status, headers, body } = await ask(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(body).toContain('<form method="post">');
    expect(body).toContain('a…@readers.org');
    expect(body).toContain('Acme &lt;b&gt;&amp;&lt;/b&gt; Co');
    expect(body).toContain('<html lang="en">');
    expect(body).not.toMatch(/<script|<img|<link|https?:/);
    expect(body).not.toContain(ANN);
  }
  expect(await suppressions()).toEqual([]);
});

it.each([
  ONE_CLICK,
  { method: 'POST', type: 'multipart/form-data; boundary=b', body: '--b\r\n\r\n--b--' },
  { method: 'POST' },
  { ...ONE_CLICK, headers: { 'idempotency-key': 'x'.repeat(300) } },
])('unsubscribes with one POST: %j', async (sent) => {
  const path = await linkOf();
  const { status, body } = await ask(path, sent);
  expect([status, body.includes('You are unsubscribed')]).toEqual([200, true]);
  expect(await suppressions()).toMatchObject([{ by: 'unsubscribed', hint: 'a…@readers.org' }]);
  expect((await ask(path, sent)).status).toBe(200);
  expect(await suppressions()).toHaveLength(1);
  expect((await ask(path)).body).not.toContain('<form');
  const { report } = await at.run({ content: { recipients: [ANN] } }, { run: { number: 2, slotAt: 2 } });
  expect(report?.results).toMatchObject({ recipients: [{ status: 'suppressed', reason: 'unsubscribed' }] });
});

it('has a link without the address or any other readable data', async () => {
  const path = await linkOf();
  const parts = path.slice('/unsubscribe/'.length).split('.');
  const readable = parts.map((part) => Buffer.from(part, 'base64url').toString()).join(' ');
  expect(readable).not.toContain('ann');
  expect(readable).toContain(recipientMark(at.organization, ANN));
});

it('answers every invalid link with the same page', async () => {
  const path = await linkOf();
  const token = path.slice('/unsubscribe/'.length);
  const kind = { type: 'unsubscribe+jwt', purpose: 'unsubscribe-token' };
  const claims = { org: at.organization, to: recipientMark(at.organization, ANN), hint: 'a' };
  const signChanged = (changed: object, as = kind) => signToken(at.secrets, as, { ...claims, ...changed });
  const [head, , signature] = token.split('.');
  const links = [
    'x',
    '..%2F..',
    '%ff',
    token.slice(0, -2),
    `${token}A`,
    `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`,
    await signChanged({}, { ...kind, type: 'at+jwt' }),
    await signChanged({}, { ...kind, purpose: 'access-token' }),
    await signChanged({ org: api.ids.uuid() }),
    await signChanged({ org: '../O' }),
    await signChanged({ to: 'short' }),
    await signChanged({ more: 1 }),
    'y'.repeat(5_000),
    '<script>',
  ];
  const id = { 'x-request-id': 'same' };
  const first = await ask('/unsubscribe/nothing', { headers: id });
  expect(first.status).toBe(404);
  for (const link of links) {
    expect(await ask(`/unsubscribe/${link}`, { headers: id }), link).toEqual(first);
    expect((await ask(`/unsubscribe/${link}`, { ...ONE_CLICK, headers: id })).body, link).toBe(first.body);
  }
  expect(await suppressions()).toEqual([]);
});

it('accepts forms only on this route', async () => {
  const login = await ask('/api/v1/websocket-auth', { method: 'POST', type: FORM, body: 'a=b', headers: {} });
  expect([401, 415]).toContain(login.status);
  const text = await ask(await linkOf(), { method: 'POST', type: 'text/plain', body: 'a' });
  expect(text.status).toBe(415);
});
