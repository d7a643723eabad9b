/** What carries the rule out, as the tests take it: the real one, or a mutant of it. */
import * as lease from '../../shared/tasks/lease.ts';
import * as transition from '../../shared/tasks/transition.ts';

export type Engine = typeof lease & typeof transition;

export const ENGINE: Engine = { ...lease, ...transition };
export const ENGINE_FILES = ['transition.ts', 'lease.ts'] as const;

/** Throws where the engine breaks it, so that mutants can be tried by it too. */
export type Kept = { promise: string; hold(engine: Engine): Promise<void> };
