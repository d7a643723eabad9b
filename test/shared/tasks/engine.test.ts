/** Runs each promise of the task engine. mutants.test.ts runs the same promises against mutants. */
import { describe, it } from 'vitest';
import { ENGINE } from './engine.ts';
import { PROMISES } from './promises.ts';

describe.each(Object.entries(PROMISES))('%s', (_of, promises) => {
  it.each(promises)('$promise', ({ check }) => check(ENGINE));
});
