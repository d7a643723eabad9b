/** Sends one request repeatedly on keep-alive connections, cheaply enough not to distort the measurement. */
import { connect, type Socket } from 'node:net';

const CONNECTIONS = 16;
export const HEAD_END = '\r\n\r\n';

export type Load = { port: number; path: string; headers?: Record<string, string>; amount: number };

export async function sendAll({ port, path, headers = {}, amount }: Load): Promise<void> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}\r\n`);
  let left = amount;
  const next = () => (left-- > 0 ? request : undefined);
  await Promise.all(Array.from({ length: CONNECTIONS }, () => converse(connect(port, '127.0.0.1'), next)));
}

/** Keeps one request in flight on the connection. */
function converse(socket: Socket, next: () => Buffer | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    const ask = () => {
      const request = next();
      if (request) socket.write(request);
      else socket.end();
    };
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('connect', ask);
    socket.on('data', (text) => {
      received += text;
      const end = endOf(received);
      if (end === undefined || received.length < end) return;
      if (!received.startsWith('HTTP/1.1 200')) socket.destroy(new Error(received.slice(0, 300)));
      received = received.slice(end);
      ask();
    });
    socket.on('close', resolve);
    socket.on('error', reject);
  });
}

export function endOf(received: string): number | undefined {
  const head = received.indexOf(HEAD_END);
  if (head < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, head))?.[1];
  return head + HEAD_END.length + Number(length ?? 0);
}
