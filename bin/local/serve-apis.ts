/** Serves both APIs on one machine, each on its own port, and signed URLs, console and documentation on the port of the first. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { blobServer } from '../../adapters/local/blob-server.ts';
import type { LocalContext } from '../../adapters/local/context.ts';
import { OUTBOX_PATH, outbox } from '../../adapters/local/mail-outbox.ts';
import { type Mount, serve } from '../../adapters/local/server.ts';
import { BLOBS_PATH } from '../../adapters/local/signed-addresses.ts';
import { keysFetcher } from '../../engines/outbound/clients.ts';
import type { OutboundRequest } from '../../engines/outbound/request.ts';
import { CATCHER_PATH } from '../../engines/outbound/ssrf-policy.ts';
import { agents } from '../../functions/agents/api.ts';
import type { AgentsContext } from '../../functions/agents/context.ts';
import { type LoginContext, login } from '../../functions/agents/login.ts';
import { CONTRACT_FILES, contractsIn } from '../../functions/contract-routes.ts';
import { filesAndTasks } from '../../functions/files-and-tasks/api.ts';
import type { FilesContext } from '../../functions/files-and-tasks/schema.ts';
import { callerAddress } from '../../functions/http/caller-address.ts';
import { dispatcher } from '../../functions/http/dispatch.ts';
import type { Api } from '../../functions/http/route.ts';
import { issuerKeys } from '../../shared/accounts/issuer-keys.ts';
import { typicalDuration } from '../../shared/agents/typical-duration.ts';
import { CONSOLE_FOLDER, CONSOLE_PAGE } from '../../shared/core/console-page.ts';
import { logWith } from '../../shared/core/log.ts';
import { semaphore } from '../../shared/core/semaphore.ts';
import { maxBytesIn } from '../../shared/core/stage-limits.ts';
import { systemPause } from '../../shared/core/time.ts';
import type { Outbound } from '../../shared/ports.ts';
import type { DocsLocal } from './docs-server.ts';
import { type ConsoleLocal, LOCAL_FOLDER, type ProductOptions } from './product-options.ts';

/** The mount of the console. Its code is loaded on the first request. */
function consoleAt(local: ConsoleLocal): Mount[] {
  const load = async () => (await import('./console-server.ts')).consoleServer(local);
  let serving: ReturnType<typeof load> | undefined;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    serving ??= load();
    await (await serving)(request, response);
  };
  const folders = [CONSOLE_FOLDER, LOCAL_FOLDER, CATCHER_PATH, OUTBOX_PATH].map((prefix) => ({ prefix, serve }));
  return [{ prefix: CONSOLE_PAGE, isPage: true, serve }, ...folders];
}

/** The mount of the documentation. Its code is loaded on the first request. */
function docsAt({ ports: [files, agents], organizations }: Pick<ProductOptions, 'ports' | 'organizations'>): Mount[] {
  const local: DocsLocal = {
    roots: { files: `http://127.0.0.1:${files}`, agents: `http://127.0.0.1:${agents}` },
    organizations: organizations.map(({ name, apiKey, username, password }) => ({ name, apiKey, username, password })),
  };
  let serving: ReturnType<typeof load> | undefined;
  const load = async () => (await import('./docs-server.ts')).docsServer(local);
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    serving ??= load();
    await (await serving)(request, response);
  };
  return ['/docs', '/llms.txt'].map((prefix) => ({ prefix, serve }));
}

/** On AWS, logging in is a function of its own; here it is part of the agents' API. */
const ALL_AGENTS: Api<AgentsContext & LoginContext> = { ...agents, routes: [...agents.routes, ...login.routes] };

/** Each password hash takes a core and 128 MiB for most of a second. */
export const PASSWORDS_AT_ONCE = Math.min(2, availableParallelism());
/** More logins than hashes: while one is hashed, the next is counted by the limit of guesses. */
const LOGINS_AT_ONCE = 2 * PASSWORDS_AT_ONCE;

const CONTRACTS = contractsIn(join(import.meta.dirname, '../../contracts'));

const contractsOf = (api: keyof typeof CONTRACT_FILES) => (name: string) =>
  CONTRACTS((CONTRACT_FILES[api] as Record<string, string>)[name] ?? name);

type PerApi =
  | 'outbound'
  | 'blobs'
  | 'secrets'
  | 'passwords'
  | 'keysAt'
  | 'addressOf'
  | 'pause'
  | 'passwordSlots'
  | 'typicalDuration';
export type LocalApiContext = Omit<FilesContext & AgentsContext & LoginContext, PerApi>;
type ApiOptions = { apiContext: LocalApiContext; request: OutboundRequest; fetchFile: Outbound };

export async function serveApis(
  local: LocalContext,
  o: ProductOptions,
  { apiContext, request, fetchFile }: ApiOptions,
) {
  const { table, clock, blobs, secrets } = local;
  const docs = docsAt(o);
  const onFault = (error: unknown) => o.log.error('request failed in the server', { error });
  const filesServer = await serve({
    dispatch: dispatcher(filesAndTasks, {
      ...apiContext,
      log: logWith(o.log, { face: filesAndTasks.name }),
      contracts: contractsOf('files-and-tasks'),
      outbound: fetchFile,
      blobs,
    }),
    port: o.ports[0],
    settled: table.settled,
    mounts: [
      {
        prefix: BLOBS_PATH,
        serve: blobServer({ blobs, addresses: local.addresses, clock: local.clock, maxBytes: maxBytesIn({}) }),
      },
      ...docs,
      ...consoleAt({ ...o, local }),
    ],
    onFault,
  });
  const agentsServer = await serve({
    dispatch: dispatcher(ALL_AGENTS, {
      ...apiContext,
      log: logWith(o.log, { face: agents.name }),
      contracts: contractsOf('agents'),
      secrets,
      passwords: o.passwords,
      blobs,
      keysAt: issuerKeys({ clock, fetchKeys: keysFetcher({ request, log: o.log, ca: o.sources.ca }) }),
      addressOf: NO_EDGE,
      pause: systemPause,
      passwordSlots: semaphore({ capacity: LOGINS_AT_ONCE, maxEach: LOGINS_AT_ONCE, name: 'passwordHashing' }),
      typicalDuration: typicalDuration({ table, clock }),
    }),
    port: o.ports[1],
    settled: table.settled,
    mounts: [{ prefix: OUTBOX_PATH, serve: outbox(local.folder.mail) }, ...docs],
    onFault,
  }).catch((error) => {
    filesServer.close();
    throw error;
  });
  return [filesServer, agentsServer] as const;
}

export const NO_EDGE = callerAddress(async () => undefined);
