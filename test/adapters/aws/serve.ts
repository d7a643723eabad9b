/** A server on this machine that answers in place of AWS from a script and records the requests. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type AwsConnection, environmentConnection } from '../../../adapters/aws/connection.ts';

export type Answer = { status: number; body?: string; headers?: Record<string, string> };
export type Play = Answer | ((request: Seen, response: ServerResponse) => unknown);
export type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: string; port: number };

/** Answers in order; the last one repeats. */
export async function serve(...plays: Play[]) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const asked = await seenOf(request);
    const play = plays[Math.min(seen.length, plays.length - 1)] as Play;
    seen.push(asked);
    if (typeof play === 'function') play(asked, response);
    else response.writeHead(play.status, play.headers).end(play.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function seenOf(request: IncomingMessage): Promise<Seen> {
  const { method = '', url = '', headers, socket } = request;
  return { method, url, headers, body: await text(request), port: socket.remotePort ?? 0 };
}

export const cut: Play = (_, response) => response.destroy();
export const silent: Play = () => undefined;

/** Timeouts of a client for a server that is slow on purpose. */
export const IMPATIENT = { connectMs: 1_000, answerMs: 300 };

const KEY = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };

export const connectionTo = (address: string, more: Record<string, string> = {}): AwsConnection =>
  environmentConnection({ ...KEY, AWS_ENDPOINT_URL: address, ...more });
