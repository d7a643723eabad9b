/** A local product for each test in a folder of its own. Its hooks run in the test file that imports it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { freePort } from '../../functions/over-http/free-port.ts';
import { NO_MODEL, type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { CHILD_ENVIRONMENT } from '../../support/child-environment.ts';
import { endWithParent } from '../../support/end-with-parent.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export const SCRIPT = join(import.meta.dirname, '../../../bin/local.ts');

export let folder: ReturnType<typeof temporaryFolder>;
export let state = '';
export let port = 0;
const running: Running[] = [];

beforeEach(async () => {
  folder = temporaryFolder();
  state = join(folder.path, 'state');
  port = await freePort();
});

afterEach(async () => {
  for (const { process: product } of running.splice(0)) {
    if (product.exitCode !== null || product.signalCode !== null) continue;
    product.kill('SIGKILL');
    await once(product, 'exit');
  }
  folder.remove();
});

export async function start(): Promise<Running> {
  const product = await startLocalProduct(state, port);
  running.push(product);
  return product;
}

export const startOnce = (args: string[] = [], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [SCRIPT, NO_MODEL, ...args], {
    encoding: 'utf8',
    env: { ...CHILD_ENVIRONMENT, ERRAND_STATE: state, ERRAND_PORT: String(port), ...env },
  });

/** Starts the product and returns its printed output. `words` are its arguments. */
export async function startPrinting(more: Record<string, string> = {}, words: string[] = [NO_MODEL]) {
  const product = endWithParent(
    spawn(process.execPath, [SCRIPT, ...words], {
      env: { ...CHILD_ENVIRONMENT, ERRAND_STATE: state, ERRAND_PORT: String(port), ...more },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  let printed = '';
  for await (const text of product.stdout.setEncoding('utf8')) {
    printed += text;
    if (printed.includes('Ctrl-C')) break;
  }
  const stop = async () => {
    product.kill('SIGTERM');
    expect(await once(product, 'exit')).toEqual([0, null]);
  };
  return { printed, stop };
}

export const models = ({ local }: Running, key: string | undefined) =>
  fetch(`${local.filesAndTasks.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } });
