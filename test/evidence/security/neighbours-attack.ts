/** One organization sends slow work; another one on the same machine must hardly be delayed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attacked } from './attack-target.ts';
import { askAbout, slowPdf, upload } from './documents.ts';
import { bearer } from './operations.ts';
import { type Outcome, type Part, until } from './part.ts';
import type { Tenant } from './tenants.ts';
import { HANGS } from './world.ts';

const SLOW_PDFS = 24;
const HANGING_TASKS = 40;
const BEFORE_CANCEL_MS = 2_500;
/** Long enough to notice queued downloads that continue after the cancels. */
const AFTER_CANCEL_MS = 3_000;
const PATIENCE_MS = 60_000;
const MOST = { text: 3_000, pdf: 10_000, document: 2_000 } as const;

const PDF = 'invoice.reportlab.pdf';
const pdfBytes = () => readFileSync(join(import.meta.dirname, '../../engines/documents/samples', PDF));

/** Milliseconds from before the submit to the end; `undefined`: the task did not end in time. */
async function timeTask(submit: () => Promise<() => Promise<string | undefined>>, wanted: string) {
  const from = performance.now();
  const stateOf = await submit();
  const state = await until(stateOf, PATIENCE_MS).catch(() => undefined);
  if (state !== undefined && state !== wanted) throw new Error(`A neighbour's task ended as ${state}.`);
  return state === undefined ? undefined : performance.now() - from;
}

const chatOf = (on: Attacked, tenant: Tenant, fileId: string) =>
  timeTask(async () => {
    const id = await askAbout(on, tenant, fileId);
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
  timeTask(async () => {
    const id = await process(on, tenant, url, 10);
    const headers = bearer(tenant.tokens.member);
    return async () => {
      const { body } = await on.send('agents', { path: `/api/v1/tasks/${id}`, headers });
      return /completed|failed/.test(String(body.status)) ? String(body.status) : undefined;
    };
  }, 'completed');

const seconds = (ms: number | undefined): string =>
  ms === undefined ? `over ${PATIENCE_MS / 1_000} s` : `${(ms / 1_000).toFixed(2)} s`;

/** Compares a duration with its bound, and shows it next to the duration on an idle machine. */
function judge(what: string, { ms, idle, most }: { ms: number | undefined; idle: number | undefined; most: number }) {
  const figure = `${what} ${seconds(ms)} (idle ${seconds(idle)})`;
  const isBroken = ms === undefined || ms > most;
  return { figure, broken: isBroken ? [`${figure}: more than ${most / 1_000} s`] : [] };
}

async function besideSlowPdfs(on: Attacked): Promise<Outcome> {
  const [busy, neighbour] = [await on.tenants.found(), await on.tenants.found()];
  const text = await upload(on, neighbour, 'note.txt', Buffer.from('The rent is 900 EUR'));
  const pdf = await upload(on, neighbour, PDF, pdfBytes());
  // Warm-up: the first task of each kind starts processes that later tasks reuse.
  await chatOf(on, neighbour, pdf);
  const idle = { text: await chatOf(on, neighbour, text), pdf: await chatOf(on, neighbour, pdf) };
  const slow = slowPdf();
  const files: string[] = [];
  for (let at = 0; at < SLOW_PDFS; at++) files.push(await upload(on, busy, 'slow.pdf', slow));
  await Promise.all(files.map((fileId) => askAbout(on, busy, fileId)));
  const found = [
    judge('text', { ms: await chatOf(on, neighbour, text), idle: idle.text, most: MOST.text }),
    judge('PDF', { ms: await chatOf(on, neighbour, pdf), idle: idle.pdf, most: MOST.pdf }),
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
  const found = judge('document', { ms: await processingOf(on, neighbour, own), idle, most: MOST.document });
  await new Promise((resolve) => setTimeout(resolve, AFTER_CANCEL_MS));
  const late = fetches() - before;
  return {
    what: `beside ${HANGING_TASKS} tasks that were cancelled while they fetched`,
    figures: [found.figure, `${late} fetches after the cancel`],
    tried: HANGING_TASKS + 1,
    broken: [
      ...found.broken,
      ...(late > 0 ? [`${late} fetches started after their tasks had been cancelled`] : []),
      ...answers.filter((status) => status !== 200).map((status) => `a forced cancel was answered with ${status}`),
    ],
  };
}

export const neighbours: Part = {
  name: 'neighbours',
  promise: 'No organization can starve another',
  run: async ({ on }) => [await besideCancelledTasks(on), await besideSlowPdfs(on)],
};
