/** Starts the local product, as a person would, for the API suites. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import type { LocalFile } from '../../bin/local/local-file.ts';
import { openLocal } from '../../local/context.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';
import { makeOrganizations } from './target.ts';

const READY_MS = 20_000;

export async function setup(project: TestProject) {
  const folder = temporaryFolder();
  const state = join(folder.path, 'state');
  const env = { ...process.env, ERRAND_STATE: state, ERRAND_PORT: String(await freePort()) };
  const product = spawn(process.execPath, [join(import.meta.dirname, '../../bin/local.ts')], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const file = join(state, 'local.json');
  for (const end = Date.now() + READY_MS; !existsSync(file); await sleep(20)) {
    if (Date.now() > end || product.exitCode !== null) throw new Error('The local product did not become ready.');
  }
  const { filesAndTasks, agents } = JSON.parse(readFileSync(file, 'utf8')) as LocalFile;
  const local = openLocal(env);
  const organizations = await makeOrganizations(local);
  local.close();
  project.provide('target', {
    filesAndTasks: filesAndTasks.baseUrl,
    agents: agents.rootUrl,
    origin: 'http://localhost:5173',
    organizations,
  });
  return async () => {
    product.kill('SIGINT');
    await once(product, 'exit');
    folder.remove();
  };
}

/** One with a free one behind it, as the product takes two. */
async function freePort(): Promise<number> {
  for (;;) {
    const first = await listening(0);
    const second = await listening(first.port + 1).catch(() => undefined);
    first.close();
    second?.close();
    if (second) return first.port;
  }
}

async function listening(port: number): Promise<{ port: number; close(): void }> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : port, close: () => server.close() };
}
