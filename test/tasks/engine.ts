/** What carries the rule out, as the tests take it: the real one, or a mutant of it. */
import * as holdTask from '../../shared/tasks/hold-task.ts';
import * as moveTask from '../../shared/tasks/move-task.ts';

export type Engine = typeof holdTask & typeof moveTask;

export const ENGINE: Engine = { ...holdTask, ...moveTask };
export const ENGINE_FILES = ['move-task.ts', 'hold-task.ts'] as const;

/** Throws where the engine breaks it, so that mutants can be tried by it too. */
export type Kept = { promise: string; hold(engine: Engine): Promise<void> };
