/** The webhook receivers of a load: one that always accepts, one that fails first, and one that does not exist. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ReceivedWebhook, verifyWebhook } from '../../../client/src/index.ts';
import type { Ledger, Receiving } from './ledger.ts';

/** The failing receiver refuses every such event at first. */
const REFUSED_OF = 2;

/** One for each organization, at the path of its number, with its own secret. */
export async function startReceivers(secrets: readonly string[], ledger: Ledger) {
  const refused = new Set<string>();
  let turn = 0;

  async function take(request: IncomingMessage, response: ServerResponse, isStubborn: boolean): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const event = String(request.headers['webhook-id']);
    if (isStubborn && !refused.has(event) && turn++ % REFUSED_OF === 0) {
      refused.add(event);
      return void response.writeHead(503).end();
    }
    const received: ReceivedWebhook = { headers: request.headers, body };
    const secret = secrets[Number(request.url?.slice(1))] ?? '';
    const told = await verifyWebhook(received, { secret });
    await verifyWebhook(received, { secret, scheme: 'service' });
    if ('task_id' in told) ledger.told(told.task_id, event, told.data.status);
    else ledger.told(told.taskId, event, told.status);
    response.writeHead(204).end();
  }

  const openReceiver = async (isStubborn: boolean) => {
    const server = createServer((request, response) => {
      take(request, response, isStubborn).catch((error) => {
        ledger.broken.push(`a webhook was not one: ${error}`);
        response.writeHead(401).end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const [steady, stubborn, absent] = await Promise.all([openReceiver(false), openReceiver(true), openReceiver(false)]);
  const portOf = (server: Server): number => (server.address() as AddressInfo).port;
  const ports: Record<Receiving, number> = {
    steady: portOf(steady),
    stubborn: portOf(stubborn),
    absent: portOf(absent),
  };
  absent.close();
  return {
    endpointOf: (receiving: Receiving, organization: number): string =>
      `http://127.0.0.1:${ports[receiving]}/${organization}`,
    refused: (): number => refused.size,
    stop(): void {
      for (const server of [steady, stubborn]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}
