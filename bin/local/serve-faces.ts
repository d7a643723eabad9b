/** Serves both APIs, each on a port of its own, and the signed addresses beside the first one. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { keysFetcher } from '../../engines/outbound/fetch-keys.ts';
import type { Request } from '../../engines/outbound/outbound.ts';
import { type AgentsContext, agents, login } from '../../functions/agents/face.ts';
import type { LoginContext } from '../../functions/agents/login.ts';
import { CONTRACT_FILES, contractsIn } from '../../functions/contract-routes.ts';
import { type FilesContext, filesAndTasks } from '../../functions/files-and-tasks/face.ts';
import { dispatcher } from '../../functions/http/dispatch.ts';
import type { Api } from '../../functions/http/face.ts';
import { blobServer } from '../../local/blob-server.ts';
import type { LocalContext } from '../../local/context.ts';
import { OUTBOX_PATH, outbox } from '../../local/outbox.ts';
import { serve } from '../../local/server.ts';
import { BLOBS_PATH } from '../../local/signed-addresses.ts';
import { issuerKeys } from '../../shared/accounts/id-token.ts';
import { usualDuration } from '../../shared/agents/agent-task.ts';
import { logWith } from '../../shared/core/log.ts';
import { semaphore } from '../../shared/core/semaphore.ts';
import { maxBytesIn } from '../../shared/core/stage.ts';
import { systemPause } from '../../shared/core/time.ts';
import type { Outbound } from '../../shared/ports.ts';
import { consoleAt } from './console/console-at.ts';
import { docsAt } from './docs/docs-at.ts';
import { NO_EDGE, type ProductOptions } from './product.ts';

/** On one machine the two are one. */
const ALL_AGENTS: Api<AgentsContext & LoginContext> = { ...agents, routes: [...agents.routes, ...login.routes] };

/** Each takes a core and 128 MiB for most of a second. */
export const PASSWORDS_AT_ONCE = Math.min(2, availableParallelism());
/** While one is being computed, the guess of the next one is counted. */
const LOGINS_AT_ONCE = 2 * PASSWORDS_AT_ONCE;

const CONTRACTS = contractsIn(join(import.meta.dirname, '../../contracts'));

const contractsOf = (face: keyof typeof CONTRACT_FILES) => (name: string) =>
  CONTRACTS((CONTRACT_FILES[face] as Record<string, string>)[name] ?? name);

type Own =
  | 'outbound'
  | 'blobs'
  | 'secrets'
  | 'passwords'
  | 'keysAt'
  | 'addressOf'
  | 'pause'
  | 'passwordSlots'
  | 'usualDuration';
type Shell = Omit<FilesContext & AgentsContext & LoginContext, Own>;
type Faces = { shell: Shell; request: Request; fetchFile: Outbound };

export async function serveFaces(local: LocalContext, o: ProductOptions, { shell, request, fetchFile }: Faces) {
  const { table, clock, blobs, secrets } = local;
  const docs = docsAt(o);
  const onFault = (error: unknown) => o.log.error('request failed in the server', { error });
  const files = await serve({
    dispatch: dispatcher(filesAndTasks, {
      ...shell,
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
  const people = await serve({
    dispatch: dispatcher(ALL_AGENTS, {
      ...shell,
      log: logWith(o.log, { face: agents.name }),
      contracts: contractsOf('agents'),
      secrets,
      passwords: o.passwords,
      blobs,
      keysAt: issuerKeys({ clock, fetchKeys: keysFetcher({ request, log: o.log, ca: o.sources.ca }) }),
      addressOf: NO_EDGE,
      pause: systemPause,
      passwordSlots: semaphore({ capacity: LOGINS_AT_ONCE, maxEach: LOGINS_AT_ONCE, name: 'passwordHashing' }),
      usualDuration: usualDuration({ table, clock }),
    }),
    port: o.ports[1],
    settled: table.settled,
    mounts: [{ prefix: OUTBOX_PATH, serve: outbox(local.folder.mail) }, ...docs],
    onFault,
  }).catch((error) => {
    files.close();
    throw error;
  });
  return [files, people] as const;
}
