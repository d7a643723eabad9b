/** The task rules under test: the real ones, or a mutant. */
import * as decide from '../../../shared/tasks/decide.ts';
import * as decideDelivery from '../../../shared/tasks/decide-delivery.ts';
import * as task from '../../../shared/tasks/task.ts';

export type TaskRules = typeof decide & typeof decideDelivery & typeof task;

export const TASK_RULES: TaskRules = { ...decide, ...decideDelivery, ...task };
export const RULE_FILES = ['decide.ts', 'decide-delivery.ts', 'task.ts'] as const;
