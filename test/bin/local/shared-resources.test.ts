/** Every resource that organizations of one process share is behind the fair semaphore of the local product. */
import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { type Product, startProduct } from '../../../bin/local/product.ts';
import { tasksAtOnce } from '../../../bin/local/workers.ts';
import { passwords } from '../../../engines/passwords/passwords.ts';
import { LANE_SHARES, LANES, type Lane, organizationSlots } from '../../../shared/core/lane.ts';
import { logger } from '../../../shared/core/log.ts';
import { namedSemaphores, SHARED_RESOURCES, type Slot } from '../../../shared/core/semaphore.ts';
import { systemClock } from '../../../shared/core/time.ts';
import type { Key } from '../../../shared/ports.ts';
import { hintOf } from '../../../shared/tasks/hints.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type SharedResource = (typeof SHARED_RESOURCES)[number];

/**
 * Without a semaphore of their own: the lanes are queues, and each consumer bounds what it receives for an organization,
 * so that tasks wait in the queue and not in memory.
 */
const BY_THE_QUEUE: readonly SharedResource[] = ['workerSlots'];
/** Held for less than a second each, so that all slots may serve the burst of one organization. */
const BY_TURNS: readonly SharedResource[] = ['passwordHashing'];

const folder = temporaryFolder();
const local = openLocal({ ERRAND_STATE: folder.path });
/** The partitions of leased tasks: their reads are blocked so that each keeps its slot. */
const held: string[] = [];
const release = Promise.withResolvers<void>();
const table: typeof local.table = {
  ...local.table,
  async getMany<T>(keys: Key[]) {
    const { pk = '' } = keys[0] ?? {};
    if (/(busy|next)-/.test(pk)) {
      held.push(pk);
      await release.promise;
    }
    return local.table.getMany<T>(keys);
  },
};

async function sendHints(lane: Lane, organization: string, count: number): Promise<void> {
  const { ids, queues } = local;
  for (let sent = 0; sent < count; sent++) {
    const body = hintOf({ organization, taskId: ids.uuid() });
    await queues.lanes[lane].send([{ body, group: organization, delaySeconds: 0 }]);
  }
}
let product: Product;

beforeAll(async () => {
  const port = await freePort();
  product = await startProduct(
    { ...local, table },
    {
      ports: [port, port + 1],
      log: logger({ clock: systemClock, write: () => undefined, minLevel: 'error' }),
      sources: { allowSources: [], ca: undefined },
      passwords: passwords(),
      organizations: [],
      modelConnections: new Map(),
      maxBadCredentials: 300,
    },
  );
});

afterAll(async () => {
  release.resolve();
  await product.stop();
  local.close();
  folder.remove();
});

/** The share of one organization, however many requests it sends. */
function takeAll(name: SharedResource, organization: string): Slot[] {
  const slots = namedSemaphores().get(name);
  const taken: Slot[] = [];
  // Memory is counted in characters, too many to acquire one by one.
  const weight = name === 'chatMemory' ? 100_000 : 1;
  const take = () => slots?.tryAcquire({ organization, weight });
  for (let slot = take(); slot; slot = take()) taken.push(slot);
  return taken;
}

describe('what organizations share', () => {
  it('has a semaphore for each resource, except for those that are listed as fair by other means', () => {
    const missing = SHARED_RESOURCES.filter((name) => !namedSemaphores().has(name));
    expect(missing).toEqual(BY_THE_QUEUE);
  });

  it.each(SHARED_RESOURCES.filter((name) => !BY_THE_QUEUE.includes(name) && !BY_TURNS.includes(name)))(
    'leaves some of the %s to the next organization, however much one of them asks for',
    (name) => {
      const taken = takeAll(name, 'busy');
      const next = namedSemaphores().get(name)?.tryAcquire({ organization: 'next' });
      for (const slot of [...taken, ...(next ? [next] : [])]) slot.release();
      expect(taken.length).toBeGreaterThan(0);
      expect(next).toBeDefined();
    },
  );

  it.each(LANES)(
    'leaves worker slots of the %s lane to the next organization, however many tasks one has',
    async (lane) => {
      const [busy, next] = [`busy-${lane}`, `next-${lane}`];
      const slots = tasksAtOnce() * LANE_SHARES[lane];
      const countHeld = (organization: string) => held.filter((pk) => pk.includes(organization)).length;
      await sendHints(lane, busy, slots * 2);
      await vi.waitFor(() => expect(countHeld(busy)).toBe(organizationSlots(slots)), 5_000);
      await sendHints(lane, next, slots);
      await vi.waitFor(() => expect(countHeld(next)).toBe(slots - organizationSlots(slots)), 5_000);
      expect(countHeld(busy)).toBe(organizationSlots(slots));
    },
  );

  it.each(BY_TURNS)(
    'gives the next free slot of the %s to the next organization, however many others wait',
    async (name) => {
      const slots = namedSemaphores().get(name);
      const taken = takeAll(name, 'busy');
      const order: string[] = [];
      const wait = async (organization: string) => {
        const slot = await slots?.acquire({ organization });
        order.push(organization);
        slot?.release();
      };
      const waiting = [...Array.from({ length: 20 }, () => wait('busy')), wait('next')];
      for (const slot of taken) slot.release();
      await Promise.all(waiting);
      expect(order.indexOf('next')).toBeLessThan(taken.length);
    },
  );

  it('waits in no queue but that of the semaphore', () => {
    const files = globSync('{shared,agents,engines,functions,adapters,bin}/**/*.ts');
    const waiters = /\(\s*(?:resolve|done)\s*\)\s*=>\s*(?:void\s+)?[\w.?()]+\.push\(\s*(?:resolve|done)\s*\)/;
    expect(files.length).toBeGreaterThan(300);
    expect(files.filter((file) => waiters.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
