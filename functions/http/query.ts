/** The parameters of a request. One that is given twice has no value: it is refused where it is read. */
import { bounded, nearestName, Problem, quotedName } from '../../shared/core/problem.ts';
import { ignoredWarning } from './unknown-fields.ts';

export type Query = Pick<URLSearchParams, 'get' | 'has'>;

const MOST_NAMED = 10;

/** `warnings` names, once the route has run, the parameters that it did not look at. */
export function queryOf(given: URLSearchParams): { query: Query; warnings(): string[] } {
  const known = new Set<string>();
  return {
    query: {
      has(name) {
        known.add(name);
        return given.has(name);
      },
      get(name) {
        known.add(name);
        const [value = null, ...more] = given.getAll(name);
        if (more.length > 0) throw givenTwice(name);
        return value;
      },
    },
    warnings() {
      const unknown = [...new Set(given.keys())].filter((name) => !known.has(name));
      const named = unknown.slice(0, MOST_NAMED);
      return bounded(
        named.map((name) => ignoredWarning(quotedName(name), 'parameter', nearestName(name, known))),
        unknown.length - named.length,
      );
    },
  };
}

const givenTwice = (name: string) =>
  new Problem('invalid', `${name} must be given once`, {
    details: { invalid_fields: [name], reasons: { [name]: 'must be given once' } },
  });
