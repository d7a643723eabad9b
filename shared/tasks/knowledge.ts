/** Where workflows and rulesets lie: what an organization's tasks may name besides files. */
import type { Key } from '../ports.ts';

export const workflowKey = (organization: string, id: string): Key => ({
  pk: `O#${organization}#W#${id}`,
  sk: 'WORKFLOW',
});
export const rulesetKey = (organization: string, id: string): Key => ({
  pk: `O#${organization}#R#${id}`,
  sk: 'RULESET',
});
