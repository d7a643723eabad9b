/** What callers know a route as, such as `GET /tasks/{task_id}`. */
import type { Route } from './route.ts';

type Shape = Pick<Route<never>, 'method' | 'path'>;

const BASE = /^\/api\/v1(?=\/)/;

/** Every call that is counted asks for it. */
const known = new WeakMap<Shape, string>();

export function callsOf(route: Shape): string {
  const calls = known.get(route) ?? written(route);
  known.set(route, calls);
  return calls;
}

const written = ({ method, path }: Shape): string =>
  `${method} ${path.replace(BASE, '').replaceAll(/:(\w+)/g, (_, name: string) => `{${snake(name)}}`)}`;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
