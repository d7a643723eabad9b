import { describe, expect, it } from 'vitest';
import type { AgentContract, TaskNews } from '../../client/src/index.ts';
import { isOfPage, mayEnterPage, pageAfterUpdate, stagesOf, statusAfter } from '../../console/task-updates.ts';

const taskInList = (task: Partial<AgentContract.TaskInList> = {}): AgentContract.TaskInList => ({
  task_id: 'task_1',
  task_type: 'research_agent',
  priority: 5,
  status: 'pending',
  progress_percentage: 0,
  created_at: '2026-11-22T10:00:00.000Z',
  completed_at: null,
  duration_minutes: null,
  metadata: {},
  ...task,
});
const page = (...tasks: AgentContract.TaskInList[]): AgentContract.TaskPage => ({
  tasks,
  pagination: {
    total_count: tasks.length,
    total_count_capped: false,
    offset: 0,
    limit: 25,
    has_next: false,
    next_cursor: null,
  },
});
const news = (type: TaskNews['type'], more: Partial<TaskNews> = {}): TaskNews => ({
  type,
  task_id: 'task_1',
  timestamp: '2026-11-22T10:00:05.000Z',
  metadata: {},
  ...more,
});

describe('updates of a task in the list', () => {
  it('change its state and progress until its end', () => {
    const started = pageAfterUpdate(page(taskInList()), news('task_started'));
    expect(started.tasks[0]).toMatchObject({ status: 'processing', progress_percentage: 0 });
    const moved = pageAfterUpdate(started, news('task_progress', { progress: 40 }));
    expect(moved.tasks[0]).toMatchObject({ status: 'processing', progress_percentage: 40 });
    const ended = pageAfterUpdate(moved, news('task_completed'));
    expect(ended.tasks[0]).toMatchObject({
      status: 'completed',
      progress_percentage: 100,
      completed_at: '2026-11-22T10:00:05.000Z',
    });
  });

  it('distinguish a cancelled task from a failed one', () => {
    const of = (code: string) =>
      pageAfterUpdate(page(taskInList()), news('task_failed', { error: { code, message: '' } })).tasks[0]?.status;
    expect(of('TASK_CANCELLED')).toBe('cancelled');
    expect(of('PROCESSING_FAILED')).toBe('failed');
  });

  it('never lower the progress, reopen an ended task, or hide a cancellation', () => {
    const moving = page(taskInList({ status: 'processing', progress_percentage: 60 }));
    expect(pageAfterUpdate(moving, news('task_progress', { progress: 40 }))).toBe(moving);
    const ended = page(taskInList({ status: 'completed', progress_percentage: 100 }));
    expect(pageAfterUpdate(ended, news('task_progress', { progress: 40 }))).toBe(ended);
    expect(
      pageAfterUpdate(page(taskInList({ status: 'cancelling' })), news('task_progress', { progress: 4 })).tasks[0]
        ?.status,
    ).toBe('cancelling');
  });

  it('cause no render when they change nothing, or belong to another task', () => {
    const before = page(
      taskInList({ status: 'processing', progress_percentage: 60 }),
      taskInList({ task_id: 'task_2' }),
    );
    expect(pageAfterUpdate(before, news('task_started'))).toBe(before);
    expect(pageAfterUpdate(before, news('task_completed', { task_id: 'task_9' }))).toBe(before);
    expect(pageAfterUpdate(before, news('task_completed')).tasks[1]).toBe(before.tasks[1]);
  });

  it('reload the list only after an event later than its newest one', () => {
    const shown = page(taskInList());
    expect(isOfPage(shown, news('task_started'))).toBe(true);
    expect(isOfPage(undefined, news('task_started'))).toBe(false);
    expect(mayEnterPage(shown, news('task_started', { task_id: 'task_2' }))).toBe(true);
    expect(
      mayEnterPage(shown, news('task_completed', { task_id: 'task_2', timestamp: '2026-11-22T09:59:00.000Z' })),
    ).toBe(false);
    expect(mayEnterPage(shown, news('task_progress', { task_id: 'task_2' }))).toBe(false);
    expect(mayEnterPage(page(), news('task_started'))).toBe(true);
    expect(mayEnterPage(undefined, news('task_started'))).toBe(false);
  });
});

describe('a task on its page', () => {
  const status = (more: Partial<AgentContract.TaskStatus> = {}) =>
    ({
      ...taskInList(),
      progress: { percentage: 10, current_stage: 'planning', stages_completed: [], estimated_remaining_minutes: 1 },
      ...more,
    }) as AgentContract.TaskStatus;

  it('changes with its updates, and reads its end from the status', () => {
    expect(statusAfter(status(), news('task_progress', { progress: 30 }))).toMatchObject({
      status: 'processing',
      progress: { percentage: 30 },
    });
    const before = status({ status: 'processing' });
    expect(statusAfter(before, news('task_progress', { progress: 5 }))).toBe(before);
    expect(statusAfter(before, news('task_completed'))).toBe(before);
    const ended = status({ status: 'completed' });
    expect(statusAfter(ended, news('task_progress', { progress: 50 }))).toBe(ended);
  });

  it('says what it waits for until an update says no more', () => {
    const before = status({ status: 'processing' });
    const waiting = statusAfter(before, news('task_progress', { waiting_for: 'waiting for openai/m: 429' }));
    expect(waiting.progress.waiting_for).toBe('waiting for openai/m: 429');
    expect(statusAfter(waiting, news('task_progress')).progress).not.toHaveProperty('waiting_for');
  });

  it('shows the stage in which a task failed, which is the first one if none was completed', () => {
    const states = (current: string, done: string[]) =>
      stagesOf(['reading', 'asking', 'writing'], { current_stage: current, stages_completed: done }, 'failed').map(
        ({ state }) => state,
      );
    expect(states('writing', ['reading'])).toEqual(['done', 'left', 'failed']);
    expect(states('writing', [])).toEqual(['failed', 'left', 'left']);
  });

  it('shows completed, current and coming stages', () => {
    const known = ['planning', 'gathering', 'writing'];
    const states = (current: string | null, done: string[], status: Parameters<typeof stagesOf>[2] = 'open') =>
      stagesOf(known, { current_stage: current, stages_completed: done }, status).map(
        ({ name, state }) => `${name} ${state}`,
      );
    expect(states('gathering', ['planning'])).toEqual(['planning done', 'gathering now', 'writing ahead']);
    expect(states('gathering', ['planning'], 'cancelled')).toEqual(['planning done', 'gathering left', 'writing left']);
    expect(states('sorting', ['planning'])).toEqual([
      'sorting now',
      'planning done',
      'gathering ahead',
      'writing ahead',
    ]);
  });
});
