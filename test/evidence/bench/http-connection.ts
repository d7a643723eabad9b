/** A keep-alive connection with one request in flight, for loads that read the responses; as cheap as http-load.ts. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { endOf, HEAD_END } from './http-load.ts';

export type Reply = { status: number; body: string };
export type Connection = { ask(request: string): Promise<Reply>; close(): void };

const STATUS_AT = 'HTTP/1.1 '.length;

type Opened = { socket: Socket; ask(request: string): Promise<Reply> };

/** Reconnects when the server has closed the connection because it was idle. */
export async function openConnection(port: number): Promise<Connection> {
  let opened = await openSocket(port);
  return {
    async ask(request) {
      if (!opened.socket.writable) opened = await openSocket(port);
      return opened.ask(request);
    },
    close: () => opened.socket.destroy(),
  };
}

async function openSocket(port: number): Promise<Opened> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
  await once(socket, 'connect');
  let received = '';
  let waiting: { resolve(reply: Reply): void; reject(error: Error): void } | undefined;
  socket.on('data', (text) => {
    received += text;
    const end = endOf(received);
    if (end === undefined || received.length < end) return;
    const status = Number(received.slice(STATUS_AT, STATUS_AT + 3));
    const body = received.slice(received.indexOf(HEAD_END) + HEAD_END.length, end);
    received = received.slice(end);
    waiting?.resolve({ status, body });
  });
  const fail = (error: Error) => waiting?.reject(error);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('The server closed the connection.')));
  return {
    socket,
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
  };
}

export function requestOf(o: { port: number; method: string; path: string; key: string; json?: object }): string {
  const body = o.json === undefined ? '' : JSON.stringify(o.json);
  const head = [`${o.method} ${o.path} HTTP/1.1`, `host: 127.0.0.1:${o.port}`, `x-api-key: ${o.key}`];
  if (body !== '') head.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`);
  return `${head.join('\r\n')}${HEAD_END}${body}`;
}
