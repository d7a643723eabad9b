/** Runs each example of the task rules. mutants.test.ts runs the same examples against mutants. */
import { describe, it } from 'vitest';
import { EXAMPLES } from './examples.ts';
import { TASK_RULES } from './task-rules.ts';

describe.each(Object.entries(EXAMPLES))('%s', (_of, examples) => {
  it.each(examples)('$promise', ({ check }) => check(TASK_RULES));
});
