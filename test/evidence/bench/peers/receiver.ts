/** Receives the webhooks of a load, verifies both signatures of each, and records when it arrived. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '../../../../shared/webhooks/signing.ts';

export type SignedReceiver = {
  /** The sides append `/` and the number of an organization. */
  endpoint: string;
  /** Sets the secrets of the next webhooks, by the number of the organization. */
  trust(secrets: string[]): void;
  /** Resolves to the time at which the webhook of a task arrived. */
  taken(taskId: string): Promise<number>;
  stop(): void;
};

export async function startSignedReceiver(): Promise<SignedReceiver> {
  const tasks = new Map<string, PromiseWithResolvers<number>>();
  let trusted: string[] = [];
  const arrival = (taskId: string): PromiseWithResolvers<number> => {
    const known = tasks.get(taskId) ?? Promise.withResolvers<number>();
    tasks.set(taskId, known);
    return known;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const at = performance.now();
      response.writeHead(204).end();
      const body = Buffer.concat(chunks).toString();
      const { taskId } = JSON.parse(body) as { taskId: string };
      const of = arrival(taskId);
      const faults = faultOf(request, body, trusted);
      if (faults === undefined) of.resolve(at);
      else of.reject(new Error(`The webhook of ${taskId} ${faults}.`));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/of`,
    trust(secrets) {
      trusted = secrets;
      tasks.clear();
    },
    taken: (taskId) => arrival(taskId).promise,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const SCHEMES = 2;

function faultOf({ url = '', headers }: IncomingMessage, body: string, trusted: string[]): string | undefined {
  const secret = trusted[Number(url.slice(url.lastIndexOf('/') + 1))];
  if (secret === undefined) return 'came to an unknown organization';
  const held = verifyWebhook([secret], { headers, body, now: Date.now() });
  if (held.length < SCHEMES) return `bears ${held.length} good signatures`;
  const { status, output } = JSON.parse(body) as { status?: string; output?: { text?: string } };
  return status === 'success' && output?.text ? undefined : `tells of ${status}`;
}
