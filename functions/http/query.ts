/** The parameters of a request. One that is given twice has no value: it is refused where it is read. */
import { Problem } from '../../shared/core/problem.ts';

export type Query = Pick<URLSearchParams, 'get' | 'has'>;

export const queryOf = (given: URLSearchParams): Query => ({
  has: (name) => given.has(name),
  get(name) {
    const [value = null, ...more] = given.getAll(name);
    if (more.length > 0) throw givenTwice(name);
    return value;
  },
});

const givenTwice = (name: string) =>
  new Problem('invalid', `${name} must be given once`, {
    details: { invalid_fields: [name], reasons: { [name]: 'must be given once' } },
  });
