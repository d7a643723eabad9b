/** Plain texts that are slow to search: they hold threads of their own organization, and never the loop that answers all. */
import type { Attacked } from './attack-target.ts';
import { upload } from './documents.ts';
import type { LoopStops } from './loop-watch.ts';
import { bearer } from './operations.ts';
import { type Outcome, type Part, until } from './part.ts';
import type { Tenant } from './tenants.ts';

/** Lines without malice; many of them make rules slow. */
const LINES: Record<string, string> = {
  bullets: '- a\n',
  labels: 'Total:\n',
  headings: '# a\n',
  fences: '```\n',
  rows: '| Total, | 5 |\n',
};
const HEAD: Record<string, string> = { rows: '| Item | Amount |\n| --- | --- |\n' };
const CHARACTERS = 350_000;

const VALUES = 500;
const LINES_OF_WORDS = 3;
const LINE_CHARACTERS = 20_008;

const TEXT = { type: 'string' };
const SCHEMA = {
  type: 'object',
  properties: {
    invoice_number: TEXT,
    issue_date: { type: 'string', format: 'date' },
    total: { type: 'number' },
    seller: TEXT,
    notes: TEXT,
  },
};
const ENUMERATION = {
  type: 'object',
  properties: { kind: { type: 'string', enum: Array.from({ length: VALUES }, (_, at) => `kind ${at}`) } },
};

const MAX_STOP_MS = 50;
const MAX_RATIO = 5;
/** As many as search for one organization at a time. */
const SPINNING = 2;
const CONTROL_CALLS = 400;
const PATIENCE_MS = 900_000;
const HOOK = 'https://hooks.customer-b.com/x';

const textOf = (name: string): string => {
  const line = LINES[name] ?? '';
  return (HEAD[name] ?? '') + line.repeat(Math.ceil(CHARACTERS / line.length));
};

/** One line after a label names no value of the enumeration, and is read for each of them. */
const enumerationText = (): string =>
  Array.from({ length: LINES_OF_WORDS }, () => `Kind: ${'kind of '.repeat(LINE_CHARACTERS / 8)}`).join('\n');

type Ended = () => Promise<string | undefined>;

async function chat(on: Attacked, { apiKey }: Tenant, fileId: string, outputSchema: object): Promise<Ended> {
  const headers = bearer(apiKey);
  const input = { type: 'chat', prompt: 'Fill in the record.', fileIds: [fileId], outputSchema };
  const json = { namespace: 'n', delivery: { type: 'webhook', config: { endpoint: HOOK } }, input };
  const { status, body } = await on.send('files', { path: '/api/v1/tasks', headers, json });
  if (status !== 201) throw new Error(`The chat was not taken: ${status} ${JSON.stringify(body)}`);
  return async () => {
    const { body: task } = await on.send('files', { path: `/api/v1/tasks/${body.taskId}`, headers });
    return task.completedAt === undefined ? undefined : String(task.status);
  };
}

async function process(on: Attacked, { tokens }: Tenant, fileIds: readonly string[], schema?: object): Promise<Ended> {
  const headers = bearer(tokens.member);
  const documents = fileIds.map((file_id) => ({ file_id }));
  const input = { documents, ...(schema ? { output_schema: schema } : {}) };
  const json = { task_type: 'processing_agent', priority: 5, input };
  const { status, body } = await on.send('agents', { path: '/api/v1/tasks', headers, json });
  if (status !== 202) throw new Error(`The processing was not taken: ${status} ${JSON.stringify(body)}`);
  return async () => {
    const { body: task } = await on.send('agents', { path: `/api/v1/tasks/${body.task_id}`, headers });
    return /completed|failed/.test(String(task.status)) ? String(task.status) : undefined;
  };
}

type Measured = { times: number[]; loop: LoopStops };

/** The neighbour calls one after the other, until `isOver`. */
async function measured(on: Attacked, isOver: (calls: number) => boolean): Promise<Measured> {
  const times: number[] = [];
  await on.order();
  while (!isOver(times.length)) {
    const from = performance.now();
    // A product that does not answer in time is as slow as that.
    await on.send('agents', { path: '/health' }).catch(() => undefined);
    times.push(performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { loop } = await on.order();
  return { times, loop };
}

async function besideSpinning(on: Attacked): Promise<Measured> {
  await on.order({ spinning: SPINNING });
  const control = await measured(on, (calls) => calls >= CONTROL_CALLS);
  await on.order({ spinning: 0 });
  return control;
}

const share = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * part) - 1] ?? 0;

async function besideTexts(on: Attacked): Promise<Outcome> {
  const tenant = await on.tenants.found();
  const names = Object.keys(LINES);
  const put = (name: string, text: string) => upload(on, tenant, `${name}.txt`, Buffer.from(text));
  const files: string[] = [];
  for (const name of names) files.push(await put(name, textOf(name)));
  const words = await put('words', enumerationText());
  const note = await put('note', 'Invoice No. 7\nTotal: 5.00 EUR');

  // Warm-up: the first task loads the rules into a thread, and the agent into the process.
  const warm = [await chat(on, tenant, note, SCHEMA), await process(on, tenant, [note])];
  for (const ended of warm) await until(ended, PATIENCE_MS);

  const controls = [await besideSpinning(on)];
  const tasks: [what: string, ended: Ended][] = [];
  let isOver = false;
  const beside = measured(on, () => isOver);
  for (const [at, file] of files.entries())
    tasks.push([`${names[at]}, a record in a chat`, await chat(on, tenant, file, SCHEMA)]);
  tasks.push(['an enumeration in a chat', await chat(on, tenant, words, ENUMERATION)]);
  tasks.push(['processing', await process(on, tenant, files)]);
  tasks.push(['processing with a schema', await process(on, tenant, files, SCHEMA)]);
  const states = await Promise.all(tasks.map(([, ended]) => until(ended, PATIENCE_MS).catch(() => 'late'))).finally(
    () => {
      isOver = true;
    },
  );
  const texts = await beside;
  controls.push(await besideSpinning(on));

  const control = controls.flatMap(({ times }) => times);
  const p99 = share(texts.times, 0.99);
  const controlP99 = share(control, 0.99);
  const workMs = texts.loop.workMs;
  const stops = ({ loop }: Measured) =>
    `${Math.round(loop.workMs)} ms of work, ${Math.round(loop.delayMs)} ms of delay`;
  return {
    what: `beside ${tasks.length} tasks on texts that are slow to search`,
    tried: tasks.length + texts.times.length,
    broken: [
      ...states.flatMap((state, at) => (/success|completed/.test(state) ? [] : [`${tasks[at]?.[0]}: ${state}`])),
      ...(workMs > MAX_STOP_MS ? [`the loop stopped for ${Math.round(workMs)} ms`] : []),
      ...(p99 > MAX_RATIO * controlP99
        ? [`the p99 of GET /health is ${p99.toFixed(1)} ms, beside spinning threads ${controlP99.toFixed(1)} ms`]
        : []),
    ],
    figures: [
      `longest stop of the loop ${stops(texts)} (beside spinning threads ${controls.map(stops).join(' and ')})`,
      `GET /health p50 ${share(texts.times, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${share(texts.times, 1).toFixed(0)} ms of ${texts.times.length}`,
      `beside ${SPINNING} spinning threads p50 ${share(control, 0.5).toFixed(1)} ms, p99 ${controlP99.toFixed(1)} ms, longest ${share(control, 1).toFixed(0)} ms`,
    ],
  };
}

export const texts: Part = {
  name: 'texts',
  promise: 'Work on the text of one organization never holds the event loop of all',
  isAlone: true,
  run: async ({ on }) => [await besideTexts(on)],
};
