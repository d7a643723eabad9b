/** A local product in a state of its own, whose one organization may call as often as it likes. */
import { once } from 'node:events';
import { openLocal } from '../../adapters/local/context.ts';
import { freePort } from '../api/free-port.ts';
import { type Running, startLocalProduct } from '../api/local-product.ts';
import { makeOrganizations } from '../soak/organizations.ts';
import { carefulCaller } from './careful-caller.ts';

/** The long form is for whoever has the time; the gate takes the short one. */
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
    /** What the table says of itself; nobody may be running on it. */
    faults(): string[] {
      const { table, close } = openLocal({ ERRAND_STATE: state });
      const { faults } = table.check();
      close();
      return faults;
    },
  };
}
