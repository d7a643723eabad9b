/**
 * `npm run demo:agents`: background agents on a local product of its own: a research over the sample sources, and a
 * processing of the demo documents into values and records, each watched over the WebSocket, and a mail that recurs, until
 * its reader leaves. What they write is saved and named, and the report opened where there is a screen. Without a language
 * model the report quotes, and the instruction gets passages.
 */
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { styleText } from 'node:util';
import { type AgentContract, type Agents, agents } from '../client/src/index.ts';
import { localConfig } from '../shared/core/config.ts';
import { authority } from '../test/engines/outbound/certificates.ts';
import { freePort } from '../test/functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../test/functions/over-http/local-product.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { readArguments } from './arguments.ts';
import { notify } from './demo/notify.ts';
import { openFile } from './demo/open-file.ts';

const DEMO = join(import.meta.dirname, '../assets/demo');
const DOCUMENTS = readdirSync(DEMO).filter((file) => ['.docx', '.pdf', '.png', '.xlsx'].includes(extname(file)));
const SAVED = join(localConfig(process.env).stateFolder, 'demo-agents');

const RESEARCH = {
  query: 'How did port fees and container freight rates change, and what comes next?',
  research_type: 'market_analysis',
  depth: 'standard',
  deliverables: ['executive_summary', 'key_findings', 'charts', 'data_table', 'bibliography'],
};
const RULES = ['dates', 'amounts', 'ibans', 'Who pays for repairs?'];
const SCHEMA = {
  type: 'object',
  properties: {
    invoice_number: { type: 'string' },
    total: { type: 'number' },
    due_date: { type: 'string', format: 'date' },
  },
};

const say = (label: string, text: string) => console.log(`  ${styleText('bold', label.padEnd(12))} ${text}`);

/** The demo documents, where a processing agent can fetch them. */
async function serveDocuments() {
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

async function run(agentsApi: Agents, submission: AgentContract.Submission): Promise<void> {
  const { task_type } = submission;
  const { task_id: id } = await agentsApi.submit(submission);
  say('submitted', `${task_type}, ${id}`);
  for await (const { type, progress, error } of agentsApi.watch({ taskIds: [id] })) {
    const detail = progress === undefined ? (error?.message ?? '') : `${progress} %`;
    say(type.slice('task_'.length), `${id.slice(-4)}  ${detail}`);
  }
  const outcome = await agentsApi.results(id);
  if (outcome.error) throw new Error(`${task_type} failed: ${outcome.error.message}`);
  const { sources_processed: read, confidence_scores: scores } = outcome.processing_details;
  const scoreTexts = Object.entries(scores).map(([name, score]) => `${name} ${score}`);
  say(outcome.status, `${read} documents read, ${scoreTexts.join(', ')}`);
  for (const warning of outcome.warnings) say('warning', warning);
  if ('notes' in outcome.results) for (const note of outcome.results.notes) say('note', note);
  if ('records' in outcome.results)
    for (const record of outcome.results.records ?? []) say('record', JSON.stringify(record.data));
  for (const file of outcome.results.files ?? []) await save(`${task_type.replace('_agent', '')}-${file.name}`, file);
}

async function save(name: string, { url, size_bytes: size }: AgentContract.ResultFile): Promise<void> {
  const file = resolve(SAVED, name);
  writeFileSync(file, Buffer.from(await (await fetch(url)).arrayBuffer()));
  say('saved', `${file} (${size} bytes)`);
  if (extname(file) === '.pdf') openFile(file, process.env);
}

async function tour({ local }: Running, documents: { url: string }[]): Promise<void> {
  const [{ username, password } = { username: '', password: '' }] = local.organizations;
  const agentsApi = agents({ ...local.agents, login: { username, password } });
  for (const output_format of ['pdf', 'markdown'] as const) {
    await run(agentsApi, { task_type: 'research_agent', input: { ...RESEARCH, output_format } });
  }
  const input = { documents, extraction_rules: RULES, output_schema: SCHEMA, output_format: 'xlsx' } as const;
  await run(agentsApi, { task_type: 'processing_agent', input });
  await notify({ agentsApi, say, mails: local.mail, saved: SAVED });
}

readArguments({ command: 'npm run demo:agents' });
const folder = temporaryFolder();
const documentServer = await serveDocuments();
try {
  mkdirSync(SAVED, { recursive: true });
  const pem = join(folder.path, 'ca.pem');
  writeFileSync(pem, documentServer.ca);
  const options = ['--allow-source', documentServer.origin, '--source-ca', pem];
  const product = await startLocalProduct(join(folder.path, 'state'), await freePort(), options);
  try {
    await tour(product, documentServer.urls);
  } finally {
    await product.stop();
  }
} catch (error) {
  console.error(`demo: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  documentServer.close();
  folder.remove();
}
