/** The routes that both APIs have: their health and their contracts. */

import { promises } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { Problem } from '../shared/core/problem.ts';
import { type ApiContext, type Route, route } from './http/route.ts';

// Health checks.

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

// The contracts of an API, served from files, so that a cold start does not parse them.

/** The file in `contracts/` of each document of an API. */
export const CONTRACT_FILES = {
  'files-and-tasks': { 'openapi.json': 'files-and-tasks.openapi.json' },
  agents: { 'openapi.json': 'agents.openapi.json', 'asyncapi.json': 'agents.asyncapi.json' },
} as const;

type Contracts = (name: string) => Promise<string>;

/** `promises` is a getter: importing `node:fs/promises` would cost each start 3 ms, and few calls request a contract. */
export const contractsIn =
  (folder: string): Contracts =>
  (name) =>
    promises.readFile(join(folder, name), 'utf8');

export const contractRoutes = <Context extends ApiContext>(api: keyof typeof CONTRACT_FILES): Route<Context>[] =>
  Object.keys(CONTRACT_FILES[api]).map((name) =>
    route<Context, 'anyone'>({
      method: 'GET',
      path: `/${name}`,
      about: `Returns the contract of this API, ${name}.`,
      caller: 'anyone',
      replies: { 200: 'The contract as a JSON document.' },
      async run(_, { contracts }) {
        if (!contracts) throw new Problem('noSuchPath', 'Not found.');
        return { status: 200, text: await contracts(name) };
      },
    }),
  );
