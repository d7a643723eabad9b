/** Pages of tasks: filtered, sorted and counted exactly among the organization's newest 10,000. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_LISTED } from '../../../shared/agents/list-agent-tasks.ts';
import { taskDraft } from '../../../shared/tasks/rows.ts';
import { newTask } from '../../../shared/tasks/task.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { interceptedTable, type TableCall } from '../../shared/tasks/intercepted-table.ts';
import { type Api, addressOf, openApi, type Who } from './setup.ts';

let api: Api;
let who: Who;
let calls: TableCall[];
beforeEach(() => {
  calls = [];
  const counting = (call: TableCall, go: () => Promise<never>) => {
    calls.push(call);
    return go();
  };
  api = openApi({ around: (table) => interceptedTable(table, counting as never) });
  who = { organization: api.found() };
});
afterEach(() => api.close());

const list = (query = '') => api.call(who, 'GET', `/tasks${query}`);
const idsIn = async (query: string): Promise<string[]> =>
  (await list(query)).body.tasks.map((task: { task_id: string }) => task.task_id);

type TaskOptions = { type?: string; priority?: number; end?: 'cancelled' | 'completed' | 'failed' | 'processing' };

async function createTask({ type = 'research_agent', priority = 5, end }: TaskOptions = {}): Promise<string> {
  const input = type === 'research_agent' ? { query: 'q' } : { documents: [{ url: 'https://a.errand-tests.org/' }] };
  const id = await api.submitted(who, { task_type: type, priority, input, metadata: { p: String(priority) } });
  const address = addressOf(who, id);
  api.clock.pass(60_000);
  if (end === 'cancelled') await moveTask(api, address, { type: 'cancel', force: true });
  else if (end) await moveTask(api, address, { type: 'claim' });
  api.clock.pass(30_000);
  if (end === 'completed') await moveTask(api, address, { type: 'finish', attempt: 1, as: 'succeeded' });
  if (end === 'failed') {
    await moveTask(api, address, { type: 'finish', attempt: 1, as: 'failed', code: 'PROCESSING_FAILED' });
  }
  return id;
}

it('shows exactly the fields of the specification, with null for values that are not known yet', async () => {
  const ended = await createTask({ end: 'completed', priority: 7 });
  const waiting = await createTask();
  const { status, body } = await list();
  expect(status).toBe(200);
  expect(body).toEqual({
    tasks: [
      {
        task_id: waiting,
        status: 'pending',
        task_type: 'research_agent',
        priority: 5,
        progress_percentage: 0,
        created_at: '2026-06-01T12:01:30.000Z',
        completed_at: null,
        duration_minutes: null,
        metadata: { p: '5' },
      },
      {
        task_id: ended,
        status: 'completed',
        task_type: 'research_agent',
        priority: 7,
        progress_percentage: 100,
        created_at: '2026-06-01T12:00:00.000Z',
        completed_at: '2026-06-01T12:01:30.000Z',
        duration_minutes: 0.5,
        metadata: { p: '7' },
      },
    ],
    pagination: {
      total_count: 2,
      total_count_capped: false,
      offset: 0,
      limit: 20,
      has_next: false,
      next_cursor: null,
    },
  });
});

it('filters by states and by type, and counts the matches', async () => {
  const all = {
    pending: await createTask(),
    processing: await createTask({ end: 'processing' }),
    completed: await createTask({ end: 'completed', type: 'processing_agent' }),
    failed: await createTask({ end: 'failed' }),
    cancelled: await createTask({ end: 'cancelled' }),
  };
  for (const [status, id] of Object.entries(all)) expect(await idsIn(`?status=${status}`), status).toEqual([id]);
  expect(await idsIn('?status=accepted')).toEqual([all.pending]);
  expect(await idsIn('?status=completed,failed,%20pending')).toEqual([all.failed, all.completed, all.pending]);
  expect(await idsIn('?task_type=processing_agent')).toEqual([all.completed]);
  expect(await idsIn('?task_type=processing_agent&status=failed')).toEqual([]);
  const { body } = await list('?task_type=research_agent&limit=1');
  expect(body.pagination).toMatchObject({ total_count: 4, has_next: true, limit: 1 });
});

describe('the order', () => {
  let ids: string[];
  beforeEach(async () => {
    ids = [
      await createTask({ priority: 3, end: 'completed' }),
      await createTask({ priority: 9 }),
      await createTask({ priority: 3, end: 'cancelled' }),
      await createTask({ priority: 10, end: 'failed' }),
    ];
  });
  const order = (...at: number[]) => at.map((place) => ids[place]);

  it.each([
    ['', [3, 2, 1, 0]],
    ['?sort_by=created_at&sort_order=asc', [0, 1, 2, 3]],
    ['?sort_by=priority', [3, 1, 2, 0]],
    ['?sort_by=priority&sort_order=asc', [0, 2, 1, 3]],
    ['?sort_by=completed_at', [3, 2, 0, 1]],
    ['?sort_by=completed_at&sort_order=asc', [0, 2, 3, 1]],
    ['?offset=1&limit=2', [2, 1]],
    ['?offset=4', []],
    ['?offset=10000', []],
  ] as const)('of %s', async (query, places) => {
    expect(await idsIn(query)).toEqual(order(...places));
  });

  it.each(['created_at', 'completed_at', 'priority'])('by %s continues after a cursor', async (sortBy) => {
    for (const sortOrder of ['asc', 'desc']) {
      const query = `?limit=1&sort_by=${sortBy}&sort_order=${sortOrder}`;
      const whole = await idsIn(query.replace('limit=1', 'limit=100'));
      const seenIds: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const { body } = await list(query + (cursor ? `&cursor=${cursor}` : ''));
        expect(body.pagination).toMatchObject({ offset: seenIds.length, total_count: 4 });
        seenIds.push(body.tasks[0].task_id);
        expect(body.pagination.has_next).toBe(seenIds.length < 4);
        cursor = body.pagination.next_cursor;
      }
      expect(seenIds).toEqual(whole);
    }
  });

  it('is not affected by tasks that are created between two pages of a cursor', async () => {
    const first = await list('?limit=2');
    await createTask();
    expect(await idsIn(`?limit=2&cursor=${first.body.pagination.next_cursor}`)).toEqual(order(1, 0));
    expect(await idsIn('?limit=2&offset=2')).toEqual(order(2, 1));
  });
});

it.each([
  ['limit=0', ['limit']],
  ['limit=101', ['limit']],
  ['limit=', ['limit']],
  ['limit=2.0', ['limit']],
  ['limit=%2B2', ['limit']],
  ['offset=-1', ['offset']],
  ['offset=10001', ['offset']],
  ['status=', ['status']],
  ['status=done', ['status']],
  ['status=pending,', ['status']],
  ['task_type=chat', ['task_type']],
  ['sort_by=name', ['sort_by']],
  ['sort_order=DOWN', ['sort_order']],
  ['cursor=abc&offset=1', ['cursor']],
  ['limit=1&limit=2', ['limit']],
  ['status=pending&status=pending', ['status']],
  [
    'limit=x&offset=x&status=x&task_type=x&sort_by=x&sort_order=x',
    ['limit', 'offset', 'status', 'task_type', 'sort_by', 'sort_order'],
  ],
])('refuses ?%s', async (query, fields) => {
  const { status, body } = await list(`?${query}`);
  expect([status, body.error.code]).toEqual([400, 'TASK_VALIDATION_FAILED']);
  expect(body.error.details.invalid_fields.toSorted()).toEqual(fields.toSorted());
});

it.each(['', 'x', 'a%20b', Buffer.from('created_at asc 1 x').toString('base64url')])(
  'refuses the cursor %j of another list',
  async (cursor) => {
    const { status, body } = await list(`?cursor=${cursor}`);
    expect([status, body.error.details.invalid_fields]).toEqual([400, ['cursor']]);
  },
);

it('reads the newest 10,000, and reports if there are more', async () => {
  const first = await createTask();
  const drafts = Array.from({ length: MAX_LISTED }, (_, at) => {
    const address = { organization: who.organization, taskId: api.ids.uuid() };
    const now = api.clock.now() + at;
    const fields = { face: 'agents', type: 'research_agent', priority: (at % 10) + 1, hasWebhook: false } as const;
    return taskDraft(address, newTask({ ...fields, now }), now);
  });
  await Promise.all(drafts.map((draft) => api.table.insert(draft)));
  const { body } = await list('?sort_order=asc&limit=1');
  expect(body.pagination).toMatchObject({ total_count: MAX_LISTED, total_count_capped: true, has_next: true });
  expect(body.tasks[0].task_id).not.toBe(first);
  expect((await list('?sort_by=priority&limit=1')).body.tasks[0].priority).toBe(10);
  expect((await api.call(who, 'GET', `/tasks/${first}`)).status).toBe(200);
});

it('calls the table three times for a page, including the rate limit', async () => {
  for (let n = 0; n < 3; n++) await createTask();
  calls.length = 0;
  await list('?limit=20');
  expect(calls.map(({ name }) => name)).toEqual(['spend', 'listed', 'getMany']);
});

it('accepts the values of its parameters in upper and lower case', async () => {
  expect(await idsIn('?sort_order=ASC&sort_by=Created_At')).toEqual(await idsIn('?sort_order=asc'));
  expect(await idsIn('?status=FAILED,Completed&task_type=Research_Agent')).toEqual(
    await idsIn('?status=failed,completed&task_type=research_agent'),
  );
});
