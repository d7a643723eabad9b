/** Calls every operation with every credential: each role may do exactly what it should, within its organization only. */
import { clientMessages } from '../../../functions/websocket/contract.ts';
import { ROLES } from '../../../shared/accounts/caller.ts';
import { belongingsOf } from '../../functions/both-apis/belongings.ts';
import { subscribe } from '../../shared/realtime/client.ts';
import type { Attacked, Reply } from './attack-target.ts';
import { inProcess } from './in-process.ts';
import {
  bearer,
  type Credential,
  credentialsOf,
  ID_IN_BODY,
  type Ids,
  idsOf,
  OPERATIONS,
  type Operation,
  requestOf,
  unknownIds,
} from './operations.ts';
import { type Outcome, type Part, until } from './part.ts';
import type { Tenant } from './tenants.ts';

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;

/** The expected status of a refusal; `undefined`: the credential may call the operation. */
function refusalOf({ caller }: Operation, { role }: Credential): number | undefined {
  if (caller === 'anyone') return undefined;
  if (role === undefined) return UNAUTHORIZED;
  return ROLES.indexOf(role) < ROLES.indexOf(caller) ? FORBIDDEN : undefined;
}

/** The parts of a response that do not differ between calls. */
const comparable = ({ status, text }: Reply): string =>
  `${status} ${text.replace(/"(request_id|timestamp)":"[^"]*"/g, '')}`;

async function roles(on: Attacked, tenant: Tenant): Promise<Outcome> {
  const outcome: Outcome = { what: 'each operation with each kind of credential', tried: 0, broken: [] };
  for (const operation of OPERATIONS) {
    for (const credential of credentialsOf(tenant)) {
      const sent = requestOf(operation, unknownIds(operation.face));
      const { status } = await on.send(operation.face, { ...sent, headers: credential.headers });
      const wanted = refusalOf(operation, credential);
      const isRight =
        wanted === undefined
          ? operation.caller === 'anyone' || ![UNAUTHORIZED, FORBIDDEN].includes(status)
          : status === wanted;
      outcome.tried++;
      if (!isRight)
        outcome.broken.push(`${operation.name} with ${credential.name}: ${status}, not ${wanted ?? 'let in'}`);
    }
  }
  return outcome;
}

async function foreignIds(on: Attacked, own: Tenant, other: Tenant): Promise<Outcome> {
  const outcome: Outcome = { what: "each operation with another organization's ids", tried: 0, broken: [] };
  const apis = { ...on.local, hints: async () => undefined } as never;
  const [ours, theirs] = [await belongingsOf(apis, own.id), await belongingsOf(apis, other.id)];
  const hidden = [theirs.fileId, ...Object.values(theirs.tasks).map(({ taskId }) => taskId), other.id];
  for (const operation of OPERATIONS) {
    const { face, name, caller } = operation;
    const known = credentialsOf(own).filter(({ role }) => role !== undefined);
    for (const { name: who, headers } of caller === 'anyone' ? known.slice(0, 1) : known) {
      const ask = (ids: Ids) => on.send(face, { ...requestOf(operation, ids), headers });
      outcome.tried++;
      const wrong = await toldApart(operation, ask, { own: idsOf(face, ours), foreign: idsOf(face, theirs), hidden });
      if (wrong) outcome.broken.push(`${name} with ${who}: ${wrong}`);
    }
  }
  return outcome;
}

type Asked = { own: Ids; foreign: Ids; hidden: string[] };

/** Reports a response that tells other organizations' ids from unknown ones. */
async function toldApart({ face, name, path, method }: Operation, ask: (ids: Ids) => Promise<Reply>, o: Asked) {
  const foreign = await ask(o.foreign);
  const leaked = o.hidden.find((id) => foreign.text.includes(id));
  if (leaked) return `shows ${leaked}`;
  const isInBody = name === ID_IN_BODY;
  if (!path.includes(':') && !isInBody) return undefined;
  const never = await ask(unknownIds(face));
  if (comparable(foreign) !== comparable(never)) return `${comparable(foreign)}, not ${comparable(never)}`;
  if (never.status === FORBIDDEN) return undefined;
  if (isInBody) return never.status === 400 ? undefined : `${never.status} for an id that never was`;
  if (never.status !== NOT_FOUND) return `${never.status} for an id that never was`;
  // Checks that the own id is found, or else the comparison proves nothing.
  if (method !== 'GET' || path.includes(':token')) return undefined;
  const own = await ask(o.own);
  // A cancelled research task has no text and says so, which differs from the response for an unknown task.
  const isThere = own.status !== NOT_FOUND || (path.includes(':source') && comparable(own) !== comparable(never));
  return isThere ? undefined : 'its own is not there';
}

async function cancels(on: Attacked, own: Tenant, other: Tenant): Promise<Outcome> {
  const outcome: Outcome = { what: 'cancelling by its owner, by another and by an admin', tried: 0, broken: [] };
  const schedule = { frequency: 'daily', time: '03:00:00' };
  const input = { notification_type: 'x', schedule, content: { recipients: ['a@errand-tests.org'] } };
  const json = { task_type: 'notification_agent', input };
  const cancel = (id: string, token: string) =>
    on.send('agents', { path: `/api/v1/tasks/${id}/cancel`, headers: bearer(token), json: { force: true } });
  for (const owner of ['member', 'admin'] as const) {
    const { body } = await on.send('agents', { path: '/api/v1/tasks', headers: bearer(own.tokens[owner]), json });
    const id = String(body.task_id);
    const wanted: [string, string, number][] = [
      ['another organization', other.tokens.admin, NOT_FOUND],
      ['a viewer', own.tokens.viewer, FORBIDDEN],
      ...(owner === 'admin'
        ? [['a member whose task it is not', own.tokens.member, FORBIDDEN] as [string, string, number]]
        : []),
      ['an admin', own.tokens.admin, 200],
    ];
    for (const [who, token, status] of wanted) {
      const reply = await cancel(id, token);
      outcome.tried++;
      if (reply.status !== status)
        outcome.broken.push(`cancel of a task of a ${owner} by ${who}: ${reply.status}, not ${status}`);
    }
  }
  return outcome;
}

/** Each organization receives messages of its own tasks only. */
async function sockets(on: Attacked, tenants: Tenant[]): Promise<Outcome> {
  const outcome: Outcome = { what: 'the WebSocket of one beside the tasks of others', tried: 0, broken: [] };
  const asked = Object.keys(clientMessages).toSorted().join();
  if (asked !== 'Authenticate,Ping,Subscribe') outcome.broken.push(`The channel takes ${asked}: attack what is new.`);
  const since = new Date(Date.now() - 60_000).toISOString();
  const json = { task_type: 'research_agent', input: { query: 'Port fees' } };
  const heard = await Promise.all(
    tenants.map(async ({ tokens }) => {
      const auth = await on.send('agents', {
        method: 'POST',
        path: '/api/v1/websocket-auth',
        headers: bearer(tokens.viewer),
      });
      const client = await subscribe(on.product().local.agents.wsUrl, String(auth.body.websocket_token), {
        resume_from: { since },
      });
      const ids: string[] = [];
      for (let nth = 0; nth < 5; nth++) {
        const { body } = await on.send('agents', { path: '/api/v1/tasks', headers: bearer(tokens.member), json });
        ids.push(String(body.task_id));
      }
      return { client, ids };
    }),
  );
  for (const { client, ids } of heard) {
    const others = heard.flatMap((one) => (one.ids === ids ? [] : one.ids));
    await until(async () =>
      ids.every((id) => client.messages.some(({ task_id, type }) => task_id === id && type === 'task_completed')),
    );
    outcome.tried += client.messages.length;
    const foreign = client.messages.filter(({ task_id }) => others.includes(task_id));
    if (foreign.length > 0) outcome.broken.push(`heard of ${JSON.stringify(foreign[0])}`);
    client.close();
  }
  return outcome;
}

export const tenancy: Part = {
  name: 'tenancy',
  promise: 'An organization and its users reach only their own data',
  async run({ on, isShort }) {
    const [own, other] = [await on.tenants.found(), await on.tenants.found()];
    return [
      await roles(on, own),
      await foreignIds(on, own, other),
      await foreignIds(on, other, own),
      await cancels(on, own, other),
      await sockets(on, [own, other]),
      ...(isShort
        ? []
        : [await inProcess('what is read of others, in process', ['test/functions/both-apis/tenancy.test.ts'])]),
    ];
  },
};
