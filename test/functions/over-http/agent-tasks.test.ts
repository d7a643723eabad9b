/** Tasks of the background-agent API over HTTP: submit, watch, list, cancel, results. */

import { describe, expect, it } from 'vitest';
import { WORKLOAD_MODEL } from '../../engines/models/workload-model.ts';
import type { Any } from '../../support/any.ts';
import { ask, bodyOf, errorOf, INPUTS, SOON, submitTask, TIME, waitForEnd } from './agent-calls.ts';

const isPositive = (count: number): boolean => count > 0;
const TASK_ID = /^task_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The stages and the result of a task of this type. */
const COMES_TO = {
  research_agent: {
    stages: ['planning', 'gathering', 'ranking', 'reading', 'writing'],
    preview: { sources: 1, sources_dead: 0, items: 3, documents: 2, read: 2 },
    results: {
      query: INPUTS.research_agent.query,
      files: [{ name: 'report.md' }, { name: 'results.json' }].map((file) => expect.objectContaining(file)),
    },
    details: {
      sources_processed: 2,
      service_engine_queries: 4,
      research: {
        ...{
          rounds: 1,
          search_queries: 0,
          queries_from_cache: 0,
          pages_opened: 0,
          pages_refused: 0,
          pages_from_cache: 0,
        },
        ended_by: 'covered',
        budget: { rounds: 3, documents: 36, tokens: 500_000, minutes: 15 },
      },
    },
    scores: { data_quality: 1, source_reliability: 1 },
    usage: {
      by_role: [
        expect.objectContaining({ role: 'plan', calls: 1 }),
        expect.objectContaining({ role: 'read', calls: 1 }),
        expect.objectContaining({ role: 'write', calls: 1 }),
        expect.objectContaining({ role: 'check', calls: 1 }),
      ],
    },
  },
  notification_agent: {
    stages: ['gathering', 'composing', 'sending', 'reporting'],
    preview: { recipients: 1, sent: 1, suppressed: 0, refused: 0 },
    results: { counts: { sent: 1, suppressed: 0, refused: 0 }, format: 'html', slot: null },
    // The e-mail is written and looked at.
    details: { sources_processed: 1, service_engine_queries: 2 },
    scores: { data_quality: 1, source_reliability: 1 },
    usage: {},
  },
};

describe.each(Object.keys(INPUTS) as (keyof typeof INPUTS)[])('a task of a %s', (task_type) => {
  const input = INPUTS[task_type];
  const comesTo = COMES_TO[task_type];

  it('is accepted, runs through its stages and returns results', async () => {
    const metadata = { order: '7' };
    const { status, body } = await ask('/tasks', { json: { task_type, input, metadata, priority: 9 } });
    expect(status).toBe(202);
    expect(body).toEqual({
      task_id: expect.stringMatching(TASK_ID),
      status: 'accepted',
      task_type,
      priority: 9,
      estimated_completion: expect.stringMatching(TIME),
      created_at: expect.stringMatching(TIME),
      webhook_configured: false,
      metadata,
      warnings: [],
    });
    expect(Date.parse(String(body.estimated_completion))).toBeGreaterThan(Date.parse(String(body.created_at)));

    const id = String(body.task_id);
    const now = await ask(`/tasks/${id}`);
    expect(now.body.status).toMatch(/pending|processing|completed/);
    const finalStatus = await waitForEnd(id);
    expect(finalStatus).toEqual({
      task_id: id,
      status: 'completed',
      task_type,
      priority: 9,
      progress: {
        percentage: 100,
        current_stage: comesTo.stages.at(-1),
        stages_completed: comesTo.stages,
        estimated_remaining_minutes: 0,
      },
      created_at: body.created_at,
      started_at: expect.stringMatching(TIME),
      last_updated: expect.stringMatching(TIME),
      completed_at: finalStatus.last_updated,
      output_preview: expect.objectContaining(comesTo.preview),
      webhook_configured: false,
      metadata,
      warnings: [],
      usage: {
        model: WORKLOAD_MODEL,
        input_tokens: expect.toSatisfy(isPositive),
        output_tokens: expect.toSatisfy(isPositive),
        cached_input_tokens: 0,
        reasoning_tokens: 0,
        estimated: false,
        cost_usd: null,
      },
    });

    const results = await ask(`/tasks/${id}/results`, { headers: { accept: 'application/json' } });
    expect([results.status, results.body]).toEqual([
      200,
      {
        task_id: id,
        status: 'completed',
        results: expect.objectContaining(comesTo.results),
        processing_details: {
          ...comesTo.details,
          processing_time_minutes: expect.any(Number),
          confidence_scores: { analysis_completeness: expect.any(Number), ...comesTo.scores },
        },
        completed_at: finalStatus.completed_at,
        usage: { ...(finalStatus.usage as object), ...comesTo.usage },
        metadata,
        warnings: [],
      },
    ]);
  });
});

describe('cancel', () => {
  it('answers with the state of the task, the same on every repeat, and is refused once the task has ended by itself', async () => {
    const id = await submitTask({ priority: 1, metadata: { a: 'b' } });
    const answer = await ask(`/tasks/${id}/cancel`, { json: { reason: 'Ordered twice', force: true } });
    const again = await ask(`/tasks/${id}/cancel`, { method: 'POST' });
    if (answer.status === 409) {
      expect(errorOf(answer)).toMatchObject({ code: 'TASK_NOT_CANCELLABLE', details: { status: 'completed' } });
      expect([again.status, errorOf(again).code]).toEqual([409, 'TASK_NOT_CANCELLABLE']);
      return;
    }
    expect(answer.status).toBe(200);
    // The tokens of a call that was under way are added when it has ended.
    const usage = expect.objectContaining({ estimated: expect.any(Boolean) });
    expect(answer.body).toEqual({
      task_id: id,
      status: 'cancelled',
      previous_status: expect.stringMatching(/pending|processing/),
      reason: 'Ordered twice',
      force: true,
      requested_at: expect.stringMatching(TIME),
      results_available: expect.any(Boolean),
      stopped_at: expect.stringMatching(TIME),
      usage,
      metadata: { a: 'b' },
    });
    expect([again.status, again.body]).toEqual([200, { ...answer.body, usage }]);
    const finalStatus = await waitForEnd(id);
    expect([finalStatus.status, finalStatus.error.code]).toEqual(['cancelled', 'TASK_CANCELLED']);
    const results = await ask(`/tasks/${id}/results`);
    expect([results.status, results.body]).toEqual([
      200,
      expect.objectContaining({ status: 'cancelled', partial: true, error: finalStatus.error }),
    ]);
  });

  it('refuses a completed task and an invalid body', async () => {
    const id = await submitTask();
    await waitForEnd(id);
    const reply = await ask(`/tasks/${id}/cancel`, { json: {} });
    expect([reply.status, errorOf(reply)]).toEqual([
      409,
      expect.objectContaining({ code: 'TASK_NOT_CANCELLABLE', details: { status: 'completed' } }),
    ]);
    const wrong = await ask(`/tasks/${id}/cancel`, { json: { reason: 7, force: 'x' } });
    expect([wrong.status, errorOf(wrong).details.invalid_fields]).toEqual([400, ['reason', 'force']]);
  });
});

it('lets viewers read, members cancel their own tasks, and admins cancel any task', async () => {
  const id = await submitTask();
  for (const path of ['/tasks', `/tasks/${id}`, `/tasks/${id}/deliveries`, '/usage']) {
    expect((await ask(path, { role: 'viewer' })).status, path).toBe(200);
  }
  const refused = await ask('/tasks', { role: 'viewer', json: bodyOf() });
  expect([refused.status, errorOf(refused).code]).toEqual([403, 'FORBIDDEN']);
  const byAdmin = await submitTask({}, { role: 'admin' });
  const foreign = await ask(`/tasks/${byAdmin}/cancel`, { method: 'POST' });
  expect([foreign.status, errorOf(foreign).code]).toEqual([403, 'FORBIDDEN']);
  expect((await ask(`/tasks/${id}/cancel`, { role: 'admin', method: 'POST' })).status).toBeOneOf([200, 202, 409]);
});

describe('the list', () => {
  it('filters, sorts, counts and continues after a cursor', async () => {
    const ids: string[] = [];
    for (const priority of [2, 10, 2])
      ids.push(await submitTask({ priority, task_type: 'notification_agent', input: INPUTS.notification_agent }));
    for (const id of ids) await waitForEnd(id);
    const query = '/tasks?task_type=notification_agent&status=completed';
    // The list may lag for a moment.
    await expect.poll(async () => (await ask(`${query}&limit=100`)).text, SOON).toContain(ids[2]);
    const { body }: { body: Any } = await ask(`${query}&limit=1`);
    expect(body.tasks).toEqual([
      {
        task_id: ids[2],
        status: 'completed',
        task_type: 'notification_agent',
        priority: 2,
        progress_percentage: 100,
        created_at: expect.stringMatching(TIME),
        completed_at: expect.stringMatching(TIME),
        duration_minutes: expect.any(Number),
        metadata: {},
      },
    ]);
    expect(body.pagination).toMatchObject({ offset: 0, limit: 1, has_next: true, total_count_capped: false });
    expect(body.pagination.total_count).toBeGreaterThan(2);
    const next: Any = (await ask(`${query}&limit=1&cursor=${body.pagination.next_cursor}`)).body;
    expect(next.tasks[0].task_id).toBe(ids[1]);
    const first: Any = (await ask(`${query}&sort_by=priority&limit=1`)).body;
    expect(first.tasks[0].priority).toBe(10);
  });

  it('reports all invalid parameters at once', async () => {
    const reply = await ask('/tasks?limit=0&offset=x&status=done&sort_by=name&sort_order=up&task_type=chat');
    expect([reply.status, errorOf(reply).details.invalid_fields]).toEqual([
      400,
      expect.arrayContaining(['limit', 'offset', 'status', 'sort_by', 'sort_order', 'task_type']),
    ]);
  });
});
