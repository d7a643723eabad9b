/** A recurring notification over HTTP: its first run is due in some seconds, its second tomorrow. */
import { expect, it } from 'vitest';
import { call } from './call.ts';

const SOON = { timeout: 25_000, interval: 250 };
const DAY = 86_400_000;

const ask = (path: string, json?: object) => call('agents', `/api/v1${path}`, { as: 'agents', json });

it('waits for its slot, runs, reports the run, waits for the next slot, and ends when it is cancelled', async () => {
  const slotAt = Math.ceil(Date.now() / 1_000) * 1_000 + 3_000;
  const schedule = { frequency: 'daily', time: new Date(slotAt).toISOString().slice(11, 19) };
  const input = { schedule, content: { recipients: ['someone@errand-tests.org'] } };
  const { status, body, text } = await ask('/tasks', { task_type: 'notification_agent', input });
  expect(status, text).toBe(202);
  const path = `/tasks/${body.task_id}`;
  expect((await ask(path)).body).toMatchObject({
    status: 'pending',
    output_preview: { next_run_at: new Date(slotAt).toISOString() },
  });
  expect((await ask(`${path}/results`)).status).toBe(409);

  await expect.poll(async () => (await ask(`${path}/results`)).status, SOON).toBe(200);
  const tomorrow = new Date(slotAt + DAY).toISOString();
  expect((await ask(`${path}/results`)).body).toMatchObject({
    status: 'pending',
    partial: true,
    results: {
      next_run_at: tomorrow,
      runs: [{ run: 1, slot_at: new Date(slotAt).toISOString(), status: 'completed' }],
    },
  });
  expect((await ask(path)).body).toMatchObject({ status: 'pending', output_preview: { next_run_at: tomorrow } });

  expect((await ask(`${path}/cancel`, {})).body).toMatchObject({ status: 'cancelled', previous_status: 'pending' });
  expect((await ask(`${path}/results`)).body).toMatchObject({ status: 'cancelled', results: { runs: [{ run: 1 }] } });
});
