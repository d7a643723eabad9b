/** Tasks with a token cap while the local product is killed: the provider's own count shows that the cap holds. */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { MONTHLY_TOKENS, overrideLimit } from '../../../shared/accounts/caps.ts';
import { type TaskAddress, taskKey } from '../../../shared/tasks/rows.ts';
import type { Task } from '../../../shared/tasks/task.ts';
import { OPENAI } from '../../engines/models/scripted-provider.ts';
import { type Answering, stubServer } from '../../engines/models/stub-server.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { killCaller, type Wish } from './kill-caller.ts';

/** At least this many kills happen while a task runs. */
const MANY = 10;
const MOST_OUTPUT = 1_000;
/** Tasks in each round before a kill. */
const AT_ONCE = 50;
const TURNS = 4;
const LONGEST_WAIT_MS = 60;
const LONGEST_ROUND_MS = 400;
/** The longest request of these tasks, by the product's own estimate. */
const MOST_INPUT = 5_000;

/** A model that calls a tool three times and then answers. It bills each request on arrival, even if the answer is lost. */
function billing() {
  let billed = 0;
  const answer: Answering = (response, asked) => {
    const { messages } = asked.body as { messages: { role: string }[] };
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    // Lower than the product's estimate, as real counts are; otherwise the cap could be exceeded by the difference.
    const input = Math.ceil(JSON.stringify(asked.body).length / 8);
    const output = 1 + Math.floor(Math.random() * MOST_OUTPUT);
    billed += input + output;
    const says = turn + 1 < TURNS ? { call: 'calculate', input: ['{"expression":"1 + 1"}'] } : { text: 'It is two.' };
    const finish = turn + 1 < TURNS ? 'calls' : 'stop';
    const waitMs = Math.random() * LONGEST_WAIT_MS;
    return OPENAI.stream({ waitMs }, says, { waitMs }, { finish }, { usage: { input, output } })(response, asked);
  };
  return { answer, billed: () => billed };
}

const request = (at: number): Wish => ({
  key: `task-${at}`,
  body: JSON.stringify({
    namespace: 'budget',
    delivery: { type: 'webhook', config: { endpoint: 'http://127.0.0.1:9/results' } },
    input: { type: 'chat', prompt: `What is 1 + 1 in case ${at}?` },
  }),
});

type Load = { kills: number; cap: number };

/** Returns the measured counts. */
export async function killBudget(load: Load): Promise<string> {
  const folder = temporaryFolder();
  const ledger = billing();
  const provider = await stubServer(ledger.answer);
  let running: Running | undefined;
  const env = {
    ERRAND_MODELS: 'openai/m',
    ERRAND_OPENAI_ADDRESS: `${provider.address}/v1`,
    ERRAND_MODEL_TABLE: JSON.stringify({ 'openai/m': { output: MOST_OUTPUT } }),
  };
  try {
    return await killedOver(load, ledger.billed, async () => {
      running = await startLocalProduct(join(folder.path, 'state'), await freePort(), [], { env });
      return running;
    });
  } finally {
    running?.process.kill('SIGKILL');
    await provider.close();
    folder.remove();
  }
}

async function killedOver({ kills, cap }: Load, billed: () => number, start: () => Promise<Running>) {
  let running = await start();
  const [organization] = running.local.organizations;
  if (!organization) throw new Error('The demo organization is missing.');
  const { env } = running;
  const local = openLocal(env);
  await overrideLimit(local.table, organization.id, { limit: MONTHLY_TOKENS.name, most: cap });
  for (const limit of ['tasks', 'reads'])
    await overrideLimit(local.table, organization.id, { limit, minute: 1_000_000 });
  local.close();
  const { apiKey, id } = organization;
  const caller = killCaller({ baseUrl: () => running.local.filesAndTasks.baseUrl, apiKey });
  const tasks = AT_ONCE * Math.max(1, kills);
  const bring = (round: number) =>
    caller.bring(Array.from({ length: AT_ONCE }, (_, at) => request(round * AT_ONCE + at)));
  if (kills === 0) await bring(0);
  for (let kill = 0; kill < kills; kill++) {
    await bring(kill);
    await sleep(Math.random() * LONGEST_ROUND_MS);
    const gone = once(running.process, 'exit');
    running.process.kill('SIGKILL');
    await gone;
    expect(await spentOf(id, env)).toBeLessThanOrEqual(cap);
    running = await start();
  }
  await expect
    .poll(async () => (await caller.all()).every(({ completedAt }) => completedAt !== undefined), {
      timeout: 240_000,
      interval: 200,
    })
    .toBe(true);
  const all = await caller.all();
  await running.stop();

  const found = await tasksOf(
    all.map(({ taskId }) => ({ organization: id, taskId })),
    env,
  );
  const deaths = found.reduce((sum, { past = [] }) => sum + past.length, 0);
  const countEnds = (code: string) => found.filter((task) => task.code === code).length;
  const spent = await spentOf(id, env);
  expect(found.length).toBe(tasks);
  expect(found.filter(({ state }) => state === 'succeeded').length + countEnds('BUDGET_EXCEEDED')).toBe(tasks);
  expect(countEnds('BUDGET_EXCEEDED')).toBeGreaterThan(0);
  expect(billed()).toBeLessThanOrEqual(cap);
  expect(spent).toBeLessThanOrEqual(cap);
  // Everything billed is counted; beyond that, only the reservations of killed workers remain.
  expect(spent).toBeGreaterThanOrEqual(billed());
  expect(spent - billed()).toBeLessThanOrEqual(deaths * (MOST_INPUT + MOST_OUTPUT));
  if (kills >= MANY) expect(deaths).toBeGreaterThan(0);
  return `${tasks} tasks, ${kills} kills, ${deaths} attempts lost: ${billed()} of ${cap} tokens billed, ${spent - billed()} more counted for calls that a kill cut off; ${countEnds('BUDGET_EXCEEDED')} tasks ended at the cap`;
}

async function spentOf(organization: string, env: NodeJS.ProcessEnv): Promise<number> {
  const { table, close } = openLocal(env);
  const { rows } = await table.rows<{ tokens?: number }>(`O#${organization}#USAGE`, 'MONTH#', { limit: 5 });
  close();
  return rows.reduce((sum, { value }) => sum + (value.tokens ?? 0), 0);
}

async function tasksOf(addresses: TaskAddress[], env: NodeJS.ProcessEnv): Promise<Task[]> {
  const { table, close } = openLocal(env);
  const rows = await Promise.all(addresses.map((address) => table.get<Task>(taskKey(address))));
  close();
  return rows.flatMap((row) => (row ? [row.value] : []));
}
