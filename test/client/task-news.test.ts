import { expect, it } from 'vitest';
import { newsFilter, type TaskNews } from '../../client/src/updates/task-news.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 10, 21, 12, 0, second)).toISOString();
const news = (type: string, second: number, progress?: number): TaskNews =>
  ({ type: `task_${type}`, task_id: 'task_a', timestamp: at(second), progress, metadata: {} }) as TaskNews;
const through = (all: TaskNews[]) =>
  all.filter(newsFilter()).map(({ type, progress }) => `${type} ${progress ?? ''}`.trim());

const RUN = [news('started', 1), news('progress', 2, 50), news('progress', 3, 100), news('completed', 3)];
const TOLD = ['task_started', 'task_progress 50', 'task_progress 100', 'task_completed'];

it('reports each event once, however often it is repeated', () => {
  expect(through([...RUN, ...RUN])).toEqual(TOLD);
  expect(through(RUN.flatMap((each) => [each, each]))).toEqual(TOLD);
});

it('reports no falling progress, and nothing after the end', () => {
  expect(
    through([news('progress', 1, 50), news('progress', 2, 40), news('failed', 3), news('progress', 4, 90)]),
  ).toEqual(['task_progress 50', 'task_failed']);
});

it('reports the next run of a recurring task, and not the previous one again', () => {
  const next = [news('started', 61), news('completed', 62)];
  expect(through([...RUN, ...RUN, ...next, ...RUN, ...next])).toEqual([...TOLD, 'task_started', 'task_completed']);
});

it('reports what a task waits for, and that it does no more only when the WebSocket says so', () => {
  const busy = { ...news('progress', 2, 50), waiting_for: 'waiting for openai/m: 429' };
  const over = news('progress', 3, 50);
  const heard = (all: TaskNews[]) => all.filter(newsFilter()).map(({ waiting_for }) => waiting_for);
  expect(heard([news('progress', 1, 50), busy, busy, over])).toEqual([undefined, busy.waiting_for]);
  expect(heard([busy, { ...over, seq: 8 }, { ...over, seq: 10 }])).toEqual([busy.waiting_for, undefined]);
});
