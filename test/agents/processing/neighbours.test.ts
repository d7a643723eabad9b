/** Downloads of one organization neither hold up those of another, nor go on when their task has ended. */
import { afterAll, expect, it } from 'vitest';
import { processingAgent } from '../../../agents/processing/processing-agent.ts';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import type { Outbound } from '../../../shared/ports.ts';
import { openFiles } from '../../shared/files/setup.ts';
import { runReporting } from '../run-stages.ts';

const at = openFiles();
const documents = openDocuments(readerFilesFromCheckout());
afterAll(async () => {
  await documents.close();
  at.close();
});

async function* body(text: string) {
  yield Buffer.from(text);
}

/** A server that never answers for some hosts, and at once for the others. */
function serve() {
  const begun: string[] = [];
  const ended: string[] = [];
  const outbound: Outbound = async (url, { signal }) => {
    begun.push(url);
    if (!url.includes('hanging'))
      return { url, status: 200, headers: {}, body: body('Signed on 9 March 2026.'), cancel() {} };
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        ended.push(url);
        reject(signal.reason);
      });
    });
  };
  const agent = processingAgent({
    ...at,
    documents,
    outbound,
    modelOf: async () => undefined,
    acceptsImages: () => false,
  });
  function run(organization: string, url: string, signal = new AbortController().signal) {
    const input = { documents: [{ url }], extraction_rules: ['dates'] };
    const stages = agent.stages({ model: 'offline/extractive', asked: input });
    return runReporting(stages, { address: { organization, taskId: at.ids.uuid() }, input, signal });
  }
  return { begun, ended, run };
}

it('reads the document of an organization at once while 40 downloads of another one hang', async () => {
  const { begun, run } = serve();
  const control = new AbortController();
  const stuck = Array.from({ length: 40 }, (_, n) =>
    run('busy', `https://hanging${n}.test/a.txt`, control.signal).catch(String),
  );
  await expect.poll(() => begun.length).toBe(8);
  const { report } = await run('neighbour', 'https://files.test/a.txt');
  expect(report.results).toMatchObject({ documents: [{ status: 'processed' }] });
  control.abort('cancelled');
  await Promise.all(stuck);
});

it('ends the downloads of tasks that are cancelled, and begins none of those that waited', async () => {
  const { begun, ended, run } = serve();
  const control = new AbortController();
  const stuck = Array.from({ length: 40 }, (_, n) =>
    run('busy', `https://hanging${n}.test/a.txt`, control.signal).catch((reason) => reason),
  );
  await expect.poll(() => begun.length).toBe(8);
  control.abort('cancelled');
  expect(new Set(await Promise.all(stuck))).toEqual(new Set(['cancelled']));
  expect([begun.length, ended.length]).toEqual([8, 8]);
  await run('busy', 'https://files.test/a.txt');
});
