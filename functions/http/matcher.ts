/** Finds the route of a request by its path and method. */
import { Problem } from '../../shared/core/problem.ts';
import type { Route } from './route.ts';

type PathShape = Pick<Route<never>, 'method' | 'path'>;
export type MatchedRoute<R> = { route: R; params: Record<string, string> };

type CompiledRoute<R> = { route: R; parts: string[]; names: (string | undefined)[] };

/** Reports an unknown path or method. HEAD uses the route of GET. */
export function matcher<R extends PathShape>(routes: readonly R[]) {
  const byLength = Map.groupBy(routes.map(compileRoute), ({ parts }) => parts.length);

  return function find(method: string, path: string): MatchedRoute<R> {
    const parts = path.split('/');
    const matches = (byLength.get(parts.length) ?? []).filter((candidate) => fits(candidate, parts));
    if (matches.length === 0) throw new Problem('noSuchPath', 'Not found.');
    const routeMethod = method === 'HEAD' ? 'GET' : method;
    const chosen = matches.find(({ route }) => route.method === routeMethod);
    if (!chosen) throw methodNotAllowed(matches.map(({ route }) => route.method));
    return { route: chosen.route, params: paramsOf(chosen.names, parts) };
  };
}

function compileRoute<R extends PathShape>(route: R): CompiledRoute<R> {
  const parts = route.path.split('/');
  return { route, parts, names: parts.map((part) => (part.startsWith(':') ? part.slice(1) : undefined)) };
}

const fits = ({ parts: pattern, names }: CompiledRoute<unknown>, parts: string[]): boolean =>
  pattern.every((part, at) => (names[at] === undefined ? part === parts[at] : parts[at] !== ''));

function paramsOf(names: (string | undefined)[], parts: string[]): Record<string, string> {
  const params: Record<string, string> = {};
  names.forEach((name, at) => {
    if (name !== undefined) params[name] = decodeSegment(parts[at] ?? '');
  });
  return params;
}

/** A segment that cannot be decoded stays as it is; no id equals it. */
function decodeSegment(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function methodNotAllowed(routes: string[]) {
  const methods = routes.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return new Problem('methodNotAllowed', `This path accepts ${methods}.`, { details: { allow: methods } });
}
