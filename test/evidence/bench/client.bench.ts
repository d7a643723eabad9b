/** The client library against plain `fetch` with the same calls, on the local product. */
import { join } from 'node:path';
import { filesAndTasks } from '../../../client/src/index.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { withoutLimit } from './servers.ts';
import { type Bench, type Comparison, inTurns, millisecondsOf } from './side-by-side.ts';

/** Many short turns, so that other load on the machine affects both sides equally. */
const CALLS = 50;
const ROUNDS = 40;
const MICROSECONDS = 1_000;
const MOST = 1.15;

type Call = () => Promise<unknown>;

/** Microseconds per call, made sequentially. */
const perCall = async (call: Call): Promise<number> => {
  const ms = await millisecondsOf(async () => {
    for (let made = 0; made < CALLS; made++) await call();
  });
  return (ms * MICROSECONDS) / CALLS;
};

async function compare(what: string, o: { ours: Call; reference: Call }): Promise<Comparison> {
  return { what, unit: 'µs', ...(await inTurns(perCall, o, ROUNDS)), wanted: { atMost: MOST } };
}

export const bench: Bench = {
  title: 'Client library',
  about:
    'One call after another from one process, over the client and over bare `fetch` with the same headers and body.',
  async run() {
    const folder = temporaryFolder();
    const product = await startLocalProduct(join(folder.path, 'state'), await freePort());
    for (const limit of ['reads', 'files']) await withoutLimit(product, limit);
    const { baseUrl } = product.local.filesAndTasks;
    const apiKey = product.local.organizations[0]?.apiKey ?? '';
    const { files, models } = filesAndTasks({ baseUrl, apiKey });
    const authorization = `Bearer ${apiKey}`;
    const read = await compare('GET /models', {
      ours: () => models(),
      reference: async () => (await fetch(`${baseUrl}/models`, { headers: { authorization } })).json(),
    });
    const refused = { url: 'http://192.168.0.1/a.pdf' };
    const write = await compare('POST /files, refused, with an idempotency key', {
      ours: () => files.fromUrl(refused.url).catch((error) => error),
      reference: async () => {
        const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() };
        return (await fetch(`${baseUrl}/files`, { method: 'POST', headers, body: JSON.stringify(refused) })).json();
      },
    });
    await product.stop();
    folder.remove();
    return [read, write];
  },
};
