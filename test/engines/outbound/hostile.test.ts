import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { floodServer } from './flood-server.ts';
import { guardIn } from './guard.ts';
import { HOSTILE } from './hostile.scenarios.ts';
import { readInFreshProcess } from './slow-reader.ts';
import { TLS } from './tls.scenarios.ts';

const MEGABYTE = 2 ** 20;
const guard = guardIn(join(import.meta.dirname, '../../../engines/outbound'));

afterAll(async () => {
  const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP'));
  await vi.waitFor(() => expect(sockets()).toEqual([]));
});

describe('over real TLS the guard', () => {
  it.each([...HOSTILE, ...TLS])('$promise', ({ check }) => check(guard));

  it('needs no more memory for much than for little, however slowly it is read', async () => {
    const { origin, ca, stop } = await floodServer();
    try {
      const { outcome, bytes, growth } = await readInFreshProcess({ origin, ca, megabytes: 320 });
      expect(outcome).toBe('tooLarge');
      expect(bytes).toBeGreaterThan(319 * MEGABYTE);
      expect(growth).toBeLessThan(64 * MEGABYTE);
    } finally {
      stop();
    }
  }, 30_000);
});
