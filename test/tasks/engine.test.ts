/** What carries the rule out, promise by promise. The same promises try every mutant of it: see mutants.test.ts. */
import { describe, it } from 'vitest';
import { ENGINE } from './engine.ts';
import { PROMISES } from './promises.ts';

describe.each(Object.entries(PROMISES))('%s', (_of, promises) => {
  it.each(promises)('$promise', ({ hold }) => hold(ENGINE));
});
