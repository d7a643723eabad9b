/** Uses the stack that `npm run rehearse` has set up as the target of the API suites. */
import type { TestProject } from 'vitest/node';
import { secretsFrom, tableFrom } from '../../../adapters/aws/context.ts';
import { ids } from '../../../shared/core/ids.ts';
import { systemClock } from '../../../shared/core/time.ts';
import { vault } from '../../../shared/core/vault.ts';
import { makeOrganizations, type Target } from './target.ts';

export async function setup(project: TestProject): Promise<void> {
  const { REHEARSAL_TARGET } = process.env;
  if (!REHEARSAL_TARGET) throw new Error('There is no rehearsal: npm run rehearse sets one up for this project.');
  const target = JSON.parse(REHEARSAL_TARGET) as Omit<Target, 'organizations'>;
  const organizations = await makeOrganizations({
    table: tableFrom(process.env),
    clock: systemClock,
    ids: ids(systemClock),
    vault: vault(secretsFrom(process.env)),
  });
  project.provide('target', { ...target, organizations });
}
