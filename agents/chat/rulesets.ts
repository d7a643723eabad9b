/** Rulesets as a chat task reads them. */

import { type RulesetReference, rulesetText } from '../../shared/knowledge/rulesets.ts';
import type { Table } from '../../shared/ports.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import type { RulesetText } from './workspace.ts';

/** Loads the rulesets of a task in the versions they had when it was submitted. */
export async function rulesetsOf(
  table: Table,
  organization: string,
  references: readonly RulesetReference[],
): Promise<RulesetText[]> {
  return Promise.all(
    references.map(async (reference) => {
      const ruleset = await rulesetText(table, organization, reference);
      if (ruleset) return ruleset;
      throw new TaskFailure(
        'PROCESSING_FAILED',
        `The ruleset ${reference.id} was removed; submit the task without it.`,
      );
    }),
  );
}
