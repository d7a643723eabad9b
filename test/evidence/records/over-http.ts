/** Sends pairs through the running local product as a caller does: upload, task, results, and the file of results. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agents, filesAndTasks } from '../../../client/src/index.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { startLocalProduct } from '../../functions/over-http/local-product.ts';
import type { Any } from '../../support/any.ts';
import { makeOrganizations } from '../soak/organizations.ts';
import { documentOf } from './documents.ts';
import type { Pair } from './pairs.ts';

const AT_ONCE = 2;

type Received = { pair: Pair; results: Any; file: { format: string; bytes: Uint8Array } };

/** The results and one file for each pair, without a model. */
export async function overHttp(pairs: readonly Pair[], formats: readonly string[]): Promise<Received[]> {
  const state = mkdtempSync(join(tmpdir(), 'errand-records-'));
  const [organization] = await makeOrganizations(state, 1);
  if (!organization) throw new Error('No organization was made.');
  const product = await startLocalProduct(state, await freePort());
  try {
    const { filesAndTasks: a, agents: b } = product.local;
    const { apiKey, username, password } = organization;
    const files = filesAndTasks({ baseUrl: a.baseUrl, apiKey }).files;
    const enterprise = agents({ rootUrl: b.rootUrl, wsUrl: b.wsUrl, login: { username, password } });
    const received: Received[] = [];
    const left = [...pairs.entries()];
    const lane = async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const [at, pair] = next;
        const { name, bytes } = documentOf(pair);
        const { fileId } = await files.upload(new Uint8Array(bytes), { fileName: name });
        const format = formats[at % formats.length] ?? 'json';
        const input = { documents: [{ file_id: fileId }], output_schema: pair.schema, output_format: format };
        const { task_id: id } = await enterprise.submit({ task_type: 'processing_agent', input } as Any);
        await enterprise.wait(id, { timeoutMs: 120_000 });
        const { results }: Any = await enterprise.results(id);
        const [file] = results.files;
        const answer = await fetch(file.url);
        received.push({ pair, results, file: { format, bytes: new Uint8Array(await answer.arrayBuffer()) } });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    return received;
  } finally {
    await product.stop();
    rmSync(state, { recursive: true, force: true });
  }
}
