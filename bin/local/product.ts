/** The whole product in one process: both faces, the signed addresses, the housekeeping. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { faultOfLocalEndpoint } from '../../engines/outbound/fault-of-endpoint.ts';
import { fileFetcher } from '../../engines/outbound/fetch-file.ts';
import { outbound } from '../../engines/outbound/outbound.ts';
import { threadedPoster } from '../../engines/outbound/thread/threaded-poster.ts';
import { credentialLimit } from '../../functions/http/bad-credentials.ts';
import { callerAddress } from '../../functions/http/caller-address.ts';
import { isLoopbackOrigin } from '../../functions/http/cors.ts';
import type { LocalContext } from '../../local/context.ts';
import { ownTokenCheck, tokenAuthenticator } from '../../shared/accounts/access-tokens.ts';
import { keyAuthenticator } from '../../shared/accounts/api-keys.ts';
import { organizationReader } from '../../shared/accounts/organizations.ts';
import type { Log } from '../../shared/core/log.ts';
import type { Outbound, Passwords } from '../../shared/ports.ts';
import { admission } from '../../shared/tasks/admission.ts';
import { hintsOver } from '../../shared/tasks/hints.ts';
import { leasedTasks } from '../../shared/tasks/lease.ts';
import { freshTasks } from '../../shared/tasks/submit.ts';
import type { NotifyTask } from '../../shared/tasks/transition.ts';
import { openConnections } from './connections.ts';
import type { Standing } from './demo.ts';
import { startHousekeeping } from './housekeeping.ts';
import { startSenders } from './senders.ts';
import { serveFaces } from './serve-faces.ts';
import { startWorkers } from './workers.ts';

export type Addresses = { filesAndTasks: string; agents: string; agentsSocket: string };
export type Product = { addresses: Addresses; stop(): Promise<void> };

export const NO_EDGE = callerAddress(async () => undefined);

/** What the operator changes on the command line shows within a second. */
const KEPT_MS = 500;

/** Whatever name the caller had for us, these are our places. */
const past =
  (ownHosts: string[], fetchFile: Outbound): Outbound =>
  (address, ask) =>
    fetchFile(address, { ...ask, ownHosts: [...ask.ownHosts, ...ownHosts] });

const addressOf = (server: Server): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Origins files may be fetched from though they are not public, and the authority (PEM) that vouches for them. */
export type Sources = { allowSources: string[]; ca: string | undefined };

export type ProductOptions = {
  ports: [number, number];
  log: Log;
  sources: Sources;
  passwords: Passwords;
  maxBadCredentials: number;
  organizations: Standing[];
};

export async function startProduct(local: LocalContext, o: ProductOptions): Promise<Product> {
  const { table, clock, ids, secrets } = local;
  const hints = hintsOver({ ...local.queues, log: o.log });
  const fresh = freshTasks();
  const request = outbound();
  const ownHosts = o.ports.flatMap((port) => [`127.0.0.1:${port}`, `localhost:${port}`]);
  const { post, stop: stopPoster } = threadedPoster({ ownHosts }, o.log);
  const organizationOf = organizationReader({ table, clock, keptMs: KEPT_MS });
  const fetchFile = fileFetcher({ request, log: o.log, ...o.sources });
  const connections = openConnections(local, { log: o.log, organizationOf });
  const { sayEnding } = connections;
  const held = leasedTasks();
  const notifyTask: NotifyTask = (effects, address, task, about) => {
    held.notify(address, task);
    connections.told.notifyTask(effects, address, task, about);
  };
  const told = { ...connections.told, notifyTask };
  const shell = {
    table,
    clock,
    ids,
    log: o.log,
    origins: isLoopbackOrigin,
    organizationOf,
    keyOwner: keyAuthenticator({ table, clock, log: o.log, keptMs: KEPT_MS }),
    tokenOwner: tokenAuthenticator({ table, clock, secrets, keptMs: KEPT_MS }),
    limitCredentials: limitOfBadCredentials(local, o.maxBadCredentials),
    hints,
    fresh,
    ...told,
    admit: admission({ table, clock, organizationOf }),
    faultOfEndpoint: faultOfLocalEndpoint,
    sendsMail: true,
    vault: local.vault,
    post,
  };
  const [files, people] = await serveFaces(local, o, { shell, request, fetchFile });
  connections.serve(people, isLoopbackOrigin);
  const ways = { outbound: past(ownHosts, fetchFile), rootUrl: `http://${addressOf(people)}` };
  const senders = startSenders(local, { log: o.log, hints, post, ...told });
  const workers = await startWorkers(local, {
    log: o.log,
    hints,
    ...told,
    ...ways,
    fresh,
    held,
    firstSender: senders.first,
  });
  const housekeeping = startHousekeeping(local, { ...local, sayEnding, ...told, log: o.log, hints });
  return {
    addresses: {
      filesAndTasks: `http://${addressOf(files)}`,
      agents: `http://${addressOf(people)}`,
      agentsSocket: `ws://${addressOf(people)}`,
    },
    async stop() {
      housekeeping.stop();
      connections.stop();
      await Promise.all([files, people].map(closed));
      await workers.stop();
      await senders.stop();
      await stopPoster();
    },
  };
}

const limitOfBadCredentials = ({ table, clock, secrets }: LocalContext, max: number) =>
  credentialLimit({ table, clock, addressOf: NO_EDGE, max, isOwnToken: ownTokenCheck({ clock, secrets }) });

const GRACE_MS = 2_000;

/** What is being answered may end; what takes longer is cut. */
function closed(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  return new Promise((resolve) => {
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
