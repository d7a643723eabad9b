/** The rule of tasks as the tests take it: the real one, or a mutant of it. */
import * as decide from '../../shared/tasks/decide.ts';
import * as decideHook from '../../shared/tasks/decide-hook.ts';
import * as decideRun from '../../shared/tasks/decide-run.ts';
import * as task from '../../shared/tasks/task.ts';
import * as wakeUp from '../../shared/tasks/wake-up.ts';

export type Rule = typeof decide & typeof decideHook & typeof decideRun & typeof task & typeof wakeUp;

export const RULE: Rule = { ...decide, ...decideHook, ...decideRun, ...task, ...wakeUp };
export const RULE_FILES = ['decide.ts', 'decide-hook.ts', 'decide-run.ts', 'wake-up.ts', 'task.ts'] as const;
