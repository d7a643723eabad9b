/** One organization sends all that is slow; another one on the same machine must hardly notice. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { Attacked } from './attacked.ts';
import { bearer } from './operations.ts';
import { type Outcome, type Part, until } from './part.ts';
import type { Tenant } from './tenants.ts';
import { HANGS } from './world.ts';

const SLOW_PDFS = 24;
const HANGING_TASKS = 40;
const BEFORE_CANCEL_MS = 2_500;
/** Long enough for a line of fetches that goes on after the cancels to show itself. */
const AFTER_CANCEL_MS = 3_000;
const PATIENCE_MS = 60_000;
const MOST = { text: 3_000, pdf: 10_000, document: 2_000 } as const;

const HOOK = 'https://hooks.customer-b.com/x';
const PDF = 'invoice.reportlab.pdf';
const pdfBytes = () => readFileSync(join(import.meta.dirname, '../documents/samples', PDF));

/** One page whose stream unpacks into three million operators: small to send, and long to read. */
function slowPdf(): Buffer {
  const stream = deflateSync(Buffer.from(`${'q '.repeat(3_000_000)}BT /F 12 Tf (x) Tj ET`));
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    `<</Length ${stream.length}/Filter/FlateDecode>>stream\n${stream.toString('latin1')}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 6\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(`${text}${table}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF`, 'latin1');
}

async function upload(on: Attacked, { apiKey }: Tenant, fileName: string, bytes: Uint8Array): Promise<string> {
  const headers = bearer(apiKey);
  const { body: offer } = await on.send('files', { path: '/api/v1/files', headers, json: { fileName } });
  await fetch(String(offer.uploadUrl), { method: 'PUT', body: Buffer.from(bytes) });
  const { fileId, storagePath } = offer;
  const json = { storagePath, fileName, mimeType: 'application/octet-stream', size: bytes.length };
  const path = `/api/v1/files/${fileId}/complete`;
  const { status } = await on.send('files', { path, headers, json });
  if (status !== 201) throw new Error(`${fileName} was not uploaded: ${status}`);
  return String(fileId);
}

async function ask(on: Attacked, { apiKey }: Tenant, fileId: string): Promise<string> {
  const input = { type: 'chat', prompt: 'What does the file say?', fileIds: [fileId] };
  const json = { namespace: 'n', delivery: { type: 'webhook', config: { endpoint: HOOK } }, input };
  const { status, body } = await on.send('files', { path: '/api/v1/tasks', headers: bearer(apiKey), json });
  if (status !== 201) throw new Error(`The task was not taken: ${status} ${JSON.stringify(body)}`);
  return String(body.taskId);
}

/** In milliseconds from before the submit to the end; undefined when that did not come. */
async function timed(submit: () => Promise<() => Promise<string | undefined>>, wanted: string) {
  const from = performance.now();
  const stateOf = await submit();
  const state = await until(stateOf, PATIENCE_MS).catch(() => undefined);
  if (state !== undefined && state !== wanted) throw new Error(`A neighbour's task ended as ${state}.`);
  return state === undefined ? undefined : performance.now() - from;
}

const chatOf = (on: Attacked, tenant: Tenant, fileId: string) =>
  timed(async () => {
    const id = await ask(on, tenant, fileId);
    const headers = bearer(tenant.apiKey);
    return async () => {
      const { body } = await on.send('files', { path: `/api/v1/tasks/${id}`, headers });
      return body.completedAt === undefined ? undefined : String(body.status);
    };
  }, 'success');

async function process(on: Attacked, { tokens }: Tenant, url: string, priority: number): Promise<string> {
  const json = { task_type: 'processing_agent', priority, input: { documents: [{ url }] } };
  const { status, body } = await on.send('agents', { path: '/api/v1/tasks', headers: bearer(tokens.member), json });
  if (status !== 202) throw new Error(`The task was not taken: ${status} ${JSON.stringify(body)}`);
  return String(body.task_id);
}

const processingOf = (on: Attacked, tenant: Tenant, url: string) =>
  timed(async () => {
    const id = await process(on, tenant, url, 10);
    const headers = bearer(tenant.tokens.member);
    return async () => {
      const { body } = await on.send('agents', { path: `/api/v1/tasks/${id}`, headers });
      return /completed|failed/.test(String(body.status)) ? String(body.status) : undefined;
    };
  }, 'completed');

const seconds = (ms: number | undefined): string =>
  ms === undefined ? `over ${PATIENCE_MS / 1_000} s` : `${(ms / 1_000).toFixed(2)} s`;

/** What took how long, beside what it takes on an idle machine. */
function judged(what: string, { ms, idle, most }: { ms: number | undefined; idle: number | undefined; most: number }) {
  const figure = `${what} ${seconds(ms)} (idle ${seconds(idle)})`;
  const isBroken = ms === undefined || ms > most;
  return { figure, broken: isBroken ? [`${figure}: more than ${most / 1_000} s`] : [] };
}

async function besideSlowPdfs(on: Attacked): Promise<Outcome> {
  const [busy, neighbour] = [await on.tenants.found(), await on.tenants.found()];
  const text = await upload(on, neighbour, 'note.txt', Buffer.from('The rent is 900 EUR'));
  const pdf = await upload(on, neighbour, PDF, pdfBytes());
  // The first one of each kind starts what the others find started.
  await chatOf(on, neighbour, pdf);
  const idle = { text: await chatOf(on, neighbour, text), pdf: await chatOf(on, neighbour, pdf) };
  const slow = slowPdf();
  const files: string[] = [];
  for (let at = 0; at < SLOW_PDFS; at++) files.push(await upload(on, busy, 'slow.pdf', slow));
  await Promise.all(files.map((fileId) => ask(on, busy, fileId)));
  const found = [
    judged('text', { ms: await chatOf(on, neighbour, text), idle: idle.text, most: MOST.text }),
    judged('PDF', { ms: await chatOf(on, neighbour, pdf), idle: idle.pdf, most: MOST.pdf }),
  ];
  return {
    what: `beside ${SLOW_PDFS} slow PDFs`,
    figures: found.map(({ figure }) => figure),
    tried: SLOW_PDFS + found.length,
    broken: found.flatMap(({ broken }) => broken),
  };
}

async function besideCancelledTasks(on: Attacked): Promise<Outcome> {
  const [busy, neighbour] = [await on.tenants.found(), await on.tenants.found()];
  const headers = bearer(busy.tokens.admin);
  on.world.pages.set('/invoice.pdf', pdfBytes());
  on.world.pages.set('/hanging.pdf', HANGS);
  const own = 'https://files.customer-b.com/invoice.pdf';
  await processingOf(on, neighbour, own);
  const idle = await processingOf(on, neighbour, own);
  const hanging = Array.from({ length: HANGING_TASKS }, (_, at) => `https://files${at}.customer-a.com/hanging.pdf`);
  const tasks = await Promise.all(hanging.map((url) => process(on, busy, url, 1)));
  await new Promise((resolve) => setTimeout(resolve, BEFORE_CANCEL_MS));
  const cancel = async (id: string) => {
    const path = `/api/v1/tasks/${id}/cancel`;
    const { status } = await on.send('agents', { path, headers, json: { force: true } });
    return status;
  };
  const answers = await Promise.all(tasks.map(cancel));
  const fetches = () => on.world.arrived.filter(({ url }) => url === '/hanging.pdf').length;
  const before = fetches();
  const found = judged('document', { ms: await processingOf(on, neighbour, own), idle, most: MOST.document });
  await new Promise((resolve) => setTimeout(resolve, AFTER_CANCEL_MS));
  const late = fetches() - before;
  return {
    what: `beside ${HANGING_TASKS} tasks that were cancelled while they fetched`,
    figures: [found.figure, `${late} fetches begun after the cancel`],
    tried: HANGING_TASKS + 1,
    broken: [
      ...found.broken,
      ...(late > 0 ? [`${late} fetches were begun after their tasks had been cancelled`] : []),
      ...answers.filter((status) => status !== 200).map((status) => `a forced cancel was answered with ${status}`),
    ],
  };
}

export const neighbours: Part = {
  name: 'neighbours',
  promise: 'No organization can starve another, however slow what it sends is and however much of it there is',
  run: async ({ on }) => [await besideCancelledTasks(on), await besideSlowPdfs(on)],
};
