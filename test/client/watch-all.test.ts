/** Watching all tasks: updates from now on, and no earlier ones. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Socket, watching } from './socket.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const at = (second: number): string => new Date(Date.UTC(2026, 10, 22, 12, 0, second)).toISOString();
const listedTask = (task_id: string, status: string, more: object = {}) => ({
  task_id,
  status,
  progress_percentage: status === 'completed' ? 100 : 0,
  created_at: at(0),
  completed_at: null,
  duration_minutes: null,
  metadata: {},
  ...more,
});
const message = (type: string, task_id: string, second: number, more: object = {}) => ({
  type: `task_${type}`,
  task_id,
  seq: 1,
  timestamp: at(second),
  metadata: {},
  ...more,
});
class None {
  constructor() {
    throw new Error('forbidden');
  }
}

it('polls without yielding past events, a start that did not happen, or an unknown time', async () => {
  let tasks = [
    listedTask('old', 'completed', { completed_at: at(1) }),
    listedTask('gone', 'cancelled', { completed_at: at(1) }),
    listedTask('going', 'processing', { progress_percentage: 40 }),
    listedTask('waits', 'pending'),
    listedTask('spoilt', 'pending'),
  ];
  const watch = watching(() => ({ tasks }), { WebSocket: None as never });
  await pass(6_000);
  expect(watch.told()).toEqual([]);
  tasks = [
    listedTask('quick', 'completed', { completed_at: at(9) }),
    ...tasks.slice(0, 2),
    listedTask('going', 'processing', { progress_percentage: 70 }),
    listedTask('waits', 'cancelled', { completed_at: at(8) }),
    listedTask('spoilt', 'failed', { completed_at: at(7) }),
  ];
  await pass(5_000);
  expect(watch.news).toEqual([
    { type: 'task_started', task_id: 'quick', metadata: {} },
    { type: 'task_progress', task_id: 'quick', timestamp: at(9), progress: 100, metadata: {} },
    { type: 'task_completed', task_id: 'quick', timestamp: at(9), metadata: {} },
    { type: 'task_progress', task_id: 'going', progress: 70, metadata: {} },
    {
      type: 'task_failed',
      task_id: 'waits',
      timestamp: at(8),
      error: { code: 'TASK_CANCELLED', message: 'The task was cancelled.' },
      metadata: {},
    },
    { type: 'task_failed', task_id: 'spoilt', timestamp: at(7), metadata: {} },
  ]);
  await watch.stop();
});

it('resumes after a disconnect without repeating events, and drops those from before its start', async () => {
  vi.setSystemTime(at(0));
  let lists = 0;
  const tasks = [listedTask('old', 'completed', { completed_at: at(0) }), listedTask('going', 'processing')];
  const watch = watching((path) => {
    if (path.endsWith('/tasks')) lists++;
    return { tasks };
  });
  await pass(0);
  const [first] = Socket.made;
  first?.say(message('started', 'old', 0), message('completed', 'old', 0), message('started', 'going', 0));
  first?.say({ type: 'replay_complete', timestamp: at(2) }, message('progress', 'going', 30, { progress: 50 }));
  await pass(0);
  expect(watch.told()).toEqual(['going task_progress 50']);
  first?.close();
  await pass(1_000);
  const [, second] = Socket.made;
  expect(second?.since).toBe(at(30));
  // The connection breaks during the replay: missing updates may be older than received ones.
  second?.say(message('completed', 'going', 40));
  await pass(0);
  second?.close();
  await pass(2_000);
  const [, , third] = Socket.made;
  expect(third?.since).toBe(at(30));
  third?.say(message('completed', 'going', 40), message('failed', 'other', 35));
  third?.say({ type: 'replay_complete', timestamp: at(41) });
  await pass(0);
  expect(watch.told()).toEqual(['going task_progress 50', 'going task_completed', 'other task_failed']);
  expect(lists).toBe(1);
  await watch.stop();
});

it('reads the list if it was disconnected for too long', async () => {
  let tasks = [listedTask('going', 'processing')];
  const watch = watching(() => ({ tasks }));
  await pass(0);
  tasks = [listedTask('going', 'completed', { completed_at: at(9) })];
  Socket.made[0]?.say({ type: 'resync_required', timestamp: at(10) });
  await pass(0);
  expect(watch.told()).toEqual(['going task_progress 100', 'going task_completed']);
  await watch.stop();
});
