/**
 * `npm run demo:agents`: background agents on a local product of its own: a research over the sample sources, and a
 * processing of the demo documents, each watched over the WebSocket, and a mail that recurs, until its reader leaves. What
 * they write is saved and named, and the report opened where there is a screen.
 */
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { styleText } from 'node:util';
import { localConfig } from '../shared/core/config.ts';
import { freePort } from '../test/api/free-port.ts';
import { type Running, startLocalProduct } from '../test/api/local-product.ts';
import { temporaryFolder } from '../test/contracts/temporary-folder.ts';
import { authority } from '../test/outbound/certificates.ts';
import { notify } from './demo/notify.ts';
import { openFile } from './demo/open-file.ts';

const DEMO = join(import.meta.dirname, '../assets/demo');
const DOCUMENTS = readdirSync(DEMO).filter((file) => ['.docx', '.pdf', '.png', '.xlsx'].includes(extname(file)));
const SAVED = join(localConfig(process.env).stateFolder, 'demo-agents');

const RESEARCH = {
  query: 'How did port fees and container freight rates change, and what comes next?',
  research_type: 'market_analysis',
  depth: 'standard',
  deliverables: ['executive_summary', 'trends', 'risks', 'charts', 'data_table', 'bibliography'],
};
const RULES = ['dates', 'amounts', 'parties', 'ibans', 'Who pays for repairs?'];

type Shown = {
  status: string;
  results: { files: { name: string; url: string; size_bytes: number }[]; notes?: string[] };
  processing_details: { sources_processed: number; confidence_scores: Record<string, number> };
  error?: { message: string };
};
type Message = { type: string; task_id?: string; progress?: number; error?: { message: string } };

const say = (label: string, text: string) => console.log(`  ${styleText('bold', label.padEnd(12))} ${text}`);

/** The demo documents, where a processing agent can fetch them. */
async function publish() {
  const ca = authority('Errand demo');
  const server = createServer(ca.issue({ for: ['127.0.0.1'] }), ({ url = '' }, response) => {
    const name = DOCUMENTS.find((file) => url === `/${encodeURIComponent(file)}`);
    response.writeHead(name ? 200 : 404).end(name ? readFileSync(join(DEMO, name)) : undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const urls = DOCUMENTS.map((file) => ({ url: `${origin}/${encodeURIComponent(file)}` }));
  return { origin, urls, ca: ca.cert, close: () => server.close() };
}

function client({ rootUrl }: { rootUrl: string }) {
  let token = '';
  async function call<T>(path: string, body?: object): Promise<T> {
    const response = await fetch(rootUrl + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as T & { error?: unknown };
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer.error)}`);
    return answer;
  }
  return {
    call,
    async logIn(user: { username: string; password: string }) {
      token = (await call<{ access_token: string }>('/auth/login', user)).access_token;
    },
  };
}

type Client = ReturnType<typeof client>;

/** Every message of the tasks, as it comes. */
async function watch({ call }: Client, wsUrl: string) {
  const { websocket_token: token } = await call<{ websocket_token: string }>('/api/v1/websocket-auth', {});
  const socket = new WebSocket(`${wsUrl}/ws/tasks`);
  const ready = Promise.withResolvers<void>();
  const ends = new Map<string, PromiseWithResolvers<void>>();
  /** Whoever comes first, the end or the one who waits for it. */
  const endOf = (id: string) => {
    const end = ends.get(id) ?? Promise.withResolvers<void>();
    ends.set(id, end);
    return end;
  };
  socket.addEventListener('open', () => {
    socket.send(JSON.stringify({ type: 'authenticate', token }));
    socket.send(JSON.stringify({ type: 'subscribe', channels: ['task_updates'] }));
  });
  socket.addEventListener('error', () => ready.reject(new Error('The WebSocket was refused.')));
  socket.addEventListener('message', ({ data }) => {
    const { type, task_id: id = '', progress, error } = JSON.parse(String(data)) as Message;
    if (type === 'subscribed') ready.resolve();
    if (type.startsWith('task_')) say(type.slice('task_'.length), `${id.slice(-4)}  ${told(progress, error)}`);
    if (type === 'task_completed' || type === 'task_failed') endOf(id).resolve();
  });
  await ready.promise;
  return { ended: (id: string) => endOf(id).promise, close: () => socket.close() };
}

const told = (progress: number | undefined, error: Message['error']): string =>
  progress === undefined ? (error?.message ?? '') : `${progress} %`;

type Watch = Awaited<ReturnType<typeof watch>>;

async function run({ call }: Client, watching: Watch, task_type: string, input: object): Promise<void> {
  const { task_id: id } = await call<{ task_id: string }>('/api/v1/tasks', { task_type, input });
  say('submitted', `${task_type}, ${id}`);
  await watching.ended(id);
  const shown = await call<Shown>(`/api/v1/tasks/${id}/results`);
  if (shown.error) throw new Error(`${task_type} failed: ${shown.error.message}`);
  const { sources_processed: read, confidence_scores: scores } = shown.processing_details;
  say(
    shown.status,
    `${read} documents read, ${Object.entries(scores)
      .map(([name, score]) => `${name} ${score}`)
      .join(', ')}`,
  );
  for (const note of shown.results.notes ?? []) say('note', note);
  for (const { name, url, size_bytes: size } of shown.results.files) {
    const file = resolve(SAVED, `${task_type.replace('_agent', '')}-${name}`);
    writeFileSync(file, Buffer.from(await (await fetch(url)).arrayBuffer()));
    say('saved', `${file} (${size} bytes)`);
    if (extname(file) === '.pdf') openFile(file, process.env);
  }
}

async function tour({ local }: Running, urls: { url: string }[]): Promise<void> {
  const on = client(local.agents);
  const [{ username, password } = { username: '', password: '' }] = local.organizations;
  await on.logIn({ username, password });
  const watching = await watch(on, local.agents.wsUrl);
  try {
    for (const output_format of ['pdf', 'markdown']) {
      await run(on, watching, 'research_agent', { ...RESEARCH, output_format });
    }
    const processing = { documents: urls, extraction_rules: RULES, output_format: 'xlsx' };
    await run(on, watching, 'processing_agent', processing);
    await notify({ call: on.call, say, mails: local.mail, saved: SAVED });
  } finally {
    watching.close();
  }
}

const folder = temporaryFolder();
const published = await publish();
try {
  mkdirSync(SAVED, { recursive: true });
  const pem = join(folder.path, 'ca.pem');
  writeFileSync(pem, published.ca);
  const words = ['--allow-source', published.origin, '--source-ca', pem];
  const product = await startLocalProduct(join(folder.path, 'state'), await freePort(), words);
  try {
    await tour(product, published.urls);
  } finally {
    await product.stop();
  }
} catch (error) {
  console.error(`demo: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  published.close();
  folder.remove();
}
