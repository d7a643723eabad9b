/** The local product is killed repeatedly under a mixed load of good tasks and files: none of them may end failed. */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { overrideLimit } from '../../../shared/accounts/caps.ts';
import type { Environment } from '../../../shared/core/environment.ts';
import { taskIdIn, taskKey } from '../../../shared/tasks/rows.ts';
import { isOpen, type Task } from '../../../shared/tasks/task.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LIMITS = ['tasks', 'files', 'reads', 'agent-submits'];
const MANY_CALLS = 1_000_000;
/** Long enough for some tasks to be at work when the process ends, and short enough that few end before. */
const ROUND_MS = [500, 4_000] as const;
/** The longest backoff after a restart is five minutes. */
const ENDS_WITHIN_MS = 900_000;

/** Enough that a table is read in a thread, where kills meet it; few, because a task without a model searches all of it. */
const ROWS = 1_000;
const TABLE = `Part,Pieces,Amount,Due\n${Array.from({ length: ROWS }, (_, row) => `Bolt ${row},${row % 7},${row}.50,2026-03-11`).join('\n')}\n`;
const SCHEMA = { type: 'object', properties: { part: { type: 'string' }, amount: { type: 'number' } } };

type Organization = { id: string; apiKey: string };
type Calls = ReturnType<typeof callsTo>;

function callsTo({ local }: Running, { apiKey }: Organization) {
  const call = async (address: string, json: object) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const reply = await fetch(address, { method: 'POST', headers, body: JSON.stringify(json) });
    const body = (await reply.json()) as Record<string, string>;
    if (!reply.ok) throw new Error(`${address} was answered ${reply.status}: ${JSON.stringify(body)}`);
    return body;
  };
  const files = local.filesAndTasks.baseUrl;
  return {
    async storeTable(): Promise<string> {
      const fileName = 'parts.csv';
      const { uploadUrl = '', fileId = '', storagePath } = await call(`${files}/files`, { fileName });
      await fetch(uploadUrl, { method: 'PUT', headers: { 'content-type': 'text/csv' }, body: TABLE });
      const complete = { fileName, mimeType: 'text/csv', size: TABLE.length, storagePath };
      await call(`${files}/files/${fileId}/complete`, complete);
      return fileId;
    },
    async chat(input: object): Promise<string> {
      const delivery = { type: 'webhook', config: { endpoint: 'http://127.0.0.1:9/results' } };
      const task = { namespace: 'kill', delivery, input: { type: 'chat', prompt: 'Which amount is due?', ...input } };
      return (await call(`${files}/tasks`, task)).taskId ?? '';
    },
    async work(type: string, input: object): Promise<string> {
      const { task_id: id } = await call(`${local.agents.rootUrl}/api/v1/tasks`, { task_type: type, input });
      return taskIdIn(id);
    },
  };
}

/** Submits tasks of all kinds until the process is gone. Only those with an answer are acknowledged. */
async function submitAll({ storeTable, chat, work }: Calls, acknowledged: Set<string>): Promise<void> {
  const submit = async (task: Promise<string>) => void acknowledged.add(await task);
  const fileId = await storeTable();
  await Promise.all([
    submit(chat({})),
    submit(chat({ fileIds: [fileId] })),
    submit(chat({ fileIds: [fileId], outputSchema: SCHEMA })),
    submit(work('processing_agent', { documents: [{ file_id: fileId }] })),
    submit(work('processing_agent', { documents: [{ file_id: fileId }], output_schema: SCHEMA })),
    submit(work('research_agent', { query: 'Which bolts are due in March?', file_ids: [fileId] })),
    submit(work('research_agent', { query: 'Which amount is due?', file_ids: [fileId], output_schema: SCHEMA })),
  ]);
}

/** Returns the measured counts. */
export async function killMixed(kills: number): Promise<string> {
  const folder = temporaryFolder();
  let running: Running | undefined;
  const start = async () => {
    running = await startLocalProduct(join(folder.path, 'state'), await freePort());
    return running;
  };
  try {
    return await killed(kills, start);
  } finally {
    running?.process.kill('SIGKILL');
    folder.remove();
  }
}

async function killed(kills: number, start: () => Promise<Running>): Promise<string> {
  const first = await start();
  const [organization] = first.local.organizations;
  if (!organization) throw new Error('The demo organization is missing.');
  await raiseLimits(first.env, organization);
  await first.stop();

  const acknowledged = new Set<string>();
  for (let kill = 1; kill <= kills; kill++) {
    const product = await start();
    const gone = once(product.process, 'exit');
    const submitting = submitAll(callsTo(product, organization), acknowledged).catch(() => undefined);
    const [shortest, longest] = ROUND_MS;
    await sleep(shortest + Math.random() * (longest - shortest));
    product.process.kill('SIGKILL');
    expect(await gone).toEqual([null, 'SIGKILL']);
    await submitting;
  }

  const last = await start();
  const { table, close } = openLocal(last.env);
  const tasks = async () => {
    const keys = [...acknowledged].map((taskId) => taskKey({ organization: organization.id, taskId }));
    return (await Promise.all(keys.map((key) => table.get<Task>(key)))).map((row) => row?.value);
  };
  const isAllEnded = async () => (await tasks()).every((task) => task !== undefined && !isOpen(task));
  await expect.poll(isAllEnded, { timeout: ENDS_WITHIN_MS, interval: 500 }).toBe(true);
  const ended = (await tasks()).flatMap((task) => task ?? []);
  close();
  await last.stop();

  expect(ended.filter(({ state }) => state !== 'succeeded')).toEqual([]);
  const lost = Math.max(...ended.map(({ attempt }) => attempt)) - 1;
  const interrupted = ended.filter(({ attempt }) => attempt > 1).length;
  // Some tasks must have lost several processes, or the test proves little.
  expect(interrupted).toBeGreaterThan(kills / 4);
  return `0 of ${ended.length} acknowledged tasks ended failed over ${kills} kills: ${interrupted} had lost a process, one of them ${lost} times`;
}

async function raiseLimits(env: Environment, { id }: Organization): Promise<void> {
  const local = openLocal(env);
  const most = { minute: MANY_CALLS, hour: MANY_CALLS };
  for (const limit of LIMITS) await overrideLimit(local.table, id, { limit, ...most });
  local.close();
}
