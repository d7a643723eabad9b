/** A state folder that is not writable: one line with a remedy at the start, for every reason. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../../functions/over-http/free-port.ts';
import { NO_MODEL } from '../../functions/over-http/local-product.ts';
import { proves } from '../../support/proves.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openProduct } from './setup.ts';
import { mayMount, unmount } from './small-disk.ts';

const SCRIPT = join(import.meta.dirname, '../../../bin/local.ts');
const REFUSED =
  /^errand: \S+ cannot be (used as the state folder|written) \((\w+)\): .*set ERRAND_STATE to (a folder you can write|another one)\.\n$/;

let folder: ReturnType<typeof temporaryFolder>;
let mounted: string[] = [];
beforeEach(() => {
  folder = temporaryFolder();
  mounted = [];
});
afterEach(() => {
  for (const at of mounted) unmount(at);
  folder.remove();
});

async function refusalOn(state: string): Promise<string | undefined> {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, NO_MODEL], {
    env: { PATH: process.env.PATH, ERRAND_STATE: state, ERRAND_PORT: String(await freePort()) },
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect([status, stdout], stderr).toEqual([1, '']);
  expect(stderr).toMatch(REFUSED);
  return REFUSED.exec(stderr)?.[2];
}

function mount(at: string, ...options: string[]): boolean {
  const done = mayMount(at, ...options);
  if (done) mounted.push(at);
  return done;
}

/** Root ignores the mode of a folder, so the test mounts a read-only one; where it cannot, it puts a file in its place. */
function readOnly(state: string): string {
  if (process.getuid?.() !== 0) {
    chmodSync(state, 0o555);
    return 'a folder of mode 555';
  }
  if (mount(state, '--bind', state)) {
    mayMount(state, '-o', 'remount,bind,ro');
    return 'a read-only mount';
  }
  return '';
}

it('is reported and left as it was: it runs again when it can be written', async ({ task }) => {
  const state = join(folder.path, 'state');
  const product = await openProduct(state);
  await product.start();
  const { caller } = product;
  await caller.bring(() => caller.counts.put < 20);
  await product.kill();
  const way = readOnly(state);
  const seen: string[] = [];
  if (way !== '') {
    console.log(`The state folder is made unwritable by ${way}.`);
    seen.push(`${await refusalOn(state)} (${way})`);
    if (mounted.length > 0) unmount(mounted.pop() ?? '');
    else chmodSync(state, 0o700);
  }
  writeFileSync(join(folder.path, 'file'), 'mine');
  seen.push(`${await refusalOn(join(folder.path, 'file', 'state'))} (a file in its way)`);
  await product.start();
  await caller.allSucceed(60_000);
  await product.kill();
  proves(task, `one line each: ${seen.join(', ')}; then 20 of 20 tasks there`);
});

it('is reported when the disk is full at the start', async ({ skip, task }) => {
  const state = join(folder.path, 'state');
  mkdirSync(state);
  if (!mount(state, '-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs')) {
    skip('Nothing may be mounted here, so there is no such disk.');
  }
  expect(await refusalOn(state)).toBe('ENOSPC');
  proves(task, 'one line on a disk of 64 kB');
});
