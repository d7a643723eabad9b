/** One side of the WebSocket benchmark, in its own process: the product's WebSocket API, or a plain broadcast. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { moveTask } from '../../../../shared/tasks/transition.ts';
import { openSockets } from '../../../shared/realtime/setup.ts';
import { type Asked, type Ready, SUBSCRIBERS, type Written } from './subscribers.ts';

const now = (): number => performance.timeOrigin + performance.now();

type Update = (taskId: string) => Promise<void>;
type Server = Ready & { prepare(updates: number): Promise<string[]>; update: Update };

async function errand(): Promise<Server> {
  const at = await openSockets();
  at.limits.sockets = { most: SUBSCRIBERS };
  const user = await at.user();
  const tokens = await Promise.all(Array.from({ length: SUBSCRIBERS }, () => at.token(undefined, user)));
  return {
    url: at.wsUrl,
    tokens,
    async prepare(updates) {
      const addresses = await Promise.all(
        Array.from({ length: updates }, () => at.submit({ metadata: { order: '7' } })),
      );
      return addresses.map(({ taskId }) => taskId);
    },
    async update(taskId) {
      await moveTask(at.ports, { organization: at.organization, taskId }, { type: 'claim' });
    },
  };
}

async function broadcast(): Promise<Server> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('connection', (client) => client.on('message', () => client.send('{"type":"subscribed"}')));
  await once(server, 'listening');
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokens: Array.from({ length: SUBSCRIBERS }, () => ''),
    prepare: async (updates) => Array.from({ length: updates }, () => randomUUID()),
    async update(taskId) {
      const timestamp = new Date().toISOString();
      const message = { type: 'task_started', task_id: `task_${taskId}`, seq: 1, timestamp, metadata: { order: '7' } };
      const text = JSON.stringify(message);
      for (const client of server.clients) client.send(text);
    },
  };
}

/** As many as workers run concurrently. */
const AT_ONCE = 50;

async function carryOut(server: Server, { updates, gapMs }: Asked): Promise<Written> {
  const ids = await server.prepare(updates);
  const written: Written = [];
  const update = async (taskId: string) => {
    await server.update(taskId);
    written.push([taskId, now()]);
  };
  process.send?.('started');
  if (gapMs > 0) {
    for (const taskId of ids) await Promise.all([update(taskId), sleep(gapMs)]);
    return written;
  }
  const waiting = ids.values();
  const work = async () => {
    for (const taskId of waiting) await update(taskId);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return written;
}

const server = await (process.argv[2] === 'errand' ? errand() : broadcast());
process.on('message', (asked: Asked) => {
  void carryOut(server, asked).then((written) => process.send?.({ written }));
});
process.send?.({ url: server.url, tokens: server.tokens } satisfies Ready);
