/**
 * Records a state folder of the version that is checked out: `node test/upgrade/record-state.ts [FOLDER]`, before a
 * release. It fills a local product with something of everything, kills it while tasks run, and packs its folder.
 */
import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { freePort } from '../api/free-port.ts';
import { startLocalProduct } from '../api/local-product.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';
import { stubServer } from '../model/stub-server.ts';
import { authority } from '../outbound/certificates.ts';
import { clockAt } from './clock-at.ts';
import { fillEarlier, fillProduct, IMPORTED_FILE, PORTS } from './fill-product.ts';
import { receiverAt } from './receiver-at.ts';
import { answerModel } from './scripted-model.ts';
import { packState } from './state-archive.ts';

const DAY_MS = 86_400_000;

/** Serves the file that is uploaded by URL. */
async function startFileServer(folder: string) {
  const ca = authority('Recorder');
  const server = createServer(ca.issue({ for: ['127.0.0.1'] }), (_, response) =>
    response.writeHead(200, { 'content-type': 'text/csv' }).end(IMPORTED_FILE),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pem = join(folder, 'ca.pem');
  writeFileSync(pem, ca.cert);
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, args: ['--allow-source', origin, '--source-ca', pem] };
}

async function recordState(target: string): Promise<void> {
  const folder = temporaryFolder();
  const state = join(folder.path, 'state');
  const fileServer = await startFileServer(folder.path);
  const model = await stubServer(answerModel);
  await receiverAt(PORTS.failing, () => 500);
  await receiverAt(PORTS.accepting, (path) => (path === '/gone' ? 410 : 200));
  const start = async (at: number) => {
    const env = { ERRAND_OPENAI_ADDRESS: `${model.address}/v1`, ...clockAt(at) };
    return startLocalProduct(state, await freePort(), fileServer.args, { env });
  };

  const earlier = await start(Date.now() - 2 * DAY_MS);
  const fromEarlier = await fillEarlier(earlier);
  await earlier.stop();
  const product = await start(Date.now());
  try {
    const recorded = await fillProduct(product, { folder: folder.path, fileServer: fileServer.origin });
    product.process.kill('SIGKILL');
    await once(product.process, 'exit');
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'state.json'), `${JSON.stringify({ ...recorded, ...fromEarlier }, null, 1)}\n`);
    const file = join(target, 'state.tar.br');
    packState(state, file);
    console.log(`${file}: ${statSync(file).size} bytes`);
  } finally {
    product.process.kill('SIGKILL');
    folder.remove();
  }
}

await recordState(process.argv[2] ?? join(import.meta.dirname, `recorded-${packageJson.version}`));
process.exit(); // its servers still listen
