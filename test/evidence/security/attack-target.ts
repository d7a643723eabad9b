/** Starts the local product with a simulated Internet, as the target of the attacks. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { openLocal } from '../../../adapters/local/context.ts';
import allocator from '../../../bin/allocator.json' with { type: 'json' };
import { freePort } from '../../functions/over-http/free-port.ts';
import { startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { Notes, Order } from './recorder.ts';
import { tenantsOver } from './tenants.ts';
import { playWorld } from './world.ts';

export type FaceName = 'files' | 'agents';
export type Sent = {
  method?: string;
  path: string;
  headers?: Record<string, string | string[]>;
  /** Sent as JSON. */
  json?: unknown;
  raw?: string | Uint8Array;
};
export type Reply = { status: number; headers: Record<string, unknown>; text: string; body: Record<string, unknown> };
export type Attacked = Awaited<ReturnType<typeof openAttacked>>;

const RECORDER = join(import.meta.dirname, 'recorder.ts');
const PATIENCE_MS = 40_000;

export async function openAttacked() {
  const folder = temporaryFolder();
  const state = join(folder.path, 'state');
  const world = await playWorld();
  const authority = join(folder.path, 'ca.pem');
  writeFileSync(authority, world.ca);
  const port = await freePort();
  const said: string[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });

  async function start(env: NodeJS.ProcessEnv = {}) {
    const started = await startLocalProduct(state, port, ['--source-ca', authority], {
      flags: ['--import', RECORDER],
      env: {
        NODE_EXTRA_CA_CERTS: authority,
        ERRAND_LOG_LEVEL: 'debug',
        ERRAND_UNAUTHORIZED_CALLS: '1000000000',
        // The product would set these by restarting itself, which would close its IPC channel to this process.
        ...allocator,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [started.process.stdout, started.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => said.push(text));
    }
    return started;
  }

  let product = await start();
  let orders = 0;

  /** Returns the product's activity since the last order, and sets the DNS answers from now on. */
  async function order(next: Omit<Order, 'ask'> = {}): Promise<Notes> {
    const ask = ++orders;
    const { promise, resolve } = Promise.withResolvers<Notes>();
    const take = (notes: Notes) => notes.ask === ask && resolve(notes);
    product.process.on('message', take).send({ ask, ...next } satisfies Order);
    const notes = await promise;
    product.process.off('message', take);
    return notes;
  }

  const roots = () => ({
    files: product.local.filesAndTasks.baseUrl.replace('/api/v1', ''),
    agents: product.local.agents.rootUrl,
  });

  function send(face: FaceName, { method, path, headers = {}, json, raw }: Sent): Promise<Reply> {
    const body = json === undefined ? raw : JSON.stringify(json);
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    return answered(
      roots()[face],
      { agent, method: method ?? (body === undefined ? 'GET' : 'POST'), path, body },
      {
        ...type,
        ...headers,
      },
    );
  }

  await order({ world: world.port });
  const local = openLocal(product.env);
  return {
    state,
    world,
    said,
    order,
    send,
    roots,
    local,
    tenants: tenantsOver(local),
    product: () => product,
    /** Kills the product as a power cut would, and restarts it with additional environment variables. */
    async killed(env: NodeJS.ProcessEnv = {}) {
      product.process.kill('SIGKILL');
      await once(product.process, 'exit');
      product = await start(env);
      await order({ world: world.port });
    },
    async close() {
      agent.destroy();
      local.close();
      product.process.disconnect();
      await product.stop();
      world.close();
      folder.remove();
    },
  };
}

type Asked = { agent: Agent; method: string; path: string; body: string | Uint8Array | undefined };

function answered(root: string, { agent, method, path, body }: Asked, headers: object): Promise<Reply> {
  const { hostname, port } = new URL(root);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const o = { agent, hostname, port, method, path, headers: { ...length, ...headers }, timeout: PATIENCE_MS };
    const asked = request(o, async (response) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: objectIn(text) });
      } catch (error) {
        reject(error);
      }
    });
    asked.on('error', reject).on('timeout', () => asked.destroy(new Error('no answer')));
    asked.end(body);
  });
}

function objectIn(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
