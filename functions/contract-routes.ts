/** The contracts of an API, served from files, so that a cold start does not parse them. */

import { promises } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../shared/core/problem.ts';
import { type ApiContext, type Route, route } from './http/route.ts';

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
