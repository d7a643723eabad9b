/** Starts the local product in its own process, as `npm start` does, and waits until it is ready to serve. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { startBlock } from '../../../bin/local/start.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { ProvisionedOrganization } from '../../../shared/accounts/provision-organization.ts';
import { endWithParent } from '../../support/end-with-parent.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** A test never uses the models of whoever runs it. */
export const NO_MODEL = '--no-model';

/** The arguments that `npm start` passes to Node: flags, then the script; and no model. */
const START = [
  ...packageJson.scripts.start
    .split(' ')
    .slice(1)
    .map((word) => (word.startsWith('-') ? word : join(ROOT, word))),
];

/** The first passwords take long to hash on a busy machine. */
const READY_MS = 60_000;
const POLL_MS = 2;

/** The credentials are those of the first start; a test that changes them must account for it. */
type Local = Omit<Parameters<typeof startBlock>[0], 'organizations'> & { organizations: ProvisionedOrganization[] };
export type Running = { process: ChildProcess; local: Local; env: NodeJS.ProcessEnv; stop(): Promise<void> };
/** `flags` are passed to Node. `findsModel`: it may use the model server and the keys of whoever runs it. */
type StartOptions = { flags?: string[]; findsModel?: boolean; env?: NodeJS.ProcessEnv; stdio?: StdioOptions };

export async function startLocalProduct(
  state: string,
  port: number,
  words: string[] = [],
  { flags = [], findsModel = false, env: more = {}, stdio = ['ignore', 'ignore', 'inherit'] }: StartOptions = {},
): Promise<Running> {
  const env = { ...process.env, ...more, ERRAND_STATE: state, ERRAND_PORT: String(port) };
  const file = join(state, 'local.json');
  rmSync(file, { force: true }); // left by a killed product
  const args = findsModel ? words : [NO_MODEL, ...words];
  const product = endWithParent(spawn(process.execPath, [...flags, ...START, ...args], { env, stdio }));
  for (const end = Date.now() + READY_MS; !existsSync(file); await sleep(POLL_MS)) {
    if (Date.now() > end || product.exitCode !== null) throw new Error('The local product did not become ready.');
  }
  return {
    process: product,
    local: JSON.parse(readFileSync(file, 'utf8')) as Local,
    env,
    async stop() {
      product.kill('SIGINT');
      await once(product, 'exit');
    },
  };
}
