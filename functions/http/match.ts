/** Finds the route of a request, or says that the path or the method is unknown. */
import { Problem } from '../../shared/core/problem.ts';
import type { Route } from './route.ts';

type Shape = Pick<Route<never>, 'method' | 'path'>;
type Found<R> = { route: R; params: Record<string, string> };

export function matcher<R extends Shape>(routes: readonly R[]) {
  const compiled = routes.map((route) => ({ route, parts: route.path.split('/') }));

  return function find(method: string, path: string): Found<R> {
    const parts = path.split('/');
    const fitting = compiled.filter((candidate) => fits(candidate.parts, parts));
    if (fitting.length === 0) throw new Problem('noSuchPath', 'There is nothing at this path.');
    const chosen = fitting.find(({ route }) => route.method === method);
    if (!chosen) throw methodNotAllowed(fitting.map(({ route }) => route.method));
    return { route: chosen.route, params: paramsOf(chosen.parts, parts) };
  };
}

const fits = (pattern: string[], parts: string[]): boolean =>
  pattern.length === parts.length &&
  pattern.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at]));

const paramsOf = (pattern: string[], parts: string[]): Record<string, string> =>
  Object.fromEntries(
    pattern.flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), decoded(parts[at] ?? '')]] : [])),
  );

/** A part that cannot be decoded is an id that nothing has. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const methodNotAllowed = (methods: string[]) =>
  new Problem('methodNotAllowed', `This path takes ${methods.join(', ')}.`, { details: { allow: methods.join(', ') } });
