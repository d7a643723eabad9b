/** Reconciler rounds with a failing table: all readable shards are processed, and the error is reported. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Table } from '../../shared/ports.ts';
import { reconcile } from '../../shared/reconcile/reconcile.ts';
import { around } from './around.ts';
import { type Opened, openTasks } from './setup.ts';

const MINUTE = 60_000;
const TASKS = 40;

let opened: Opened;
beforeEach(() => {
  opened = openTasks();
});
afterEach(() => opened.close());

const round = (table: Table) => reconcile({ ...opened, table, sayEnding: async () => 'gone' });

/** Submits tasks whose hints are lost, and waits until they are due. */
async function waiting(): Promise<void> {
  for (let count = 0; count < TASKS; count++) await opened.submit();
  while ((await opened.hinted()).length > 0);
  opened.clock.pass(MINUTE);
}

async function hintedAgain(): Promise<number> {
  let all = 0;
  for (let some = await opened.hinted(); some.length > 0; some = await opened.hinted()) all += some.length;
  return all;
}

it('processes all other shards when one cannot be read, and then fails', async () => {
  await waiting();
  const shards = new Set<unknown>();
  const table = around(opened.table, async ({ name, args: [shard] }, go) => {
    if (name === 'due' && shard === 3) throw new Error('Shard 3 is throttled.');
    if (name === 'due') shards.add(shard);
    return go();
  });
  await expect(round(table)).rejects.toThrow('Shard 3 is throttled.');
  expect(shards.size).toBe(15);
  // All work must be done when the call returns, because Lambda freezes the function afterwards.
  const hinted = await hintedAgain();
  expect(hinted).toBeGreaterThan(TASKS / 2);
  expect(hinted + (await round(opened.table))).toBe(TASKS);
});
