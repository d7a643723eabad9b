/** What callers know a route as, such as `GET /tasks/{task_id}`. */
import type { Route } from './route.ts';

type RouteShape = Pick<Route<never>, 'method' | 'path'>;

const BASE = /^\/api\/v1(?=\/)/;

/** Every call that is counted asks for it. */
const known = new WeakMap<RouteShape, string>();

export function callName(route: RouteShape): string {
  const calls = known.get(route) ?? written(route);
  known.set(route, calls);
  return calls;
}

const written = ({ method, path }: RouteShape): string =>
  `${method} ${path.replace(BASE, '').replaceAll(/:(\w+)/g, (_, name: string) => `{${snake(name)}}`)}`;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
