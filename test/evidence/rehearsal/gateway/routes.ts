/** Finds the route of a request among the template's routes, as an HTTP API does. */
import type { ApiRoute } from '../stack/callers.ts';

export type Found = { route: ApiRoute; params: Record<string, string> };

export function findRoute(routes: ApiRoute[], method: string, path: string): Found | undefined {
  const parts = path.split('/');
  const fitting = routes
    .map((route) => ({ route, pattern: patternOf(route, method) }))
    .filter(({ pattern }) => pattern?.length === parts.length && pattern.every((part, at) => fits(part, parts[at])))
    .sort((a, b) => names(a.pattern) - names(b.pattern));
  const [best] = fitting;
  if (best?.pattern) return { route: best.route, params: paramsOf(best.pattern, parts) };
  const route = routes.find(({ key }) => key === '$default');
  return route && { route, params: {} };
}

function patternOf({ key }: ApiRoute, method: string): string[] | undefined {
  if (key.includes('+}')) throw new Error(`The rehearsal does not know greedy routes such as ${key}.`);
  const [wanted, pattern] = key.split(' ');
  return wanted === method || wanted === 'ANY' ? pattern?.split('/') : undefined;
}

const isName = (part: string): boolean => part.startsWith('{');
const fits = (part: string, given: string | undefined): boolean => (isName(part) ? given !== '' : part === given);
const names = (pattern: string[] = []): number => pattern.filter(isName).length;

const paramsOf = (pattern: string[], parts: string[]): Record<string, string> =>
  Object.fromEntries(pattern.flatMap((part, at) => (isName(part) ? [[part.slice(1, -1), parts[at] ?? '']] : [])));
