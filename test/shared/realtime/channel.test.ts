/** The WebSocket channel, tested by a client written from the specification alone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ACCESS_TOKEN, issueToken } from '../../../shared/accounts/access-tokens.ts';
import { connect } from './client.ts';
import type { SocketSetup } from './setup.ts';
import { error, withClients } from './with-clients.ts';

const { at: opened, open, authenticated, places } = withClients();
let at: SocketSetup;
beforeEach(() => {
  at = opened();
});

describe('a new connection', () => {
  it('acknowledges each step, and sends nothing before the first', async () => {
    const client = await open();
    await sleep(50);
    expect(client.messages).toEqual([]);
    client.send({ type: 'authenticate', token: await at.token() });
    client.send({ type: 'subscribe', channels: ['task_updates', 'task_updates'] });
    client.send({ type: 'ping' });
    expect([await client.next(), await client.next(), await client.next()]).toEqual([
      { type: 'authenticated' },
      { type: 'subscribed', channels: ['task_updates'] },
      { type: 'pong' },
    ]);
  });

  it('replies to messages before that with pong or an error, and sends no update', async () => {
    const client = await open();
    client.send({ type: 'ping' });
    client.send({ type: 'subscribe', channels: ['task_updates'] });
    client.sendRaw('no JSON');
    expect([await client.next(), await client.next(), await client.next()]).toEqual([
      { type: 'pong' },
      error('UNAUTHORIZED'),
      error('INVALID_MESSAGE'),
    ]);
  });

  it('accepts a token once, and no other credential', async () => {
    const token = await at.token();
    const user = await at.user();
    const access = await issueToken(at, ACCESS_TOKEN, user);
    const first = await open();
    first.send({ type: 'authenticate', token });
    expect(await first.next()).toEqual({ type: 'authenticated' });
    for (const bad of [token, access, 'x', `${await at.token()}x`]) {
      const client = await open();
      client.send({ type: 'authenticate', token: bad });
      expect(await client.next(), bad).toEqual(error('UNAUTHORIZED'));
      client.send({ type: 'subscribe', channels: ['task_updates'] });
      expect(await client.next()).toEqual(error('UNAUTHORIZED'));
    }
    const late = await at.token();
    at.clock.pass(61_000);
    const client = await open();
    client.send({ type: 'authenticate', token: late });
    expect(await client.next()).toEqual(error('UNAUTHORIZED'));
  });

  it('lets in exactly one of many concurrent connections with the same token', async () => {
    const token = await at.token();
    const clients = await Promise.all(Array.from({ length: 20 }, open));
    for (const client of clients) client.send({ type: 'authenticate', token });
    const answers = await Promise.all(clients.map((client) => client.next()));
    expect(answers.filter(({ type }) => type === 'authenticated')).toHaveLength(1);
    expect(await places()).toBe(1);
  });

  it('closes only connections without a token after ten seconds', async () => {
    const [stranger, wrong, signedIn] = [await open(), await open(), await authenticated()];
    wrong.send({ type: 'authenticate', token: 'x' });
    expect(await wrong.next()).toEqual(error('UNAUTHORIZED'));
    at.clock.pass(9_000);
    await sleep(600);
    expect(stranger.messages).toEqual([]);
    at.clock.pass(1_000);
    for (const client of [stranger, wrong]) {
      expect(await client.next()).toEqual(error('UNAUTHORIZED'));
      expect(await client.closed()).toEqual({ code: 1_008, reason: 'UNAUTHORIZED' });
    }
    signedIn.send({ type: 'ping' });
    expect(await signedIn.next()).toEqual({ type: 'pong' });
  });

  it('refuses another path', async () => {
    await expect(connect(`${at.wsUrl}/elsewhere`)).rejects.toThrow('refused');
  });
});

describe('an invalid message', () => {
  it.each([
    'no JSON',
    '7',
    '[]',
    'null',
    '{}',
    '{"type":7}',
    '{"type":"shout"}',
    '{"type":"authenticate"}',
    '{"type":"authenticate","token":7}',
    JSON.stringify({ type: 'authenticate', token: 'x'.repeat(30_000) }),
    '{"type":"subscribe"}',
    '{"type":"subscribe","channels":"task_updates"}',
    '{"type":"subscribe","channels":[]}',
    '{"type":"subscribe","channels":[7]}',
    '{"type":"subscribe","channels":["gossip"]}',
    '{"type":"subscribe","channels":["__proto__"]}',
    JSON.stringify({ type: 'subscribe', channels: Array.from({ length: 1_000 }, () => 'task_updates') }),
    '{"type":"subscribe","channels":["task_updates"],"resume_from":"now"}',
    '{"type":"subscribe","channels":["task_updates"],"resume_from":{"since":"yesterday"}}',
    '{"type":"subscribe","channels":["task_updates"],"resume_from":{"since":"2026-99-99T12:00:00.000Z"}}',
    `${'['.repeat(10_000)}`,
    '\u0000',
  ])('%.60s', async (text) => {
    const client = await authenticated();
    client.sendRaw(text);
    const answer = await client.next();
    expect(answer).toEqual(error('INVALID_MESSAGE'));
    // With our message.
    expect(answer.message).not.toMatch(/Expected|Invalid|received/);
    client.send({ type: 'ping' });
    expect(await client.next()).toEqual({ type: 'pong' });
    expect(await places()).toBe(1);
  });

  it('reports unknown channels, and subscribes to the others', async () => {
    const client = await authenticated();
    client.send({ type: 'subscribe', channels: ['gossip', 'system_notifications', '__proto__'] });
    expect(await client.next()).toEqual({
      type: 'error',
      code: 'INVALID_MESSAGE',
      message:
        'Unknown channel "gossip", "__proto__"; the channels are task_updates, system_notifications, task_events.',
    });
    expect(await client.next()).toEqual({ type: 'subscribed', channels: ['system_notifications'] });
    at.notify(at.organization, { level: 'info', message: 'Hear' });
    expect(await client.next()).toMatchObject({ type: 'system_notification' });
  });

  it.each([
    ['a binary frame', new Uint8Array(10), 1_003],
    ['a frame of 128 KB', 'x'.repeat(131_072), 1_009],
    ['a binary frame of 128 KB', new Uint8Array(131_072), 1_009],
  ])('%s gets an error and closes the connection, as at the gateway', async (_, data, code) => {
    const client = await authenticated();
    client.sendRaw(data);
    expect(await client.next()).toEqual(error('INVALID_MESSAGE'));
    expect(await client.closed()).toEqual({ code, reason: 'INVALID_MESSAGE' });
    await vi.waitFor(async () => expect(await places()).toBe(0));
  });

  it.each([
    ['a frame of 1 MB', 'x'.repeat(1_048_576)],
    ['a binary frame of 1 MB', new Uint8Array(1_048_576)],
  ])('%s closes the connection before it is read', async (_, data) => {
    const client = await authenticated();
    client.sendRaw(data);
    expect(await client.closed()).toEqual({ code: 1_009, reason: '' });
    expect(client.messages).toEqual([{ type: 'authenticated' }]);
    await vi.waitFor(async () => expect(await places()).toBe(0));
  });

  it('answers many messages within the budget one by one', async () => {
    const client = await authenticated();
    for (let n = 0; n < 150; n++) client.send({ type: 'ping' });
    await vi.waitFor(() => expect(client.messages).toHaveLength(151));
  });
});
