import { afterAll, expect, it } from 'vitest';
import { templateOf } from '../../infra/stack.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { idleCosts, sumOfIdle } from './idle.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
/** Above what a round was ever recorded to cost, in dollars per million. */
const ROUND_DOLLARS = 6;
const costsOf = (stage: string, context: Record<string, string> = {}) =>
  idleCosts(templateOf(folder.path, stage, undefined, context).toJSON().Resources, ROUND_DOLLARS);

it('costs at most 4 dollars a month in an ephemeral stage without an address for alarms', () => {
  expect(sumOfIdle(costsOf('dev'))).toBeLessThanOrEqual(4);
});

it('counts the metrics of alarms and the dashboard of a stage that has them', () => {
  const { alarms, dashboard } = costsOf('dev', { 'alarms-email': 'ops@example.com' });
  expect(dashboard).toBe(3);
  expect(alarms).toBeGreaterThan(3);
});
