import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../client/src/index.ts';
import { webhookSignature } from '../../shared/webhooks/signing.ts';

const secretOf = (letter: string) => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`;
const [OLD, NEW, OTHER] = [secretOf('o'), secretOf('n'), secretOf('x')] as const;
const now = Date.parse('2026-11-21T06:36:22.419Z');
const event = { taskId: '01a1fc1f-d9ba-7057-a29e-7a55001b8ef0', status: 'success', text: 'Größe: 3 m²' };
const body = JSON.stringify(event);
const headers = webhookSignature.headers([OLD], { id: 'evt_1', at: now, body });

describe.each(['standard', 'service'] as const)('the scheme %s', (scheme) => {
  const verify = (o: object = {}, received: object = {}) =>
    verifyWebhook({ headers, body, ...received }, { secret: OLD, now, scheme, ...o });

  it('accepts our webhooks in every supported form of headers and body', async () => {
    expect(await verify()).toEqual(event);
    expect(await verify({}, { body: new TextEncoder().encode(body) })).toEqual(event);
    expect(await verify({}, { headers: new Headers(headers) })).toEqual(event);
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    expect(await verify({}, { headers: shouted })).toEqual(event);
  });

  it.each([
    ['another secret', { secret: OTHER }, {}],
    ['another body', {}, { body: body.replace('success', 'failure') }],
    ['JSON in another format', {}, { body: JSON.stringify(event, null, 1) }],
    ['no headers', {}, { headers: {} }],
    [
      'a signature cut short',
      {},
      { headers: { ...headers, 'webhook-signature': 'v1,', 'x-service-signature': 'sha256=' } },
    ],
    ['bad base64', {}, { headers: { ...headers, 'webhook-signature': 'v1,%%%', 'x-service-signature': '%%%' } }],
  ])('rejects %s', async (_, o, received) => {
    await expect(verify(o, received)).rejects.toMatchObject({ code: 'WEBHOOK_NOT_OURS' });
  });

  it('accepts both secrets while two are valid', async () => {
    const both = webhookSignature.headers([NEW, OLD], { id: 'evt_1', at: now, body });
    for (const secret of [OLD, NEW, [OTHER, NEW]]) expect(await verify({ secret }, { headers: both })).toEqual(event);
  });

  it.each(['', 'whsec_', 'secret', []])('requires a valid secret, not %j', async (secret) => {
    await expect(verify({ secret })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });
});

it.each([
  ['a secret that is not set', { secret: undefined }, {}, /variable/],
  ['a body that was parsed', {}, { body: event }, /express\.raw/],
  ['no headers', {}, { headers: undefined }, /option/],
])('says what to do about %s', async (_, o, received, remedy) => {
  const verified = verifyWebhook({ headers, body, ...received } as never, { secret: OLD, now, ...o } as never);
  await expect(verified).rejects.toMatchObject({ code: 'BAD_OPTION', remedy: expect.stringMatching(remedy) });
});

it('rejects timestamps that are too old or too new, unless the tolerance allows them', async () => {
  for (const away of [-301_000, 301_000]) {
    const late = verifyWebhook({ headers, body }, { secret: OLD, now: now + away });
    await expect(late).rejects.toMatchObject({ code: 'WEBHOOK_NOT_OURS' });
    expect(await verifyWebhook({ headers, body }, { secret: OLD, now: now + away, toleranceSeconds: 400 })).toEqual(
      event,
    );
  }
  const moved = { ...headers, 'webhook-timestamp': String(Math.floor(now / 1_000) + 1) };
  await expect(verifyWebhook({ headers: moved, body }, { secret: OLD, now })).rejects.toMatchObject({
    code: 'WEBHOOK_NOT_OURS',
  });
});

it('agrees with an independent signer', async () => {
  const at = new Date();
  const signature = new Webhook(OLD).sign('msg_1', at, body);
  const signed = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signature,
  };
  expect(await verifyWebhook({ headers: signed, body }, { secret: OLD })).toEqual(event);
});
