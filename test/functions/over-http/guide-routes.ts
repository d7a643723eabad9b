/** Finds the routes that a guide does not call. */
import { agents } from '../../../functions/agents/api.ts';
import { login } from '../../../functions/agents/login.ts';
import { routes } from '../../../functions/files-and-tasks/api.ts';
import { target } from './call.ts';

export type MadeCall = { method: string; url: string };

/** Routes for load balancers, readers of contracts and recipients of mails. */
const FOR_OTHERS = /^\/(health|openapi\.json|asyncapi\.json|unsubscribe\/:token)$/;

const FACES = [
  { root: new URL(target.filesAndTasks).origin, of: routes },
  { root: target.agents, of: [...agents.routes, ...login.routes] },
];

/** Only of APIs that the guide calls. */
export function uncalledRoutes(madeCalls: MadeCall[]): string[] {
  const called = FACES.filter(({ root }) => madeCalls.some(({ url }) => url.startsWith(root)));
  return called.flatMap(({ root, of }) =>
    of
      .filter(({ path }) => !FOR_OTHERS.test(path))
      .filter(({ method, path }) => !madeCalls.some((call) => call.method === method && fits(call.url, root + path)))
      .map(({ method, path }) => `${method} ${path}`),
  );
}

const fits = (url: string, route: string): boolean =>
  new RegExp(`^${route.replaceAll('.', '\\.').replaceAll(/:[a-zA-Z]+/g, '[^/]+')}$`).test(url.split('?')[0] ?? '');
