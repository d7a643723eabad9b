/** The functions of the task engine under test: the real ones, or a mutant. */
import * as lease from '../../../shared/tasks/lease.ts';
import * as transition from '../../../shared/tasks/transition.ts';

export type Engine = typeof lease & typeof transition;

export const ENGINE: Engine = { ...lease, ...transition };
export const ENGINE_FILES = ['transition.ts', 'lease.ts'] as const;

/** `check` throws when the engine breaks the promise, so that mutants can be tested too. */
export type EngineScenario = { promise: string; check(engine: Engine): Promise<void> };
