/** Signatures: our own scheme and Standard Webhooks, against published test vectors and independent verifiers. */
import { spawnSync } from 'node:child_process';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, webhookSignature } from '../../../shared/webhooks/signing.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_c2VjcmV0IG9mIGFub3RoZXIgZGF5IGFuZCBhZ2U=';
const THIRD = 'whsec_YSB0aGlyZCBzZWNyZXQsIG9sZGVyIHRoYW4gYWxs';
const BODY = '{"test": 2432232314}';

const openssl = (key: string, text: string): string => {
  const args = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${Buffer.from(key, 'latin1').toString('hex')}`];
  const { stdout } = spawnSync('openssl', args, { input: text, encoding: 'utf8' });
  return stdout.trim().split('= ')[1] ?? '';
};

describe('the signature of Standard Webhooks', () => {
  it('is that of the published vector', () => {
    const signature = webhookSignature.standard(SECRET, {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      seconds: '1614265330',
      body: BODY,
    });
    expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('is verified by its own package, and by no other secret', () => {
    const body = '{"text":"Grüße, 世界 \\u0000"}';
    const headers = webhookSignature.headers([SECRET], { id: 'evt_1', at: Date.now(), body });
    expect(new Webhook(SECRET).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(OTHER).verify(body, headers)).toThrow(/signature/i);
    expect(() => new Webhook(SECRET).verify(`${body} `, headers)).toThrow(/signature/i);
    expect(() => new Webhook(SECRET).verify(body, { ...headers, 'webhook-id': 'evt_2' })).toThrow(/signature/i);
  });

  it('contains the time of the attempt, and is not accepted much later', () => {
    const at = Date.now() - 301_000;
    const headers = webhookSignature.headers([SECRET], { id: 'evt_1', at, body: BODY });
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(at / 1_000)));
    expect(() => new Webhook(SECRET).verify(BODY, headers)).toThrow(/old/);
  });
});

describe('our own signature', () => {
  it('is the HMAC that OpenSSL computes of the body with the text of the secret as its key', () => {
    const body = '{"text":"Grüße, 世界"}';
    expect(webhookSignature.service(SECRET, body)).toBe(`sha256=${openssl(SECRET, body)}`);
    expect(webhookSignature.service(SECRET, body)).toMatch(/^sha256=[0-9a-f]{64}$/);
  });

  it('is that of RFC 4231, test case 2', () => {
    expect(webhookSignature.service('Jefe', 'what do ya want for nothing?')).toBe(
      'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });
});

describe('while two secrets are valid', () => {
  const at = Date.now();
  const headers = webhookSignature.headers([SECRET, OTHER], { id: 'evt_1', at, body: BODY });

  it('verifies by Standard Webhooks with either secret', () => {
    for (const secret of [SECRET, OTHER]) expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    expect(() => new Webhook(THIRD).verify(BODY, headers)).toThrow();
  });

  it('our own signature stays on the old one, and the new one has a header of its own', () => {
    expect(headers['x-service-signature']).toBe(webhookSignature.service(OTHER, BODY));
    expect(headers['x-service-signature-next']).toBe(webhookSignature.service(SECRET, BODY));
  });

  it('our own signature stays on the oldest secret that is still valid after two rotations', () => {
    const three = webhookSignature.headers([SECRET, OTHER, THIRD], { id: 'evt_1', at, body: BODY });
    expect(three['x-service-signature']).toBe(webhookSignature.service(THIRD, BODY));
    expect(three['x-service-signature-next']).toBe(webhookSignature.service(SECRET, BODY));
    expect(three['webhook-signature']?.split(' ')).toHaveLength(3);
  });

  it('a single secret adds no second header', () => {
    expect(webhookSignature.headers([SECRET], { id: 'evt_1', at, body: BODY })).not.toHaveProperty(
      'x-service-signature-next',
    );
  });
});

describe('the receiver of the command line', () => {
  const now = Date.now();
  const headers = webhookSignature.headers([SECRET, OTHER], { id: 'evt_1', at: now, body: BODY });
  const verifyAt = (secrets: string[], changed: object = {}, body = BODY) =>
    verifyWebhook(secrets, { headers: { ...headers, ...changed }, body, now });

  it('reports which signatures are valid', () => {
    expect(verifyAt([SECRET])).toEqual(['webhook-signature', 'x-service-signature-next']);
    expect(verifyAt([OTHER])).toEqual(['webhook-signature', 'x-service-signature']);
    expect(verifyAt(['whsec_nonsense', OTHER])).toEqual(['webhook-signature', 'x-service-signature']);
  });

  it('accepts no other body, no other secret and no missing secret', () => {
    expect(verifyAt([SECRET], {}, `${BODY} `)).toEqual([]);
    expect(verifyAt([THIRD])).toEqual([]);
    expect(verifyAt([''])).toEqual([]);
    expect(verifyAt([])).toEqual([]);
    expect(verifyWebhook([SECRET], { headers: {}, body: BODY, now })).toEqual([]);
  });

  it('accepts the standard signature for five minutes', () => {
    const old = webhookSignature.headers([SECRET], { id: 'evt_1', at: now - 301_000, body: BODY });
    expect(verifyWebhook([SECRET], { headers: old, body: BODY, now })).toEqual(['x-service-signature']);
    expect(verifyAt([SECRET], { 'webhook-timestamp': 'soon' })).toEqual(['x-service-signature-next']);
  });
});
