/** Sends malformed WebSocket messages; responses must conform to the contract, and the next message must be answered. */
import { issueToken, WEBSOCKET_TOKEN } from '../../../shared/accounts/access-tokens.ts';
import { checker, contract } from '../../scripts/contracts/check-answer.ts';
import { type Client, connect, type Message } from '../../shared/realtime/client.ts';
import type { Any } from '../../support/any.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import type { Attacked } from './attack-target.ts';
import { pick, valueFrom } from './from-schema.ts';
import { spoiltBody } from './mutate.ts';
import type { Outcome } from './part.ts';
import type { Tenant } from './tenants.ts';

const MESSAGES = 3_000;
/** Messages per connection, which is then replaced: within the message budgets with and without authentication. */
const OF_A_CLIENT = 100;
const OF_A_STRANGER = 15;
const CLIENTS = 4;
const MAX_BYTES = 30_000;

const DOCUMENT = contract('agents.asyncapi');
const check = checker(DOCUMENT);
const schemas = Object.entries<Any>(DOCUMENT.components.schemas);
const said = (DOCUMENT.operations.say.messages as Any[]).map(({ $ref }) => $ref.split('/').at(-1));
const nameOf = (type: string) => schemas.find(([, { properties }]) => properties?.type?.const === type)?.[0];

function message(random: () => number): string | Uint8Array<ArrayBuffer> {
  const schema = DOCUMENT.components.schemas[pick(said, random)];
  const good = valueFrom(schema, DOCUMENT, random);
  const spoilt = random() < 0.85 ? spoiltBody(good, random) : JSON.stringify(good);
  return typeof spoilt === 'string' ? spoilt.slice(0, MAX_BYTES) : new Uint8Array(spoilt.subarray(0, MAX_BYTES));
}

async function newClient(on: Attacked, tenant: Tenant, isKnown: boolean): Promise<Client> {
  const client = await connect(on.product().local.agents.wsUrl);
  if (!isKnown) return client;
  client.send({ type: 'authenticate', token: await issueToken(on.local, WEBSOCKET_TOKEN, tenant.people.viewer) });
  await client.first(({ type }) => type === 'authenticated' || type === 'error');
  return client;
}

function wrongWith(one: Message): string[] {
  const name = nameOf(one.type);
  if (name === undefined || one.code === 'INTERNAL_ERROR') return [JSON.stringify(one)];
  return check(name, one);
}

export async function fuzzSocket(on: Attacked, seed: number, size: number): Promise<Outcome> {
  const outcome: Outcome = { what: 'messages on the WebSocket channel', tried: 0, broken: [] };
  const random = seededRandom(seed);
  const tenant = await on.tenants.found();
  const rounds = Math.ceil((MESSAGES * size) / ((CLIENTS - 1) * OF_A_CLIENT + OF_A_STRANGER));
  for (let round = 0; round < rounds; round++) {
    await Promise.all(Array.from({ length: CLIENTS }, (_, at) => attack(at > 0)));
  }
  return outcome;

  async function attack(isKnown: boolean): Promise<void> {
    const client = await newClient(on, tenant, isKnown);
    for (let nth = 0; nth < (isKnown ? OF_A_CLIENT : OF_A_STRANGER) && !client.isClosed(); nth++) {
      client.sendRaw(message(random));
      outcome.tried++;
    }
    const before = client.messages.length;
    if (!client.isClosed()) client.send({ type: 'ping' });
    const answered = () => client.messages.slice(before).some(({ type }) => type === 'pong' || type === 'error');
    await client
      .first(() => answered() || client.isClosed(), 10_000)
      .catch(() => {
        if (!client.isClosed()) outcome.broken.push('a connection says nothing any more');
      });
    outcome.broken.push(...client.messages.flatMap(wrongWith));
    if (client.messages.length < 1) outcome.broken.push('a connection received no message');
    client.close();
    await client.closed();
  }
}
