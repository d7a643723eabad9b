/** The reconciler does not check a webhook that waits for hours every minute. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { laneWatch } from '../../../shared/lanes/lane-ages.ts';
import { tickTask } from '../../../shared/reconcile/tick-task.ts';
import { taskKey } from '../../../shared/tasks/rows.ts';
import { openWebhooks, recordingPost, status, type WebhookSetup } from './setup.ts';

let opened: WebhookSetup;
beforeEach(async () => {
  opened = openWebhooks();
  await opened.rotate();
});
afterEach(() => opened.close());

it('is examined when it is due, and at most once before', async () => {
  const address = await opened.ended();
  for (let tries = 1; tries <= 4; tries++) {
    await opened.send(
      address,
      recordingPost(() => status(500)),
    );
    const { nextAt = 0 } = await opened.delivery(address);
    if (tries < 4) opened.clock.pass(nextAt - opened.clock.now());
  }
  const waits = ((await opened.delivery(address)).nextAt ?? 0) - opened.clock.now();
  expect(waits).toBeGreaterThan(3_600_000);
  let looks = 0;
  const minutes = Math.floor(waits / 60_000);
  for (let minute = 0; minute < minutes; minute++) {
    opened.clock.pass(60_000);
    const row = await opened.table.get(taskKey(address));
    if ((row?.dueAt ?? Number.POSITIVE_INFINITY) > opened.clock.now()) continue;
    looks++;
    await tickTask({ ...opened, lanes: laneWatch(opened) }, taskKey(address));
  }
  expect(looks).toBeLessThanOrEqual(1);
  opened.clock.pass(120_000);
  await tickTask({ ...opened, lanes: laneWatch(opened) }, taskKey(address));
  const post = recordingPost();
  await opened.send(address, post);
  expect(post.sent).toHaveLength(1);
});
