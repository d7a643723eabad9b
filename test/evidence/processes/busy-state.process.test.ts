import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { proves } from '../../support/proves.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { carefully } from './careful-caller.ts';
import { openProduct } from './setup.ts';

const HELD_MS = 8_000;
const SOON_MS = 2_000;

let folder: ReturnType<typeof temporaryFolder>;
let product: Awaited<ReturnType<typeof openProduct>>;

beforeEach(async () => {
  folder = temporaryFolder();
  product = await openProduct(join(folder.path, 'state'));
  await product.start();
});
afterEach(async () => {
  await product.kill();
  folder.remove();
});

it('rejects writers with a message while another process holds the state, and blocks no other call', async ({
  task,
}) => {
  const { caller, now } = product;
  await caller.bring(() => caller.counts.put < 20);
  const file = join(folder.path, 'state', 'state.db');
  const holder = spawn(process.execPath, [join(import.meta.dirname, 'hold-lock.ts'), file, String(HELD_MS)]);
  await once(holder.stdout, 'data');
  const released = once(holder, 'exit');
  let isHeld = true;
  void released.then(() => {
    isHeld = false;
  });

  const bringing = caller.bring(() => isHeld);
  const health = `${now().local.filesAndTasks.baseUrl}/health`;
  let slowest = 0;
  while (isHeld) {
    const begun = performance.now();
    await carefully(health, {}, [200]);
    slowest = Math.max(slowest, performance.now() - begun);
    await sleep(100);
  }
  await bringing;
  expect(slowest).toBeLessThan(SOON_MS);
  expect(caller.counts.off).toBeGreaterThan(0);
  await expect.poll(() => caller.submit(100), { timeout: 5_000 }).toBe(true);
  await caller.allSucceed(240_000);
  proves(
    task,
    `${caller.accepted.size} tasks, ${caller.counts.off} put off over ${HELD_MS / 1_000} s, 0 lost; others waited ${Math.round(slowest)} ms at most`,
  );
  await product.kill();
  expect(product.faults()).toEqual([]);
});
