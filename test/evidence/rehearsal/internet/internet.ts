/** The rehearsal's internet: one server with two public names, which receives webhooks, serves a text and answers as a model. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlain, type IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STAGE_MODELS } from '../../../../shared/core/deployment-stage.ts';
import { answerWorkload, WORKLOAD_MODEL } from '../../../engines/models/workload-model.ts';
import { authority } from '../../../engines/outbound/certificates.ts';
import { listen } from '../listen.ts';
import { INTERNET, MODEL_SERVER, RECEIVER, SERVED_TEXT } from './places.ts';

type Arrived = { path: string; headers: IncomingHttpHeaders; body: string };
export type Internet = {
  /** Returns all requests that arrived, as JSON. */
  arrivedUrl: string;
  /** Environment variables that lead an instance to this server. */
  environment: Record<string, string>;
  stop(): void;
};

/** The settings of a stage whose tasks ask the scripted model; beside it are the models of a stage without settings. */
export const MODEL_SETTINGS = {
  models: [WORKLOAD_MODEL, ...STAGE_MODELS].join(','),
  'openai-address': `https://${MODEL_SERVER}/v1`,
};

export async function startInternet(): Promise<Internet> {
  const trusted = authority('rehearsal');
  const folder = mkdtempSync(join(tmpdir(), 'errand-internet-'));
  const certificate = join(folder, 'authority.pem');
  writeFileSync(certificate, trusted.cert);
  const arrived: Arrived[] = [];
  const server = createServer(trusted.issue({ for: [RECEIVER, MODEL_SERVER] }), async (request, response) => {
    if (request.method === 'GET') return response.setHeader('content-type', 'text/plain').end(SERVED_TEXT);
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url: path = '', headers } = request;
    const body = Buffer.concat(chunks).toString('utf8');
    if (headers.host === MODEL_SERVER) return answerWorkload(response, { path, headers, body: JSON.parse(body) });
    arrived.push({ path, headers, body });
    return response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const looking = await listen(createPlain((_, response) => response.end(JSON.stringify(arrived))));
  return {
    arrivedUrl: looking.url,
    environment: { NODE_EXTRA_CA_CERTS: certificate, [INTERNET]: String(port) },
    stop() {
      server.closeAllConnections();
      server.close();
      looking.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
