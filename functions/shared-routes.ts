/** The health check, which both APIs have. */

import packageJson from '../package.json' with { type: 'json' };
import { type Route, route } from './http/route.ts';

/** At the root, where load balancers expect it, and below the API's base path. */
export const healthRoutes = <Context>(): Route<Context>[] =>
  (['/health', '/api/v1/health'] as const).map((path) =>
    route<Context, 'anyone'>({
      method: 'GET',
      path,
      about: 'Health check: returns the version of the service.',
      caller: 'anyone',
      replies: { 200: 'The service is up and accepts calls.' },
      run: async () => ({ status: 200, body: { status: 'ok', version: packageJson.version } }),
    }),
  );
