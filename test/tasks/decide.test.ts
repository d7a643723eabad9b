/** The rule of tasks, example by example. The same examples try every mutant of it: see mutants.test.ts. */
import { describe, it } from 'vitest';
import { EXAMPLES } from './examples.ts';
import { RULE } from './rule.ts';

describe.each(Object.entries(EXAMPLES))('%s', (_of, examples) => {
  it.each(examples)('$promise', ({ hold }) => hold(RULE));
});
