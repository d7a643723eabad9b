/** The WebSocket channel of the target, from a login to the end of a task. */
import { afterEach, expect, it, vi } from 'vitest';
import { type Client, connect, type Message, subscribe } from '../../shared/realtime/client.ts';
import { call, target } from './call.ts';

vi.setConfig({ testTimeout: 60_000 });

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) {
    client.close();
    await client.closed();
  }
});

async function token(): Promise<string> {
  const { body, status } = await call('agents', '/api/v1/websocket-auth', { as: 'sockets', method: 'POST' });
  expect([status, body.expires_in]).toEqual([200, 60]);
  return String(body.websocket_token);
}

async function open(): Promise<Client> {
  const client = await connect(target.agentsSocket);
  clients.push(client);
  return client;
}

async function listening(more: object = {}): Promise<Client> {
  const client = await subscribe(target.agentsSocket, await token(), more);
  clients.push(client);
  return client;
}

async function submitResearch(): Promise<string> {
  const json = { task_type: 'research_agent', input: { query: 'How high is the tide?' }, metadata: { order: '7' } };
  const { body, status } = await call('agents', '/api/v1/tasks', { as: 'sockets', json });
  expect(status).toBe(202);
  return String(body.task_id);
}

const messagesAbout = (client: Client, id: string): Message[] =>
  client.messages.filter(({ task_id }) => task_id === id);
const isEnd = (id: string) => (message: Message) => message.task_id === id && message.type === 'task_completed';

it('sends the updates of a task in order, and repeats missed ones after a reconnect', async () => {
  const client = await listening();
  const id = await submitResearch();
  await client.first(isEnd(id));
  const types = messagesAbout(client, id).map(({ type }) => type);
  expect([types[0], types.at(-2), types.at(-1)]).toEqual(['task_started', 'task_progress', 'task_completed']);
  expect(messagesAbout(client, id)[0].metadata).toEqual({ order: '7' });
  const since = messagesAbout(client, id)[0].timestamp;
  client.close();

  const missed = await submitResearch();
  await vi.waitFor(
    async () => {
      const { body } = await call('agents', `/api/v1/tasks/${missed}`, { as: 'sockets' });
      expect(body.status).toBe('completed');
    },
    { timeout: 30_000, interval: 1_000 },
  );
  const again = await listening({ resume_from: { since } });
  await again.first(({ type }) => type === 'replay_complete');
  expect(messagesAbout(again, missed).map(({ type }) => type)).toEqual([
    'task_started',
    'task_progress',
    'task_completed',
  ]);
  expect(messagesAbout(again, id).at(-1)).toEqual(messagesAbout(client, id).at(-1));
});

it('sends the events of a research on their own channel, as the events route lists them', async () => {
  const [others, client] = [await listening(), await listening({ channels: ['task_updates', 'task_events'] })];
  const id = await submitResearch();
  await Promise.all([others.first(isEnd(id)), client.first(isEnd(id))]);
  const eventMessages = () => client.messages.filter(({ type, task_id }) => type === 'task_events' && task_id === id);
  const { body } = await call('agents', `/api/v1/tasks/${id}/events`, { as: 'sockets' });
  await vi.waitFor(() => expect(eventMessages().flatMap(({ events }) => events)).toEqual(body.events), 10_000);
  expect(eventMessages().length).toBeGreaterThan(0);
  expect(others.messages.map(({ type }) => type)).not.toContain('task_events');
});

it('warns once when most of a limit is used', async () => {
  const client = await listening();
  const json = { webhook_url: 'https://no-such-host.errand-webhooks.org/hook' };
  for (let sent = 0; sent < 8; sent++) await call('agents', '/api/v1/webhooks/test', { as: 'sockets', json });
  const warning = await client.first(({ type }) => type === 'system_notification');
  expect(warning).toMatchObject({ level: 'warning', message: expect.stringContaining('80 %') });
  expect(client.messages.filter(({ type }) => type === 'system_notification')).toHaveLength(1);
});

it('accepts authenticate and subscribe sent together', async () => {
  const client = await open();
  client.send({ type: 'authenticate', token: await token() });
  client.send({ type: 'subscribe', channels: ['task_updates'] });
  await client.first(({ type }) => type === 'subscribed');
  client.send({ type: 'ping' });
  await client.first(({ type }) => type === 'pong');
});

it('rejects an invalid token, and a token that was already used', async () => {
  const used = await token();
  const first = await open();
  first.send({ type: 'authenticate', token: used });
  await first.first(({ type }) => type === 'authenticated');
  for (const bad of [used, 'x']) {
    const client = await open();
    client.send({ type: 'authenticate', token: bad });
    expect(await client.next()).toMatchObject({ type: 'error', code: 'UNAUTHORIZED' });
  }
});

it('closes a connection that does not authenticate within ten seconds', async () => {
  const client = await open();
  const begun = Date.now();
  expect(await client.first(({ type }) => type === 'error', 20_000)).toMatchObject({ code: 'UNAUTHORIZED' });
  expect(Date.now() - begun).toBeGreaterThan(8_000);
  await client.closed();
});

it('allows five connections, and accepts another one when one of them closes', async () => {
  const five = await Promise.all(Array.from({ length: 5 }, open));
  for (const client of five) {
    client.send({ type: 'authenticate', token: await token() });
    await client.first(({ type }) => type === 'authenticated');
  }
  const sixth = await open();
  sixth.send({ type: 'authenticate', token: await token() });
  expect(await sixth.next()).toMatchObject({ type: 'error', code: 'RATE_LIMIT_EXCEEDED' });
  await sixth.closed();
  five[0]?.close();
  await vi.waitFor(
    async () => {
      const next = await open();
      next.send({ type: 'authenticate', token: await token() });
      expect(await next.next()).toEqual({ type: 'authenticated' });
    },
    { timeout: 10_000, interval: 500 },
  );
});
