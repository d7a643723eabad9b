/** The WebSocket channel as the specification tells it, spoken by a client that knows nothing else. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ACCESS_TOKEN, makeToken } from '../../shared/login/token.ts';
import { reconcile } from '../../shared/reconcile/reconcile.ts';
import { placesOf } from '../../shared/sockets/places.ts';
import { type Client, connected, subscribed } from './client.ts';
import { type Opened, opened, THREE_STAGES } from './opened.ts';

let at: Opened;
const clients: Client[] = [];
beforeEach(async () => {
  at = await opened();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await at.close();
});

const MINUTE_MS = 60_000;

async function open(): Promise<Client> {
  const client = await connected(at.wsUrl);
  clients.push(client);
  return client;
}

async function authenticated(of?: string): Promise<Client> {
  const client = await open();
  client.send({ type: 'authenticate', token: await at.token(of) });
  expect(await client.next()).toEqual({ type: 'authenticated' });
  return client;
}

async function listening(more: object = {}): Promise<Client> {
  const client = await subscribed(at.wsUrl, await at.token(), more);
  clients.push(client);
  return client;
}

const places = async () => (await placesOf(at, at.organization)).length;
const error = (code: string) => ({ type: 'error', code, message: expect.any(String) });

describe('coming in', () => {
  it('acknowledges each step, and says nothing before the first', async () => {
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

  it('takes a token once, and no other credential', async () => {
    const token = await at.token();
    const user = await at.user();
    const access = await makeToken(at, ACCESS_TOKEN, user);
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

  it('lets exactly one of many connections in that come with one token at once', async () => {
    const token = await at.token();
    const all = await Promise.all(Array.from({ length: 20 }, open));
    for (const client of all) client.send({ type: 'authenticate', token });
    const answers = await Promise.all(all.map((client) => client.next()));
    expect(answers.filter(({ type }) => type === 'authenticated')).toHaveLength(1);
    expect(await places()).toBe(1);
  });

  it('sends away who has brought no token within ten seconds, and nobody else', async () => {
    const [stranger, wrong, known] = [await open(), await open(), await authenticated()];
    wrong.send({ type: 'authenticate', token: 'x' });
    expect(await wrong.next()).toEqual(error('UNAUTHORIZED'));
    at.clock.pass(9_000);
    await sleep(600);
    expect(stranger.messages).toEqual([]);
    at.clock.pass(1_000);
    for (const client of [stranger, wrong]) {
      expect(await client.next()).toEqual(error('UNAUTHORIZED'));
      await client.closed();
    }
    known.send({ type: 'ping' });
    expect(await known.next()).toEqual({ type: 'pong' });
  });

  it('refuses another path', async () => {
    await expect(connected(`${at.wsUrl}/elsewhere`)).rejects.toThrow('refused');
  });
});

describe('what is no message', () => {
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
    expect(await client.next()).toEqual(error('INVALID_MESSAGE'));
    client.send({ type: 'ping' });
    expect(await client.next()).toEqual({ type: 'pong' });
    expect(await places()).toBe(1);
  });

  it.each([
    ['a binary frame', new Uint8Array(10), 1_003],
    ['a frame of 1 MB', 'x'.repeat(1_048_576), 1_009],
    ['a binary frame of 1 MB', new Uint8Array(1_048_576), 1_009],
  ])('%s is told and ends the connection, as at the gateway', async (_, data, code) => {
    const client = await authenticated();
    client.sendRaw(data);
    expect(await client.next()).toEqual(error('INVALID_MESSAGE'));
    expect(await client.closed()).toEqual({ code });
    await vi.waitFor(async () => expect(await places()).toBe(0));
  });

  it('answers a flood one by one', async () => {
    const client = await authenticated();
    for (let sent = 0; sent < 500; sent++) client.send({ type: 'ping' });
    await vi.waitFor(() => expect(client.messages).toHaveLength(501));
  });
});

describe('places', () => {
  it('has five for each organization, exactly, however many come at once', async () => {
    const tokens = await Promise.all(Array.from({ length: 200 }, () => at.token()));
    const all = await Promise.all(tokens.map(open));
    all.forEach((client, each) => void client.send({ type: 'authenticate', token: tokens[each] }));
    const answers = await Promise.all(all.map((client) => client.next()));
    const out = all.filter((_, each) => answers[each].type === 'error');
    expect(out).toHaveLength(195);
    expect(answers.filter(({ type }) => type === 'error')).toEqual(out.map(() => error('RATE_LIMIT_EXCEEDED')));
    await Promise.all(out.map((client) => client.closed()));
    expect(await places()).toBe(5);
    await authenticated(at.ids.uuid());
  });

  it('frees the place of whoever closes', async () => {
    const five = await Promise.all(Array.from({ length: 5 }, () => authenticated()));
    five[0]?.close();
    await vi.waitFor(async () => expect(await places()).toBe(4));
    await authenticated();
  });

  it('ends who is silent for ten minutes, and nobody who speaks or hears', async () => {
    const [silent, hearing, speaking] = [await authenticated(), await listening(), await authenticated()];
    for (let minutes = 0; minutes < 12; minutes += 4) {
      at.clock.pass(4 * MINUTE_MS);
      speaking.send({ type: 'ping' });
      const heard = hearing.messages.length;
      at.notify(at.organization, { level: 'info', message: 'Still here' });
      await vi.waitFor(() => expect(hearing.messages.length).toBeGreaterThan(heard));
      await speaking.next();
    }
    await silent.closed();
    await vi.waitFor(async () => expect(await places()).toBe(2));
  });

  it('tells before two hours that it ends, and ends then', async () => {
    const client = await authenticated();
    const quiet = { ...at, ...at.ports, sayEnding: at.connections.sayEnding };
    const keep = async (minutes: number) => {
      for (let passed = 0; passed < minutes; passed++) {
        at.clock.pass(MINUTE_MS);
        client.send({ type: 'ping' });
        await client.next();
        await reconcile(quiet);
      }
    };
    await keep(114);
    expect(client.messages.filter(({ type }) => type === 'connection_ending')).toEqual([]);
    at.clock.pass(MINUTE_MS);
    await reconcile(quiet);
    await reconcile(quiet);
    expect(await client.next()).toMatchObject({ type: 'connection_ending', ends_at: '2026-06-01T14:00:00.000Z' });
    await keep(4);
    at.clock.pass(MINUTE_MS);
    await client.closed();
    expect(client.messages.filter(({ type }) => type === 'connection_ending')).toHaveLength(1);
    expect(await places()).toBe(0);
  });
});

describe('tasks', () => {
  it('tells the start, the progress and the end of a task, in order, with what its metadata says', async () => {
    const client = await listening();
    const address = await at.submit({ metadata: { order: '7' } });
    await at.run(address);
    await client.first(({ type }) => type === 'task_completed');
    const told = client.messages.filter(({ type }) => type.startsWith('task_'));
    const common = {
      task_id: `task_${address.taskId}`,
      metadata: { order: '7' },
      timestamp: '2026-06-01T12:00:00.000Z',
    };
    expect(told.map(({ seq: _seq, ...message }) => message)).toEqual([
      { type: 'task_started', ...common },
      { type: 'task_progress', progress: 33, ...common },
      { type: 'task_progress', progress: 100, ...common },
      { type: 'task_completed', ...common },
    ]);
    const seqs = told.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  });

  it('tells why a task failed', async () => {
    const client = await listening();
    const address = await at.submit();
    const fails = async () => {
      throw new (await import('../../shared/tasks/failure.ts')).TaskFailure('MODEL_UNAVAILABLE', 'No model answers.');
    };
    await at.run(address, [...THREE_STAGES.slice(0, 1), { name: 'two', run: fails }]);
    const failed = await client.first(({ type }) => type === 'task_failed');
    expect(failed.error).toEqual({ code: 'MODEL_UNAVAILABLE', message: 'No model answers.' });
    expect(client.messages.filter(({ type }) => type === 'task_progress').length).toBeGreaterThan(0);
  });

  it('ends a cancelled task as failed', async () => {
    const client = await listening();
    const address = await at.submit();
    const { moveTask } = await import('../../shared/tasks/move-task.ts');
    await moveTask(at.ports, address, { type: 'cancel', force: false });
    const failed = await client.first(({ type }) => type === 'task_failed');
    expect(failed.error).toEqual({ code: 'TASK_CANCELLED', message: 'The task was cancelled.' });
    expect(client.messages.some(({ type }) => type === 'task_started')).toBe(false);
  });

  it('tells nobody of another organization, nor who asked for other channels', async () => {
    const other = await subscribed(at.wsUrl, await at.token(at.ids.uuid()));
    const deaf = await authenticated();
    deaf.send({ type: 'subscribe', channels: ['system_notifications'] });
    await deaf.first(({ type }) => type === 'subscribed');
    const client = await listening();
    clients.push(other);
    await at.run(await at.submit());
    await client.first(({ type }) => type === 'task_completed');
    at.notify(at.organization, { level: 'info', message: 'Hear' });
    expect(await deaf.first(({ type }) => type === 'system_notification')).toMatchObject({ message: 'Hear' });
    for (const { messages } of [other, deaf]) {
      expect(messages.filter(({ type }) => type.startsWith('task_'))).toEqual([]);
    }
  });

  it('sends no message over 32 KB, whatever the metadata', async () => {
    const client = await listening();
    const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, each) => [`${each}`, '\u0001'.repeat(512)]));
    await at.run(await at.submit({ metadata }));
    const completed = await client.first(({ type }) => type === 'task_completed');
    expect(completed).toMatchObject({ metadata: {}, metadata_omitted: true });
  });
});

describe('resuming', () => {
  it('repeats what happened since, each task in its order, and then says so', async () => {
    const before = await at.submit();
    await at.run(before);
    at.clock.pass(60_000);
    const since = new Date(at.clock.now()).toISOString();
    const [ended, begun, waiting] = [
      await at.submit({ metadata: { is: 'ended' } }),
      await at.submit(),
      await at.submit(),
    ];
    await at.run(ended);
    const gate = Promise.withResolvers<void>();
    const running = at.run(begun, [{ name: 'one', run: () => gate.promise.then(() => ({})) }]);
    await vi.waitFor(async () => expect(at.table.dueKeys('TASK').length).toBe(2));
    at.clock.pass(30_000);
    const client = await listening({ resume_from: { since } });
    await client.first(({ type }) => type === 'replay_complete');
    const told = client.messages.filter(({ type }) => type.startsWith('task_'));
    const of = ({ taskId }: { taskId: string }) =>
      told.filter(({ task_id }) => task_id === `task_${taskId}`).map(({ type, progress }) => [type, progress]);
    expect(of(ended)).toEqual([
      ['task_started', undefined],
      ['task_progress', 100],
      ['task_completed', undefined],
    ]);
    expect(of(begun)).toEqual([['task_started', undefined]]);
    expect([of(before), of(waiting)]).toEqual([[], []]);
    gate.resolve();
    await running;
    await client.first(({ type, task_id }) => type === 'task_completed' && task_id === `task_${begun.taskId}`);
  });

  it('says beyond a day that the client has to look for itself', async () => {
    const client = await listening({ resume_from: { since: '2026-05-31T11:59:59.000Z' } });
    expect(await client.first(({ type }) => type === 'resync_required')).toBeDefined();
    expect(client.messages.some(({ type }) => type === 'replay_complete')).toBe(false);
  });
});

describe('slow readers', () => {
  it('never slow a worker, and hear that they have to look for themselves', async () => {
    const { connect } = await import('node:net');
    const { port } = new URL(at.wsUrl);
    const slow = connect(Number(port), '127.0.0.1');
    slow.write(
      'GET /ws/tasks HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n' +
        'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    const say = (message: object) => {
      const text = Buffer.from(JSON.stringify(message));
      // A masked text frame, the mask all zeros.
      slow.write(Buffer.concat([Buffer.from([0x81, 0xfe, text.length >> 8, text.length & 255, 0, 0, 0, 0]), text]));
    };
    say({ type: 'authenticate', token: await at.token() });
    say({ type: 'subscribe', channels: ['task_updates'], more: 'x'.repeat(100) });
    const quick = await listening();
    await vi.waitFor(async () =>
      expect((await placesOf(at, at.organization)).filter(({ channels }) => channels.length > 0)).toHaveLength(2),
    );
    slow.pause();
    const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, each) => [`${each}`, 'x'.repeat(512)]));
    for (let tasks = 0; tasks < 400; tasks++) await at.run(await at.submit({ metadata }));
    await quick.first(() => quick.messages.filter(({ type }) => type === 'task_completed').length === 400);
    let heard = '';
    slow.on('data', (data: Buffer) => {
      heard = heard.slice(-20_000) + data.toString('latin1');
    });
    slow.resume();
    await vi.waitFor(() => expect(heard).toContain('resync_required'), { timeout: 10_000 });
    slow.destroy();
  });
});
