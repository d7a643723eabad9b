/** The local product with one organization without limits, and a server on this machine that it may fetch documents from. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agents, filesAndTasks } from '../../../client/src/index.ts';
import { authority } from '../../engines/outbound/certificates.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { startLocalProduct } from '../../functions/over-http/local-product.ts';
import { makeOrganizations } from '../soak/organizations.ts';
import { type Part, VARIABLE } from './without/parts.ts';

export type Product = Awaited<ReturnType<typeof startProduct>>;

type ProductOptions = { sets: string; model?: string | undefined; without?: Part | undefined };

const PRELOAD = new URL('without/preload.ts', import.meta.url).href;

/** `sets` is the folder whose documents are asked about; `model` replaces the keyless one; `without` leaves a part out. */
export async function startProduct({ sets, model, without }: ProductOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'errand-quality-'));
  const state = join(folder, 'state');
  const [organization] = await makeOrganizations(state, 1);
  if (!organization) throw new Error('No organization was made.');
  const ca = authority('Quality');
  const source = createServer(ca.issue({ for: ['127.0.0.1'] }), ({ url = '' }, response) => {
    const path = resolve(sets, `.${decodeURIComponent(url)}`);
    if (path.startsWith(sets + sep))
      createReadStream(path)
        .on('error', () => response.destroy())
        .pipe(response);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(source, 'listening');
  const origin = `https://127.0.0.1:${(source.address() as AddressInfo).port}`;
  const pem = join(folder, 'ca.pem');
  writeFileSync(pem, ca.cert);
  const words = ['--allow-source', origin, '--source-ca', pem];
  const leftOut = without ? { flags: ['--import', PRELOAD], env: { [VARIABLE]: without } } : {};
  const findsModel = model !== undefined;
  const running = await startLocalProduct(state, await freePort(), words, { ...leftOut, findsModel });
  const { filesAndTasks: a, agents: b } = running.local;
  const endpoint = `${new URL(a.baseUrl).origin}/catch/`;
  if (model)
    execFileSync(process.execPath, ['bin/errand.ts', 'org', 'models', organization.id, model], { env: running.env });
  const developer = filesAndTasks({ baseUrl: a.baseUrl, apiKey: organization.apiKey });
  const { username, password } = organization;
  const enterprise = agents({ rootUrl: b.rootUrl, wsUrl: b.wsUrl, login: { username, password } });

  return {
    /** The answer of a chat task over uploaded files. */
    async ask(prompt: string, paths: readonly string[]): Promise<string> {
      const ids = await Promise.all(
        paths.map(async (path) => (await developer.files.upload(path, { fileName: basename(path) })).fileId),
      );
      const { taskId } = await developer.tasks.create({
        namespace: 'quality',
        delivery: { type: 'webhook', config: { endpoint } },
        input: { type: 'chat', prompt, fileIds: ids },
      });
      const task = await developer.tasks.wait(taskId, { timeoutMs: 600_000 });
      await Promise.all(ids.map((id) => developer.files.delete(id)));
      return task.status === 'success' ? task.output.text : '';
    },
    /** What a processing task extracts from one document: `wanted` are rules or a schema. */
    async extract(path: string, wanted: object): Promise<unknown> {
      const url = origin + path.slice(sets.length).split(sep).map(encodeURIComponent).join('/');
      const { task_id: id } = await enterprise.submit({
        task_type: 'processing_agent',
        input: { documents: [{ url }], ...wanted },
      });
      await enterprise.wait(id, { timeoutMs: 600_000 });
      return enterprise.results(id);
    },
    /** The document as every agent gets it. */
    async text(path: string, query: string): Promise<unknown> {
      const { fileId } = await developer.files.upload(path, { fileName: basename(path) });
      const url = `${a.baseUrl}/files/${fileId}/text?format=json&${query}`;
      const headers = { authorization: `Bearer ${organization.apiKey}` };
      for (;;) {
        const response = await fetch(url, { headers });
        if (response.status !== 202 && response.status !== 429) {
          await developer.files.delete(fileId);
          return response.ok ? response.json() : {};
        }
        await sleep(1_000 * Number(response.headers.get('retry-after') ?? 1));
      }
    },
    async stop(): Promise<void> {
      await running.stop();
      source.closeAllConnections();
      source.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
