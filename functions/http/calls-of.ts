/** What callers know a route as, such as `GET /tasks/{task_id}`. */
import type { Route } from './route.ts';

const BASE = /^\/api\/v1(?=\/)/;

export const callsOf = ({ method, path }: Pick<Route<never>, 'method' | 'path'>): string =>
  `${method} ${path.replace(BASE, '').replaceAll(/:(\w+)/g, (_, name: string) => `{${snake(name)}}`)}`;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
