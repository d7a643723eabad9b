import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { growthDuring } from '../contracts/streams.ts';
import { floodServer } from './flood-server.ts';
import { guardIn } from './guard.ts';
import { HOSTILE } from './hostile.scenarios.ts';
import { TLS } from './tls.scenarios.ts';

const MEGABYTE = 2 ** 20;
const guard = guardIn(join(import.meta.dirname, '../../engines/outbound'));

afterAll(async () => {
  const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP'));
  await vi.waitFor(() => expect(sockets()).toEqual([]));
});

describe('over real TLS the guard', () => {
  it.each([...HOSTILE, ...TLS])('$promise', ({ hold }) => hold(guard));

  it('needs no more memory for much than for little, however slowly it is read', async () => {
    const { origin, ca, stop } = await floodServer();
    const policy = guard.publicPolicy({ ownHosts: [], allowSources: [origin], ca });
    const read = async (megabytes: number) => {
      const answer = await guard.outbound()(origin, { policy, maxBytes: megabytes * MEGABYTE });
      let bytes = 0;
      const reading = (async () => {
        for await (const chunk of answer.body) {
          bytes += chunk.byteLength;
          if (bytes < 4 * MEGABYTE) await pause(2);
        }
      })();
      await expect(reading).rejects.toMatchObject({ kind: 'failed', reason: 'tooLarge' });
      expect(bytes).toBeGreaterThan((megabytes - 1) * MEGABYTE);
    };
    try {
      await read(256);
      expect(await growthDuring(() => read(320))).toBeLessThan(64 * MEGABYTE);
    } finally {
      stop();
    }
  }, 30_000);
});
