/** The HTTP shell against a plain node:http handler, and the start time and memory of the local product. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sendAll } from './http-load.ts';
import { bareServer, withoutLimit } from './servers.ts';
import { type Bench, type Comparison, inTurns, millisecondsOf, sideBySide } from './side-by-side.ts';

const AMOUNT = 6_000;
const REST_MS = 2_000;
const MAX_RESIDENT_MB = 120;
const PATH = '/api/v1/models';

/** An authenticated GET: credentials, organization, rate limit, one response. */
async function requests(product: Running): Promise<Comparison> {
  const { local } = product;
  await withoutLimit(product, 'reads');
  const bare = await bareServer();
  const port = Number(new URL(local.filesAndTasks.baseUrl).port);
  const headers = { authorization: `Bearer ${local.organizations[0]?.apiKey}` };
  const found = await sideBySide({
    what: 'authenticated GET through the shell',
    unit: 'requests/s',
    amount: AMOUNT,
    atLeast: 0.5,
    ours: () => sendAll({ port, path: PATH, headers, amount: AMOUNT }),
    reference: () => sendAll({ port: bare.port, path: PATH, amount: AMOUNT }),
  });
  bare.stop();
  return found;
}

async function starts(state: string, port: number): Promise<Comparison> {
  const times = await inTurns((measure) => measure(), {
    async ours() {
      const startedAt = performance.now();
      const running = await startLocalProduct(state, port);
      const ready = performance.now() - startedAt;
      await running.stop();
      return ready;
    },
    reference: () => millisecondsOf(() => void spawnSync(process.execPath, ['-e', '0'])),
  });
  return {
    what: 'ready to serve, from the second start on, over `node -e 0`',
    unit: 'ms',
    ...times,
    wanted: { atMost: 20 },
  };
}

async function resident({ process: { pid } }: Running): Promise<Comparison> {
  await sleep(REST_MS);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const ours = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
  const ratio = ours / MAX_RESIDENT_MB;
  return {
    what: 'resident at rest, over 120 MB',
    unit: 'MB',
    ours,
    reference: MAX_RESIDENT_MB,
    ratio,
    wanted: { atMost: 1 },
  };
}

export const bench: Bench = {
  title: 'Local product',
  about: 'The product and each reference in a separate process, 16 connections, one request in flight on each.',
  async run() {
    const folder = temporaryFolder();
    const state = join(folder.path, 'state');
    const port = await freePort();
    const first = await startLocalProduct(state, port);
    const atRest = await resident(first);
    const served = await requests(first);
    await first.stop();
    const started = await starts(state, port);
    folder.remove();
    return [served, started, atRest];
  },
};
