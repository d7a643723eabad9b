import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../../functions/over-http/free-port.ts';
import { NO_MODEL } from '../../functions/over-http/local-product.ts';
import { proves } from '../../support/proves.ts';
import { carefully } from './careful-caller.ts';
import { openProduct } from './setup.ts';
import { type SmallDisk, smallDisk } from './small-disk.ts';

const LONG = 50_000;
const REFUSALS = 60;
/** The reconciler runs once a minute; a lost lease expires after another minute. */
const RECOVERS_MS = 240_000;

let disk: SmallDisk;
let product: Awaited<ReturnType<typeof openProduct>>;

beforeEach(async () => {
  disk = smallDisk();
  console.log(`The full disk is ${disk.way}.`);
  product = await openProduct(disk.state);
  await product.start();
});
afterEach(async () => {
  await product.kill();
  disk.remove();
});

async function waitUntilFull(): Promise<void> {
  const { caller } = product;
  await caller.bring(() => caller.counts.put < 40);
  disk.fill(product.pid());
  await caller.bring(() => caller.counts.off < REFUSALS, LONG);
}

it('refuses in words while there is no room, and goes on by itself when there is', async ({ task }) => {
  const { caller, now } = product;
  const offer = (await caller.ask('/files', { fileName: 'a.txt' })).body;
  const upload = () => carefully(String(offer.uploadUrl), { method: 'PUT', body: 'x'.repeat(3_000_000) }, [200]);
  await waitUntilFull();
  expect((await upload()).status).toBe(503);
  expect((await carefully(`${now().local.filesAndTasks.baseUrl}/health`, {}, [200])).status).toBe(200);
  const { rootUrl } = now().local.agents;
  const login = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: product.username, password: product.password }),
  };
  await carefully(`${rootUrl}/auth/login`, login, [200]);
  // Reads go on: their limits are counted in memory meanwhile.
  for (const path of ['', ...[...caller.accepted].slice(0, 20).map((taskId) => `/${taskId}`)])
    expect((await caller.ask(`/tasks${path}`)).status).toBe(200);

  disk.free(product.pid());
  await expect.poll(() => caller.submit(LONG), { timeout: 10_000 }).toBe(true);
  expect((await upload()).status).toBe(200);
  await caller.allSucceed(RECOVERS_MS);
  proves(task, `${caller.accepted.size} tasks, ${caller.counts.off} put off, 0 lost; ${disk.way}`);
  await product.kill();
  expect(product.faults()).toEqual([]);
});

const LINE = /^errand: .+ cannot be written \(ENOSPC\): free some space there, or set ERRAND_STATE to another one\.\n$/;

it('loses nothing when it is killed meanwhile, and says so in a line if it cannot start there', async ({ task }) => {
  const { caller } = product;
  await waitUntilFull();
  await product.kill();
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../../../bin/local.ts'), NO_MODEL],
    {
      env: { PATH: process.env.PATH, ERRAND_STATE: disk.state, ERRAND_PORT: String(await freePort()) },
      encoding: 'utf8',
      timeout: 5_000,
    },
  );
  // It may find enough space to start, and then runs until it is stopped.
  if (status === 1) expect(stderr).toMatch(LINE);
  else expect(status, stderr).toBe(null);
  disk.free(product.pid());
  await product.start();
  await caller.allSucceed(RECOVERS_MS);
  proves(task, `${caller.accepted.size} tasks, 0 lost; ${disk.way}`);
  await product.kill();
  expect(product.faults()).toEqual([]);
});
