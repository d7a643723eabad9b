/** Calls of the background-agent API that its suites share. */
import { expect } from 'vitest';
import type { Role } from '../../../shared/accounts/caller.ts';
import type { Any } from '../../support/any.ts';
import { call, type Reply } from './call.ts';
import type { OrganizationName } from './target.ts';

export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** The id of no task. */
export const RANDOM = 'task_01900000-0000-7000-8000-00000000abcd';
export const SOON = { timeout: 20_000, interval: 50 };

type As = { as?: OrganizationName; role?: Role };
type AgentCall = As & { json?: unknown; method?: string; headers?: Record<string, string> };

export const ask = (path: string, { as = 'agents', ...request }: AgentCall = {}): Promise<Reply> =>
  call('agents', `/api/v1${path}`, { as, ...request });

export const INPUTS = {
  research_agent: { query: 'How did port fees change?', sources: ['market_data'], output_format: 'markdown' },
  notification_agent: { content: { recipients: ['a@errand-tests.org'], data_sources: ['news_feeds'] } },
};
export const bodyOf = (more: object = {}) => ({ task_type: 'research_agent', input: INPUTS.research_agent, ...more });

export async function submitTask(more: object = {}, as: As = {}): Promise<string> {
  const { status, body, text } = await ask('/tasks', { ...as, json: bodyOf(more) });
  expect(status, text).toBe(202);
  return String(body.task_id);
}

const ENDED = /completed|failed|cancelled/;
export const waitForEnd = (id: string): Promise<Any> =>
  expect
    .poll(async () => (await ask(`/tasks/${id}`)).body, SOON)
    .toMatchObject({ status: expect.stringMatching(ENDED) })
    .then(async () => (await ask(`/tasks/${id}`)).body);

export const errorOf = ({ body }: Reply) => body.error as { code: string; details: Record<string, unknown> };
