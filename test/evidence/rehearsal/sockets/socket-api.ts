/** A WebSocket API on a local port, at the path that the edge uses; events go to the functions of its routes. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Work } from '../lambda/fleet.ts';
import type { Outcome } from '../lambda/runtime.ts';
import { listen } from '../listen.ts';
import type { Request } from '../recorder/recording.ts';
import type { ApiRoute } from '../stack/callers.ts';

type Invoked = { name: string; invoke(event: unknown, work: Work): Promise<Outcome> };

export type SocketApi = {
  id: string;
  wsUrl: string;
  /** Must be filled in before the first connection opens. */
  routes: ApiRoute[];
  /** Executes a call to the gateway's connection API and returns its status. */
  reach(method: string, connection: string, message: string): number;
  stop(): void;
};

type Options = { id: string; functions: Map<string, Invoked>; answered(request: Request): void };
type Kind = 'CONNECT' | 'MESSAGE' | 'DISCONNECT';

const ROUTES: Record<Kind, string> = { CONNECT: '$connect', MESSAGE: '$default', DISCONNECT: '$disconnect' };
/** The gateway's limit. */
const MAX_BYTES = 131_072;
const BINARY = 1_003;
const GONE = 410;
const DONE = 200;

export async function openSocketApi({ id, functions, answered }: Options): Promise<SocketApi> {
  const open = new Map<string, WebSocket>();
  const upgrades = new WebSocketServer({ noServer: true, maxPayload: MAX_BYTES });
  const server = createServer((_, response) => response.writeHead(403).end());

  async function tell(kind: Kind, connection: { id: string; at: number }, body?: string): Promise<boolean> {
    const key = ROUTES[kind];
    const request = randomUUID();
    const called = functions.get(api.routes.find((route) => route.key === key)?.functionId ?? '');
    if (!called) throw new Error(`The rehearsal found no function for ${key}.`);
    const requestContext = {
      routeKey: key,
      eventType: kind,
      connectionId: connection.id,
      connectedAt: connection.at,
      requestTimeEpoch: Date.now(),
      requestId: request,
      extendedRequestId: request,
      messageDirection: 'IN',
      stage: 'live',
      apiId: id,
    };
    const event = { requestContext, ...(body === undefined ? {} : { body }), isBase64Encoded: false };
    const outcome = await called.invoke(event, { route: key, request });
    const status = 'error' in outcome ? 500 : ((outcome.result as { statusCode?: number })?.statusCode ?? 500);
    answered({ function: called.name, route: key, id: request, status });
    return status === DONE;
  }

  const failed = (error: unknown) => console.error('The WebSocket API failed:', error);

  server.on('upgrade', async (request, socket, head) => {
    const connection = { id: `${randomUUID().slice(0, 12)}=`, at: Date.now() };
    if (request.url !== '/ws/tasks' || !(await tell('CONNECT', connection).catch(() => false))) {
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
      return;
    }
    upgrades.handleUpgrade(request, socket, head, (peer) => {
      open.set(connection.id, peer);
      peer.on('error', () => undefined);
      // Messages are not queued: each is handled while earlier ones may still run.
      peer.on('message', (data, isBinary) =>
        isBinary ? peer.close(BINARY) : void tell('MESSAGE', connection, String(data)).catch(failed),
      );
      peer.on('close', () => {
        open.delete(connection.id);
        tell('DISCONNECT', connection).catch(failed);
      });
    });
  });

  const { url, stop } = await listen(server);
  const api: SocketApi = {
    id,
    wsUrl: url.replace('http', 'ws'),
    routes: [],
    reach(method, connection, message) {
      const peer = open.get(decodeURIComponent(connection));
      if (!peer) return GONE;
      if (method === 'POST') peer.send(message);
      if (method === 'DELETE') peer.close();
      return DONE;
    },
    stop() {
      for (const peer of open.values()) peer.terminate();
      stop();
    },
  };
  return api;
}
