/** The local product is killed repeatedly under a stream of tasks: each accepted task succeeds exactly once. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { claim, settle } from '../../../functions/http/idempotency.ts';
import { overrideLimit } from '../../../shared/accounts/caps.ts';
import type { Environment } from '../../../shared/core/environment.ts';
import { type TaskAddress, taskKey } from '../../../shared/tasks/rows.ts';
import type { Task } from '../../../shared/tasks/task.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { AT_ONCE, killCaller, type Wish } from './kill-caller.ts';

const TASKS_A_ROUND = 40;
const LONGEST_PAUSE_MS = 50;
const MINUTE = 60_000;
const MANY = 50;

/** Every tenth is long, so that its input takes rows of its own. */
function requestOf(at: number): Wish {
  const prompt = `When is invoice ${at} due?`.padEnd(at % 10 === 0 ? 90_000 : 0, ' The invoice is due in May.');
  const delivery = { type: 'webhook', config: { endpoint: 'http://127.0.0.1:9/results' } };
  const body = JSON.stringify({ namespace: 'kill', delivery, input: { type: 'chat', prompt } });
  return { key: `wish-${at}`, body };
}

/** Idempotency keys that a killed process claimed stay locked for a minute. This settles them with a clock that is a minute ahead. */
async function passMinuteOf(keys: Iterable<Wish>, organization: string, env: Environment): Promise<void> {
  const local = openLocal(env, { clock: { now: () => Date.now() + MINUTE } });
  for (const { key, body } of keys) {
    const call = { organization, method: 'POST', path: '/api/v1/tasks', key, body: Buffer.from(body) };
    const found = await claim(local, call);
    if ('claim' in found) await settle(local.table, found.claim, 'unknown');
  }
  local.close();
}

/**
 * Resolves at a random moment of a round at which submissions are in flight: after a random number of acknowledgements
 * and a random pause, before the last submissions of the round are sent.
 */
async function momentInFlight(caller: ReturnType<typeof killCaller>, submissions: number): Promise<void> {
  const before = caller.promised.size;
  const latest = submissions - AT_ONCE;
  await caller.accepted(before + randomInt(latest));
  // The acknowledgements come in bursts, so the pause also reaches the moments between them.
  await Promise.race([sleep(Math.random() * LONGEST_PAUSE_MS), caller.accepted(before + latest)]);
  // No submission is in flight while all of them wait because the organization has too many unfinished tasks.
  while (caller.inFlight.size === 0) await sleep(1);
}

type Start = () => Promise<Running>;

/** Starts once to create the state and to raise the rate limits of the first organization. */
async function prepared(start: Start) {
  let running = await start();
  const first = running;
  const [organization] = first.local.organizations;
  if (!organization) throw new Error('The demo organization is missing.');
  const local = openLocal(first.env);
  for (const limit of ['tasks', 'reads']) {
    await overrideLimit(local.table, organization.id, { limit, minute: 1_000_000 });
  }
  local.close();
  await first.stop();
  const { id, apiKey } = organization;
  const caller = killCaller({ baseUrl: () => running.local.filesAndTasks.baseUrl, apiKey });
  return {
    id,
    env: first.env,
    caller,
    async start() {
      running = await start();
      return running;
    },
  };
}

/**
 * Each round submits tasks and ends with a kill; at the end, all open submissions are repeated and all tasks end. Returns
 * the measured counts.
 */
export async function killTasks(rounds: number): Promise<string> {
  const folder = temporaryFolder();
  let running: Running | undefined;
  try {
    return await killedOver(rounds, async () => {
      // Each start has a port of its own, as another process may take the former one.
      running = await startLocalProduct(join(folder.path, 'state'), await freePort());
      return running;
    });
  } finally {
    running?.process.kill('SIGKILL');
    folder.remove();
  }
}

async function killedOver(rounds: number, startOne: Start): Promise<string> {
  const wishes = Array.from({ length: rounds * TASKS_A_ROUND }, (_, at) => requestOf(at));
  const { id: organization, env, caller, start } = await prepared(startOne);
  const isOpen = ({ key }: Wish) => !caller.promised.has(key);
  let repeated = 0;

  for (let round = 1; round <= rounds; round++) {
    await passMinuteOf(caller.unsure.values(), organization, env);
    const { process: product } = await start();
    // First repeats the submissions without an answer, with the same keys.
    const wanted = wishes.slice(0, round * TASKS_A_ROUND).filter(isOpen);
    const gone = once(product, 'exit');
    const submitting = caller.bring(wanted);
    const work = Promise.allSettled([submitting, caller.watch()]);
    await Promise.race([momentInFlight(caller, wanted.length), submitting]);
    const sent = [...caller.inFlight];
    product.kill('SIGKILL');
    expect(await gone).toEqual([null, 'SIGKILL']);
    await work;
    repeated += sent.filter((key) => !caller.promised.has(key)).length;
  }

  await passMinuteOf(caller.unsure.values(), organization, env);
  const last = await start();
  await caller.bring(wishes.filter(isOpen));
  await expect.poll(async () => (await caller.all()).every(isEnded), { timeout: 120_000, interval: 200 }).toBe(true);

  // No duplicate tasks, and each task in the state that was seen before.
  const all = await caller.all();
  expect(all.map(({ taskId }) => taskId).toSorted()).toEqual([...caller.promised.values()].toSorted());
  expect(all.length).toBe(wishes.length);
  for (const { taskId } of all) expect((await caller.get(taskId)).status, taskId).toBe('success');
  expect(caller.broken).toEqual([]);
  await last.stop();

  const interrupted = await interruptedOf(
    all.map(({ taskId }) => ({ organization, taskId })),
    env,
  );
  // Some kills must have interrupted submissions and running tasks, or the test proves little.
  expect(repeated).toBeGreaterThan(rounds);
  if (rounds >= MANY) expect(interrupted).toBeGreaterThan(0);
  return `0 of ${all.length} tasks lost or ended twice over ${rounds} kills: ${repeated} submits were repeated, ${interrupted} tasks had lost a worker`;
}

const isEnded = ({ completedAt }: { completedAt?: string }): boolean => completedAt !== undefined;

async function interruptedOf(addresses: TaskAddress[], env: Environment): Promise<number> {
  const { table, close } = openLocal(env);
  const tasks = await Promise.all(addresses.map((address) => table.get<Task>(taskKey(address))));
  expect(table.check().faults).toEqual([]);
  close();
  return tasks.filter((row) => row?.value.past?.length).length;
}
