/** The task rules under test: the real ones, or a mutant. */
import * as decide from '../../../shared/tasks/decide.ts';
import * as decideDelivery from '../../../shared/tasks/decide-delivery.ts';
import * as task from '../../../shared/tasks/task.ts';

export type Rule = typeof decide & typeof decideDelivery & typeof task;

export const RULE: Rule = { ...decide, ...decideDelivery, ...task };
export const RULE_FILES = ['decide.ts', 'decide-delivery.ts', 'task.ts'] as const;
