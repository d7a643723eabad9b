/** Each WebSocket implementation is accepted by the types, and works with the service. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import Ws, { WebSocketServer } from 'ws';
import { agents, type WebSocketMaker } from '../../client/src/index.ts';
import { answering, json } from './server.ts';

const KINDS: Record<string, WebSocketMaker> = {
  'of the package ws': Ws,
  "of the platform's own": globalThis.WebSocket,
};

it.each(Object.entries(KINDS))('watches over a WebSocket %s', async (_, WebSocket) => {
  await using server = await answering([
    json(200, { websocket_token: 'e30.e30.e30' }),
    json(200, { task_id: 'a', status: 'pending', progress: { percentage: 0 }, started_at: null, metadata: {} }),
  ]);
  const channel = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(channel, 'listening');
  const end = { type: 'task_completed', task_id: 'a', seq: 3, timestamp: '2026-11-22T12:00:00.000Z', metadata: {} };
  const answers: Record<string, object[]> = {
    authenticate: [{ type: 'authenticated' }],
    subscribe: [{ type: 'subscribed' }, end],
  };
  channel.on('connection', (socket) => {
    socket.on('message', (text) => {
      for (const answer of answers[JSON.parse(String(text)).type] ?? []) socket.send(JSON.stringify(answer));
    });
  });
  const wsUrl = `ws://127.0.0.1:${(channel.address() as AddressInfo).port}`;
  const people = agents({ rootUrl: server.url, wsUrl, accessToken: 'token', WebSocket });
  const news = [];
  for await (const each of people.watch({ taskIds: ['a'] })) news.push(each);
  expect(news).toEqual([end]);
  channel.close();
});
