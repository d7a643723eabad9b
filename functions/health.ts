/** Says that a face answers, and which version does. */
import packageJson from '../package.json' with { type: 'json' };
import { type Route, route } from './http/route.ts';

/** At the root, where load balancers look, and below the API's base. */
export const healthRoutes = <Context>(): Route<Context>[] =>
  (['/health', '/api/v1/health'] as const).map((path) =>
    route<Context, 'anyone'>({
      method: 'GET',
      path,
      about: 'Tells that the service answers, and its version.',
      caller: 'anyone',
      replies: { 200: 'It answers.' },
      run: async () => ({ status: 200, body: { status: 'ok', version: packageJson.version } }),
    }),
  );
