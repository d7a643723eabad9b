/** The connection state of a watch. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Socket, watching } from './socket.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const status = { task_id: 'a', status: 'pending', progress: { percentage: 0 }, started_at: null, metadata: {} };

it('reports lost with the connection, and live again with the next one', async () => {
  let isThere = true;
  const at = watching(() => (isThere ? status : undefined), { taskIds: ['a'] });
  await pass(0);
  expect(at.ways).toEqual(['websocket']);
  isThere = false;
  Socket.made[0]?.close();
  await pass(0);
  expect(at.ways).toEqual(['websocket', 'lost']);
  await pass(60_000);
  expect(at.ways).toEqual(['websocket', 'lost']);
  isThere = true;
  await pass(5_000);
  expect(at.ways).toEqual(['websocket', 'lost', 'websocket']);
  expect(Socket.made).toHaveLength(2);
  expect(await at.stop()).toBe('ABORTED');
});

it('gives up after ten minutes without a network, counted from the disconnect', async () => {
  let isThere = true;
  const at = watching(() => (isThere ? status : undefined), { taskIds: ['a'] });
  // A silent connection, such as that of a sleeping machine.
  await pass(100_000);
  vi.setSystemTime(Date.now() + 3_600_000);
  isThere = false;
  Socket.made[0]?.close();
  await pass(590_000);
  expect(at.ways.at(-1)).toBe('lost');
  await pass(20_000);
  expect(await at.ended).toBe('NETWORK');
});

it('reports lost while polls fail, and polling when one succeeds', async () => {
  let late = () => {};
  let isLate = false;
  const answer = () => (isLate ? new Promise<object>((resolve) => (late = () => resolve(status))) : status);
  class None {
    constructor() {
      throw new Error('forbidden');
    }
  }
  const at = watching(answer, { taskIds: ['a'], WebSocket: None as never });
  await pass(1_000);
  expect(at.ways).toEqual(['polling']);
  isLate = true;
  await pass(3_000);
  expect(at.ways).toEqual(['polling']);
  await pass(6_000);
  expect(at.ways).toEqual(['polling', 'lost']);
  isLate = false;
  late();
  await pass(0);
  expect(at.ways).toEqual(['polling', 'lost', 'polling']);
  await at.stop();
});
