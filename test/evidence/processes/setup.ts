/** A local product with a state folder of its own, whose only organization has no rate limits. */
import { once } from 'node:events';
import { openLocal } from '../../../adapters/local/context.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { makeOrganizations } from '../soak/organizations.ts';
import { carefulCaller } from './careful-caller.ts';

/** As `npm run prove:processes -- --short` sets it. */
export const isShort = process.env.PROVE_SHORT !== undefined;

export async function openProduct(state: string) {
  const [organization] = await makeOrganizations(state, 1);
  if (!organization) throw new Error('There is no organization.');
  let running: Running | undefined;
  const now = (): Running => {
    if (!running) throw new Error('The product does not run.');
    return running;
  };
  const { apiKey, username, password } = organization;
  return {
    username,
    password,
    caller: carefulCaller({ baseUrl: () => now().local.filesAndTasks.baseUrl, apiKey }),
    now,
    pid: (): number => now().process.pid ?? 0,
    async start(): Promise<void> {
      running = await startLocalProduct(state, await freePort());
    },
    async kill(): Promise<void> {
      if (!running) return;
      const { process: product } = running;
      if (product.exitCode !== null || product.signalCode !== null) return;
      product.kill('SIGKILL');
      await once(product, 'exit');
    },
    /** The result of SQLite's integrity check; no product may run on the state. */
    faults(): string[] {
      const { table, close } = openLocal({ ERRAND_STATE: state });
      const { faults } = table.check();
      close();
      return faults;
    },
  };
}
