/** Reads go on while the state of a single process cannot be written, within the same limits. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agents } from '../../../functions/agents/api.ts';
import { dispatcher } from '../../../functions/http/dispatch.ts';
import { Problem } from '../../../shared/core/problem.ts';
import { interceptedTable } from '../../shared/tasks/intercepted-table.ts';
import { openApi } from '../agents/setup.ts';

const MOST = 5;

let isFull = false;
let api: ReturnType<typeof openApi>;
let organization: string;
beforeEach(() => {
  isFull = false;
  api = openApi({
    around: (table) =>
      interceptedTable(table, ({ isWrite }, go) => {
        if (isFull && isWrite) throw new Problem('busy', 'The disk is full.');
        return go();
      }),
  });
  organization = api.found({
    'agent-status': { minute: MOST, hour: 100 },
    'agent-cancels': { minute: MOST, hour: 100 },
  });
});
afterEach(() => api.close());

const TASK = '/api/v1/tasks/task_01900000-0000-7000-8000-00000000abcd';

/** Calls about a task that there is not, in a product of one process or in one of many. */
function caller(options: { readsWithoutState?: true }) {
  const dispatch = dispatcher(agents, { ...api.context, ...options });
  const token = Buffer.from(JSON.stringify({ role: 'admin', by: 'user:one', organization })).toString('base64url');
  return async (method: 'GET' | 'POST') =>
    dispatch({
      method,
      path: method === 'GET' ? TASK : `${TASK}/cancel`,
      query: new URLSearchParams(),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: Buffer.from(method === 'GET' ? '' : '{}'),
      sourceAddress: '192.0.2.1',
      hosts: [],
    });
}

it('counts what is read meanwhile on top of what was counted before', async () => {
  const call = caller({ readsWithoutState: true });
  const statuses = [(await call('GET')).status, (await call('GET')).status];
  isFull = true;
  for (let nth = 3; nth <= MOST + 1; nth++) statuses.push((await call('GET')).status);
  expect(statuses).toEqual([404, 404, 404, 404, 404, 429]);
});

it('says how many calls are left', async () => {
  isFull = true;
  const { headers } = await caller({ readsWithoutState: true })('GET');
  expect(headers.ratelimit).toMatch(/^"minute";r=4;.*"hour";r=99;/);
});

it('puts off what writes', async () => {
  isFull = true;
  expect((await caller({ readsWithoutState: true })('POST')).status).toBe(503);
});

it('puts off reads where other processes count them as well', async () => {
  isFull = true;
  expect((await caller({})('GET')).status).toBe(503);
});
