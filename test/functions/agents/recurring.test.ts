/** Recurring notifications through the API: their state between and during runs, and the results of runs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tickTask } from '../../../shared/reconcile/tick-task.ts';
import { taskKey } from '../../../shared/tasks/rows.ts';
import type { RunOf } from '../../../shared/tasks/task.ts';
import { type Api, addressOf, openApi, type Who, workerOf } from './setup.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** A minute before the first slot. */
const BEGIN = Date.parse('2026-11-23T07:59:00.000Z');

let api: Api;
let who: Who;
beforeEach(() => {
  api = openApi();
  api.clock.pass(BEGIN - api.clock.now());
  who = { organization: api.found() };
});
afterEach(() => api.close());

const schedule = { frequency: 'daily', time: '08:00:00', timezone: 'UTC' };
const weekly = (more: object = {}) => ({
  task_type: 'notification_agent',
  input: { schedule: { ...schedule, ...more }, content: { recipients: ['someone@host.org'] } },
});

/** Records its runs, and returns the test's results. */
function runner(bring: () => object = () => ({ report: { results: { sent: 1 }, preview: { sent: 1 } } })) {
  const runs: (RunOf | undefined)[] = [];
  const stage = {
    name: 'sending',
    run: async ({ run }: { run?: RunOf }) => {
      runs.push(run);
      return bring();
    },
  };
  return { runs, worker: workerOf(api, [stage]) };
}

const at = (days: number, ms = 0) => new Date(BEGIN + 60_000 + days * DAY + ms).toISOString();
const status = async (id: string) => (await api.call(who, 'GET', `/tasks/${id}`)).body;
const results = (id: string) => api.call(who, 'GET', `/tasks/${id}/results`);
const look = async (id: string) => {
  const lanes = { note: () => undefined, write: async () => undefined };
  await tickTask({ ...api, lanes }, taskKey(addressOf(who, id)));
};

describe('a task that recurs', () => {
  it('is pending until its slot, then runs, and is pending again', async () => {
    const id = await api.submitted(who, weekly());
    const { runs, worker } = runner();
    await worker.runAll();
    expect(await status(id)).toMatchObject({ status: 'pending', output_preview: { next_run_at: at(0) } });
    for (const word of ['pending', 'accepted'])
      expect((await api.call(who, 'GET', `/tasks?status=${word}`)).body.tasks, word).toMatchObject([{ task_id: id }]);
    const early = await results(id);
    expect(early.body.error).toMatchObject({
      code: 'TASK_NOT_COMPLETED',
      message: 'The task is pending; its results are there when its first run has ended.',
      details: { status: 'pending' },
    });
    expect(early.headers['retry-after']).toBe('60');

    api.clock.pass(60_000);
    await worker.runAll();
    expect(runs).toEqual([{ number: 1, slotAt: Date.parse(at(0)) }]);
    expect(await status(id)).toMatchObject({
      status: 'pending',
      progress: { percentage: 0, current_stage: 'gathering', stages_completed: [] },
      output_preview: { next_run_at: at(1), sent: 1 },
    });
    const { status: code, body } = await results(id);
    expect(code).toBe(200);
    expect(body).toMatchObject({ status: 'pending', partial: true, completed_at: null });
    expect(body.results).toMatchObject({
      next_run_at: at(1),
      runs: [{ run: 1, slot_at: at(0), status: 'completed', results: { sent: 1 } }],
    });
  });

  it('sends a Retry-After of up to an hour before its run begins', async () => {
    const id = await api.submitted(who, weekly());
    const { worker } = runner();
    const retryAfter = async () => (await api.call(who, 'GET', `/tasks/${id}`)).headers['retry-after'];
    expect(await retryAfter()).toBe('60');
    api.clock.pass(59_500);
    expect(await retryAfter()).toBe('3');
    api.clock.pass(500);
    await worker.runAll();
    expect(await retryAfter()).toBe('3600');
  });

  it('runs once for a slot, however often it is queued', async () => {
    const id = await api.submitted(who, weekly());
    const { runs, worker } = runner();
    const address = addressOf(who, id);
    for (let day = 0; day < 3; day++) {
      api.clock.pass(Date.parse(at(day)) - api.clock.now());
      for (let times = 0; times <= day; times++) await worker.run(address);
    }
    expect(runs).toEqual([0, 1, 2].map((day) => ({ number: day + 1, slotAt: Date.parse(at(day)) })));
  });

  it('continues after a failed run, and shows why it failed', async () => {
    const id = await api.submitted(who, weekly());
    const failing = runner(() => {
      throw new Error('an inner secret');
    });
    for (let tries = 0; tries < 3; tries++) {
      api.clock.pass(60_000);
      await failing.worker.run(addressOf(who, id));
    }
    expect(await status(id)).toMatchObject({ status: 'pending', output_preview: { next_run_at: at(1) } });
    const { body } = await results(id);
    expect(body.results.runs).toMatchObject([{ run: 1, status: 'failed', error: { code: 'PROCESSING_FAILED' } }]);
    expect(JSON.stringify(body)).not.toContain('secret');

    const { worker } = runner();
    api.clock.pass(DAY);
    await worker.run(addressOf(who, id));
    const { runs } = (await results(id)).body.results;
    expect(runs.map((run: { status: string }) => run.status)).toEqual(['completed', 'failed']);
  });

  it('shows the results of the finished stages of a failed run', async () => {
    const id = await api.submitted(who, weekly());
    const report = { results: { recipients: [{ address: 'someone@host.org', status: 'sent' }] }, preview: {} };
    const sending = { name: 'sending', run: async () => ({ report }) };
    const reporting = {
      name: 'reporting',
      run: async () => {
        throw new Error('an inner secret');
      },
    };
    const worker = workerOf(api, [sending, reporting]);
    for (let tries = 0; tries < 3; tries++) {
      api.clock.pass(60_000);
      await worker.run(addressOf(who, id));
    }
    expect((await results(id)).body.results.runs).toMatchObject([
      { run: 1, status: 'failed', results: report.results },
    ]);
  });

  it('runs the newest slot of an outage once, and lists those before it as missed', async () => {
    const id = await api.submitted(who, weekly());
    api.clock.pass(3 * DAY + 2 * HOUR);
    const { runs, worker } = runner();
    await look(id);
    await worker.runAll();
    expect(runs).toEqual([{ number: 1, slotAt: Date.parse(at(3)) }]);
    const { body } = await results(id);
    expect(body.results.next_run_at).toBe(at(4));
    expect(body.results.runs.map((run: { status: string; slot_at: string }) => [run.slot_at, run.status])).toEqual([
      [at(3), 'completed'],
      [at(2), 'missed'],
      [at(1), 'missed'],
      [at(0), 'missed'],
    ]);
  });

  it('misses a slot that no worker could run for a day, and shows when the next one is', async () => {
    const id = await api.submitted(who, weekly({ frequency: 'weekly', day_of_week: 'monday' }));
    api.clock.pass(60_000 + DAY);
    await look(id);
    expect(await status(id)).toMatchObject({ status: 'pending', output_preview: { next_run_at: at(7) } });
    expect((await results(id)).status).toBe(409);
  });

  it('is cancelled between its runs, and keeps their results', async () => {
    const id = await api.submitted(who, weekly());
    const { worker } = runner();
    api.clock.pass(60_000);
    await worker.runAll();
    const cancelled = await api.call(who, 'POST', `/tasks/${id}/cancel`, { json: { reason: 'enough' } });
    expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled']);
    const again = await api.call(who, 'POST', `/tasks/${id}/cancel`, { json: {} });
    expect(again.body).toMatchObject({ status: 'cancelled', reason: 'enough' });
    const { body } = await results(id);
    expect(body).toMatchObject({ status: 'cancelled', partial: true, error: { code: 'TASK_CANCELLED' } });
    expect(body.results).toMatchObject({ next_run_at: null, runs: [{ run: 1 }] });
    api.clock.pass(DAY);
    await worker.run(addressOf(who, id));
    expect((await results(id)).body.results.runs).toHaveLength(1);
  });

  it('waits without counting as unfinished, and is listed as pending', async () => {
    const id = await api.submitted(who, weekly());
    const usage = await api.call(who, 'GET', '/usage');
    expect(usage.body.unfinished_tasks.count).toBe(0);
    const listed = await api.call(who, 'GET', '/tasks?status=pending');
    expect(listed.body.tasks).toMatchObject([{ task_id: id, status: 'pending', completed_at: null }]);
    expect((await api.call(who, 'GET', '/tasks?status=completed')).body.tasks).toEqual([]);
  });

  it('begins at its time if it is to run once', async () => {
    const id = await api.submitted(who, weekly({ frequency: 'once' }));
    const { runs, worker } = runner();
    expect(await status(id)).toMatchObject({ status: 'pending', output_preview: { next_run_at: at(0) } });
    await worker.runAll();
    expect(runs).toEqual([]);
    api.clock.pass(60_000);
    await worker.runAll();
    expect(runs).toEqual([undefined]);
    expect(await status(id)).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['frequency', { frequency: 'hourly' }],
    ['day_of_week', { frequency: 'weekly', day_of_week: 'Moonday' }],
    ['day_of_week', { frequency: 'weekly' }],
    ['day_of_month', { frequency: 'monthly', day_of_month: 32 }],
    ['time', { time: '24:00:00' }],
    ['timezone', { timezone: 'Mars/Olympus' }],
  ])('is refused with the invalid field: %s', async (field, wrong) => {
    const { status: code, body } = await api.call(who, 'POST', '/tasks', { json: weekly(wrong) });
    expect([code, body.error.code]).toEqual([400, 'TASK_VALIDATION_FAILED']);
    expect(body.error.details.invalid_fields).toEqual([`input.schedule.${field}`]);
  });
});
