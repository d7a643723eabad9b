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
import { stubServer } from '../engines/models/stub-server.ts';
import { authority } from '../engines/outbound/certificates.ts';
import { freePort } from '../functions/over-http/free-port.ts';
import { startLocalProduct } from '../functions/over-http/local-product.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { clockAt } from './clock-at.ts';
import { fillEarlier, fillProduct, IMPORTED_FILE, PORTS, reportsOf } from './fill-product.ts';
import { receiverAt } from './receiver-at.ts';
import { leaveInFlight } from './record-in-flight.ts';
import { recordedFolder, writeCompressed } from './recorded-file.ts';
import { answerModel } from './scripted-model.ts';
import { packState } from './state-archive.ts';

const DAY_MS = 86_400_000;
const HANGING_PATH = '/hangs.csv';
const MISSING_PATH = '/none.pdf';
const KEEPS_OPEN_MS = 1_000;

/** Serves the file that is uploaded by URL, and one that does not end. */
async function startFileServer(folder: string) {
  const ca = authority('Recorder');
  const server = createServer(ca.issue({ for: ['127.0.0.1'] }), (request, response) => {
    if (request.url === MISSING_PATH) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/csv' });
    if (request.url !== HANGING_PATH) return void response.end(IMPORTED_FILE);
    response.write('port,fee\n');
    const timer = setInterval(() => response.write('\n'), KEEPS_OPEN_MS);
    response.on('close', () => clearInterval(timer));
  }).listen(0, '127.0.0.1');
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
    const hangingUrl = fileServer.origin + HANGING_PATH;
    const inFlight = await leaveInFlight(product, { folder: folder.path, state, hangingUrl });
    const killedAt = Date.now();
    product.process.kill('SIGKILL');
    await once(product.process, 'exit');
    mkdirSync(target, { recursive: true });
    const file = join(target, 'state.tar.br');
    packState(state, file);
    console.log(`${file}: ${statSync(file).size} bytes`);
    const [{ name = '' } = {}] = recorded.organizations;
    const reports = reportsOf({ env: { ...product.env, ERRAND_STATE: state } }, name);
    const about = { ...recorded, ...fromEarlier, killedAt, inFlight, reports };
    writeCompressed(join(target, 'state.json'), JSON.stringify(about, null, 1));
  } finally {
    product.process.kill('SIGKILL');
    folder.remove();
  }
}

await recordState(process.argv[2] ?? recordedFolder(packageJson.version));
process.exit(); // its servers still listen
