/** The rulesets a task names, in the version they had when it was submitted. */
import { type RulesetReference, rulesetText } from '../../../shared/knowledge/knowledge.ts';
import type { Table } from '../../../shared/ports.ts';
import { TaskFailure } from '../../../shared/tasks/agent.ts';
import type { RulesetText } from './desk.ts';

export async function rulesetsOf(
  table: Table,
  organization: string,
  named: readonly RulesetReference[],
): Promise<RulesetText[]> {
  return Promise.all(
    named.map(async (reference) => {
      const found = await rulesetText(table, organization, reference);
      if (found) return found;
      throw new TaskFailure(
        'PROCESSING_FAILED',
        `The ruleset ${reference.id} was removed; submit the task without it.`,
      );
    }),
  );
}
