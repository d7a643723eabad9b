/** `errand webhooks`, `errand webhook-secret` and `errand delivery`: endpoints, secrets and deliveries of webhooks. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withAudit } from '../../shared/accounts/audit.ts';
import { listOrganizations } from '../../shared/accounts/organizations.ts';
import { currentSecrets, resealWebhookSecrets, rotateWebhookSecret } from '../../shared/accounts/webhook-secrets.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Clock, Table } from '../../shared/ports.ts';
import type { TaskAddress } from '../../shared/tasks/rows.ts';
import { type Delivery, deliveriesOf, redeliver } from '../../shared/webhooks/deliveries.ts';
import type { NumberedAttempt } from '../../shared/webhooks/delivery-log.ts';
import { verifyWebhook } from '../../shared/webhooks/signing.ts';
import {
  type CommandLine,
  type CommandOutput,
  jsonOf,
  type Noun,
  type Operator,
  SHOWN_ONCE,
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

const webhooks: Noun = {
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

/** With a third secret, receivers that verify x-service-signature with the second one would match neither header. */
const IN_HEADERS = 2;

async function rotate(operator: Operator, { args: [org = ''], options }: CommandLine): Promise<ShownValue> {
  const { id, name } = await findOrganization(operator.table, org);
  const act = { by: operator.by, act: 'webhook-secret rotate', organization: id, subject: name };
  const maxSecrets = options.again ? undefined : IN_HEADERS;
  const { secret, previousUntil } = await withAudit(operator, act, () => rotateWebhookSecret(operator, id, maxSecrets));
  return { report: { id, name, webhookSecret: secret, previousUntil: timeOf(previousUntil) }, note: SHOWN_ONCE };
}

async function reseal(operator: Operator): Promise<ShownValue> {
  const act = { by: operator.by, act: 'webhook-secret reseal', subject: 'all' };
  const count = await withAudit(operator, act, async () => {
    const organizations = await listOrganizations(operator.table);
    for (const { id } of organizations) await resealWebhookSecrets(operator, id);
    return organizations.length;
  });
  return { report: { organizations: count }, note: 'All of them are encrypted with the current master secret.' };
}

const webhookSecret: Noun = {
  rotate: {
    usage: 'rotate ORG [--again]',
    about:
      'creates a new webhook secret; the previous one stays valid for 24 hours, during which another rotation needs --again',
    args: [1, 1],
    options: ['again'],
    run: rotate,
  },
  reseal: {
    usage: 'reseal',
    about: 're-encrypts all webhook secrets with the current master secret',
    args: [0, 0],
    run: reseal,
  },
};

async function addressIn(table: Table, { args: [typed = ''], options }: CommandLine): Promise<TaskAddress> {
  const { id: organization } = await findOrganization(table, options.org ?? '');
  return { organization, taskId: typed.replace(/^task_/, '') };
}

async function list({ table }: Operator, line: CommandLine): Promise<ShownValue> {
  const deliveries = await deliveriesOf({ table }, await addressIn(table, line));
  return { report: deliveries.flatMap(reportsOf) };
}

/** A line for each attempt, or a single line if there was no attempt yet. */
function reportsOf({ id, endpoint, state, nextAt, attempts }: Delivery): CommandOutput[] {
  const report = ({ number, at, ms, status, fault, nextAt: next }: Partial<NumberedAttempt>): CommandOutput => ({
    delivery: id,
    endpoint,
    state,
    attempt: number ?? null,
    at: timeOf(at),
    ms: ms ?? null,
    outcome: status ?? fault ?? null,
    next: timeOf(next),
  });
  return attempts.length > 0 ? attempts.map(report) : [report(nextAt === undefined ? {} : { nextAt })];
}

/** The command line cannot send hints; the product's reconciler finds due webhooks. */
const noHints = async (): Promise<void> => undefined;

async function again(operator: Operator, line: CommandLine): Promise<ShownValue> {
  const address = await addressIn(operator.table, line);
  const { organization, taskId } = address;
  const [, id = ''] = line.args;
  const act = { by: operator.by, act: 'delivery redeliver', organization, subject: `task:${taskId}`, detail: id };
  const { state, endpoint } = await withAudit(operator, act, () =>
    redeliver({ ...operator, hints: noHints }, address, { id }),
  );
  return { report: { delivery: id, endpoint, state }, note: 'It goes out within two minutes.' };
}

const delivery: Noun = {
  list: {
    usage: 'list TASK --org ORG',
    about: 'shows each attempt to deliver the result of a task',
    args: [1, 1],
    needs: ['org'],
    run: list,
  },
  redeliver: {
    usage: 'redeliver TASK DELIVERY --org ORG',
    about: 'delivers it again, whatever its state',
    args: [2, 2],
    needs: ['org'],
    run: again,
  },
};

export const webhookNouns = { webhooks, webhookSecret, delivery };
