/** `errand webhooks`: receives webhooks on this machine. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listOrganizations } from '../../shared/accounts/organizations.ts';
import { currentSecrets } from '../../shared/accounts/webhook-secrets.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Clock } from '../../shared/ports.ts';
import { verifyWebhook } from '../../shared/webhooks/signing.ts';
import {
  type CommandLine,
  jsonOf,
  type Noun,
  type Operator,
  type ShownValue,
  textOf,
  timeOf,
  wholeNumber,
} from './command.ts';
import { findOrganization } from './org.ts';

/** A webhook received on this machine. */
type Arrival = { at: number; path: string; id: string; signatures: string[]; body: string };

type ReceiverOptions = {
  port: number;
  clock: Clock;
  /** Called for each webhook, so that a rotation is noticed. */
  secrets(): Promise<string[]>;
  arrived(arrival: Arrival): void;
};

const HOST = '127.0.0.1';
const MAX_BYTES = 10_000_000;

type LocalReceiver = { port: number; stop(): void };

async function startReceiver({ port, clock, secrets, arrived }: ReceiverOptions): Promise<LocalReceiver> {
  const receive = async (request: IncomingMessage): Promise<number> => {
    const body = await webhookText(request);
    if (body === undefined) return 413;
    const { headers, url: path = '' } = request;
    const signatures = verifyWebhook(await secrets(), { headers, body, now: clock.now() });
    arrived({ at: clock.now(), path, id: String(headers['webhook-id'] ?? ''), signatures, body });
    return signatures.length > 0 ? 200 : 401;
  };
  const server = createServer((request, response) => {
    receive(request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    );
  }).listen(port, HOST);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function webhookText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const MAX_PORT = 65_535;

async function listen(operator: Operator, { args: [org], options }: CommandLine): Promise<ShownValue> {
  const { port: requested = '', secret, json } = options;
  const { clock, out, untilStopped } = operator;
  const requestedPort = wholeNumber('port', requested);
  if (requestedPort > MAX_PORT) throw new Problem('invalid', `--port is at most ${MAX_PORT}.`);
  const only = org === undefined ? undefined : (await findOrganization(operator.table, org)).id;
  const secrets = async () => (secret === undefined ? secretsOf(operator, only) : [secret]);
  const count = { verified: 0, refused: 0 };
  const arrived = (arrival: Arrival) => {
    count[arrival.signatures.length > 0 ? 'verified' : 'refused']++;
    const value = { report: arrivalReport(arrival) };
    out(json ? jsonOf(value) : `${textOf(value)}\n`);
  };
  const { port, stop } = await startReceiver({ port: requestedPort, clock, secrets, arrived }).catch((cause) => {
    throw new Problem('badSetting', `Port ${requestedPort} cannot be used (${cause.code}): give another one.`, {
      cause,
    });
  });
  if (!json) out(`Receiving webhooks at http://127.0.0.1:${port}/ until Ctrl-C.\n`);
  await untilStopped();
  stop();
  return { report: { port, ...count } };
}

/** The secrets of one organization, or of all. */
async function secretsOf(operator: Operator, only: string | undefined): Promise<string[]> {
  const ids = only === undefined ? (await listOrganizations(operator.table)).map(({ id }) => id) : [only];
  const secretLists = await Promise.all(ids.map((id) => currentSecrets(operator, id)));
  return secretLists.flat().map(({ secret }) => secret);
}

const arrivalReport = ({ at, path, id, signatures, body }: Arrival) => ({
  at: timeOf(at),
  path,
  'webhook-id': id,
  verified: signatures.length > 0 ? signatures : 'no valid signature: returned 401',
  body,
});

export const webhooks: Noun = {
  listen: {
    usage: 'listen [ORG] --port N [--secret WHSEC]',
    about: 'receives webhooks on this machine, verifies them and shows them, until Ctrl-C',
    args: [0, 1],
    options: ['secret'],
    needs: ['port'],
    founds: true,
    run: listen,
  },
};
