/** An organization's view of its limits, tasks and tokens, and the basis of estimates. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { agents } from '../../../functions/agents/api.ts';
import { callName } from '../../../functions/http/route.ts';
import { UNFINISHED_TASKS } from '../../../shared/accounts/caps.ts';
import { type Api, addressOf, gates, openApi, type Who, workerOf } from './setup.ts';

let api: Api;
let who: Who;
beforeEach(() => {
  api = openApi();
  who = { organization: api.found({}) };
});
afterEach(() => api.close());

const DAY_MS = 24 * 3_600_000;
const NOTHING_MORE = {
  cached_input_tokens: 0,
  reasoning_tokens: 0,
  estimated_input_tokens: 0,
  estimated_output_tokens: 0,
  cost_usd: 0,
};
const usage = async (of: Who = who) => (await api.call(of, 'GET', '/usage')).body;

async function completeTask(of: Who, ms: number): Promise<void> {
  const id = await api.submitted(of);
  const { stages, open, planning } = gates();
  const running = workerOf(api, stages).run(addressOf(of, id));
  await planning.reached;
  api.clock.pass(ms);
  open();
  await running;
}

it('counts limits, unfinished tasks, tasks and tokens by day', async () => {
  await completeTask(who, 0);
  api.clock.pass(DAY_MS);
  await completeTask(who, 0);
  await completeTask(who, 0);
  await api.submitted(who);
  const { limits, unfinished_tasks, days } = await usage();
  expect(limits[0]).toEqual({
    calls: 'POST /tasks',
    minute: { most: 10, left: 7, resets_in_seconds: 60 },
    hour: { most: 100, left: 97, resets_in_seconds: 3_600 },
  });
  expect(unfinished_tasks).toEqual({ count: 1, most: UNFINISHED_TASKS.most });
  expect(days).toHaveLength(30);
  expect(days.slice(0, 3)).toEqual([
    { date: '2026-06-02', tasks: 3, input_tokens: 20, output_tokens: 10, ...NOTHING_MORE, cost_usd: null },
    { date: '2026-06-01', tasks: 1, input_tokens: 10, output_tokens: 5, ...NOTHING_MORE, cost_usd: null },
    { date: '2026-05-31', tasks: 0, input_tokens: 0, output_tokens: 0, ...NOTHING_MORE },
  ]);
  const other = await usage({ organization: api.found({}) });
  expect(other.days[0]).toEqual({ date: '2026-06-02', tasks: 0, input_tokens: 0, output_tokens: 0, ...NOTHING_MORE });
});

it('shows every limit under the name of its route', async () => {
  const limited = agents.routes.filter(({ limit }) => limit).map(callName);
  const { limits } = await usage();
  expect(limits.map(({ calls }: { calls: string }) => calls).toSorted()).toEqual(limited.toSorted());
  expect(limited).toContain('GET /tasks/{task_id}/results');
  expect(limits.at(-1)).toMatchObject({ calls: 'POST /websocket-auth', minute: { most: 60 }, hour: { most: 60 } });
});

it('estimates from a table until twenty tasks of the type are known, and then from their durations', async () => {
  const busy = { organization: api.found() };
  const estimate = async () => {
    const { body } = await api.call(busy, 'POST', '/tasks', {
      json: { task_type: 'research_agent', input: { query: 'q' } },
    });
    return Date.parse(body.estimated_completion) - Date.parse(body.created_at);
  };
  for (let n = 0; n < 19; n++) await completeTask(busy, 10_000);
  expect(await estimate()).toBe(180_000);
  await completeTask(busy, 40_000);
  api.clock.pass(60_000);
  expect(await estimate()).toBe(10_000);
  const { body } = await api.call(busy, 'POST', '/tasks', {
    json: { task_type: 'notification_agent', input: { content: { recipients: ['a@b.org'] } } },
  });
  expect(Date.parse(body.estimated_completion) - Date.parse(body.created_at)).toBe(60_000);
});
