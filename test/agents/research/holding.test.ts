/** What research holds of its sources, over all tasks of a process. */
import { expect, test, vi } from 'vitest';
import { createMeter } from '../../../shared/usage/meter.ts';
import { openResearch } from './setup.ts';

const TASKS = 30;
const HOLDING = 25;

test('twenty-five tasks at once hold what their sources gave; one that was called off while it waited begins nothing', async () => {
  const at = openResearch({ news_feeds: {} });
  const asks = { query: 'What became of the port fees?', sources: ['news_feeds'] };
  const ended: (() => void)[] = [];
  // Nothing comes of it: a stage that takes up what was gathered fails when it is let go on.
  const read = vi
    .spyOn(at.blobs, 'read')
    .mockImplementation(() => new Promise((resolve) => ended.push(() => resolve(undefined))));
  const control = new AbortController();
  const address = { organization: at.ids.uuid(), taskId: at.ids.uuid() };
  const running = Array.from({ length: TASKS }, (_, n) => {
    const ranking = at.stagesOf(asks).find(({ name }) => name === 'ranking');
    const { signal } = n === HOLDING ? control : new AbortController();
    const work = { address, input: asks, signal, meter: createMeter(), report: () => undefined };
    return ranking?.run(work, { known: { bytesAt: `${n}` } }).catch((error: Error) => error);
  });
  await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(HOLDING));
  control.abort(new Error('called off'));
  for (let more = 1; more < TASKS - HOLDING; more++) {
    ended.shift()?.();
    await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(HOLDING + more));
  }
  expect(await running[HOLDING]).toMatchObject({ message: 'called off' });
  for (const end of ended) end();
  await Promise.all(running);
  expect(read.mock.calls.map(([key]) => key)).not.toContain(`${HOLDING}`);
  at.close();
});
