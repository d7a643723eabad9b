/** The settings of a stage apply to stored rows. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stageLimitsConfig } from '../../../shared/core/config.ts';
import { keptMsIn, maxBytesIn } from '../../../shared/core/stage-limits.ts';
import { taskKey } from '../../../shared/tasks/rows.ts';
import { submitTask } from '../../../shared/tasks/submit.ts';
import type { Task } from '../../../shared/tasks/task.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { openSockets, type SocketSetup } from '../realtime/setup.ts';

let at: SocketSetup;
beforeEach(async () => {
  at = await openSockets();
});
afterEach(() => at.close());

const DAY_MS = 86_400_000;

it('has defaults if a stage sets nothing', () => {
  expect([keptMsIn({}), maxBytesIn({})]).toEqual([30 * DAY_MS, 536_870_912]);
  expect(stageLimitsConfig({})).toEqual({ keptDays: 30, maxFileBytes: 536_870_912 });
});

it.each(['0', '-1', '1.5', 'x', '99999'])('refuses %s days', (ERRAND_RETENTION_DAYS) => {
  expect(() => stageLimitsConfig({ ERRAND_RETENTION_DAYS })).toThrow('ERRAND_RETENTION_DAYS is');
});

it.each([
  [undefined, 30],
  [{ keptDays: 7 }, 7],
])('keeps a task that was created with %j for %i days after its end', async (stageLimits, days) => {
  const address = { organization: at.organization, taskId: at.ids.uuid() };
  const given = { face: 'agents', type: 'research_agent', priority: 5, about: { input: {} } } as const;
  await submitTask({ ...at.ports, ...(stageLimits ? { stageLimits } : {}) }, address, given);
  at.clock.pass(1_000);
  await moveTask(at.ports, address, { type: 'cancel', force: true });
  const row = await at.table.get<Task>(taskKey(address));
  expect(row?.expiresAt).toBe(at.clock.now() + days * DAY_MS);
});
