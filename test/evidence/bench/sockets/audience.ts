/** A hundred subscribers of one side, and how long updates take to reach them. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { type Asked, type Ready, SUBSCRIBERS, type Written } from './subscribers.ts';

export type Audience = {
  /** Updates per second, each delivered to all subscribers. */
  rate(updates: number): Promise<number>;
  /** 99th percentile in milliseconds from the write to a client. */
  p99(updates: number): Promise<number>;
  stop(): void;
};

const now = (): number => performance.timeOrigin + performance.now();
const GAP_MS = 5;

export async function audienceOf(side: 'errand' | 'broadcast'): Promise<Audience> {
  const server = fork(join(import.meta.dirname, 'server.ts'), [side], { execArgv: [] });
  const [{ url, tokens }] = (await once(server, 'message')) as [Ready];
  let heard = (_text: string): void => undefined;
  const clients = await Promise.all(tokens.map((token) => subscriber(url, token, (text) => heard(text))));

  /** Resolves when all subscribers have received all updates. */
  async function play(asked: Asked, each: (text: string) => void): Promise<{ ms: number; written: Written }> {
    let left = asked.updates * SUBSCRIBERS;
    const all = Promise.withResolvers<void>();
    heard = (text) => {
      if (!text.includes('task_started')) return;
      each(text);
      left--;
      if (left === 0) all.resolve();
    };
    const started = answerOf(server, (message) => message === 'started');
    const written = answerOf(server, (message) => typeof message === 'object');
    server.send(asked);
    await started;
    const from = performance.now();
    await all.promise;
    return { ms: performance.now() - from, ...((await written) as { written: Written }) };
  }

  return {
    async rate(updates) {
      const { ms } = await play({ updates, gapMs: 0 }, () => undefined);
      return (updates * 1_000) / ms;
    },
    async p99(updates) {
      const arrivals: [taskId: string, at: number][] = [];
      const { written } = await play({ updates, gapMs: GAP_MS }, (text) => {
        arrivals.push([/task_([0-9a-f-]{36})/.exec(text)?.[1] ?? '', now()]);
      });
      const writtenAt = new Map(written);
      const times = arrivals.map(([taskId, at]) => at - (writtenAt.get(taskId) ?? Number.NaN)).sort((a, b) => a - b);
      return times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
    },
    stop() {
      for (const client of clients) client.terminate();
      server.kill();
    },
  };
}

async function subscriber(url: string, token: string, heard: (text: string) => void): Promise<WebSocket> {
  const client = new WebSocket(`${url}/ws/tasks`, { perMessageDeflate: false });
  const ready = Promise.withResolvers<void>();
  client.on('message', (data) => {
    const text = String(data);
    if (text.includes('"subscribed"')) ready.resolve();
    heard(text);
  });
  await once(client, 'open');
  client.send(JSON.stringify({ type: 'authenticate', token }));
  client.send(JSON.stringify({ type: 'subscribe', channels: ['task_updates'] }));
  await ready.promise;
  return client;
}

async function answerOf(server: ChildProcess, fits: (message: unknown) => boolean): Promise<unknown> {
  for (;;) {
    const [message] = await once(server, 'message');
    if (fits(message)) return message;
  }
}
