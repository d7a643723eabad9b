/** Concurrent calls against each limit: exactly as many succeed as the limit allows. */
import { WebSocket } from 'ws';
import { knownRates } from '../../../bin/operator/org.ts';
import { issueToken, WEBSOCKET_TOKEN } from '../../../shared/accounts/access-tokens.ts';
import { SOCKETS } from '../../../shared/accounts/caps.ts';
import type { Attacked } from './attack-target.ts';
import { bearer, OPERATIONS, requestOf, unknownIds } from './operations.ts';
import { type Outcome, type Part, until } from './part.ts';
import type { Tenant } from './tenants.ts';

const ALLOWED = 7;
const CALLERS = 40;
const LIMITED = 429;
const PLENTY = 1_000_000;
const MINUTE_MS = 60_000;
const ENOUGH_MS = 8_000;

/** Waits for the next minute if the current one is too short for the whole test. */
async function inOneMinute(): Promise<void> {
  const left = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (left < ENOUGH_MS) await new Promise((resolve) => setTimeout(resolve, left + 50));
}

async function rates(on: Attacked, windows: { minute: number; hour?: number }): Promise<Outcome> {
  const within = windows.hour === undefined ? 'minute' : 'hour';
  const outcome: Outcome = { what: `${CALLERS} callers at once at each limit of a ${within}`, tried: 0, broken: [] };
  for (const { name, hour } of await knownRates()) {
    if (windows.hour !== undefined && hour === undefined) continue;
    const tenant = await on.tenants.found({
      limits: { [name]: hour === undefined ? { minute: windows.minute } : windows },
    });
    const operations = OPERATIONS.filter(({ limit }) => limit === name);
    await inOneMinute();
    // Operations that share a limit alternate, across both APIs.
    const replies = await Promise.all(
      Array.from({ length: CALLERS }, (_, at) => {
        const operation = operations[at % operations.length];
        if (!operation) throw new Error(`No operation spends ${name}.`);
        const token = operation.face === 'files' ? tenant.apiKey : tenant.tokens.admin;
        const sent = requestOf(operation, unknownIds(operation.face));
        return on.send(operation.face, { ...sent, headers: bearer(token) });
      }),
    );
    outcome.tried += replies.length;
    const through = replies.filter(({ status }) => status !== LIMITED).length;
    if (through !== ALLOWED) outcome.broken.push(`${name}: ${through} got through, not ${ALLOWED}`);
    const silent = replies.filter(({ status, headers }) => status === LIMITED && !headers['retry-after']).length;
    if (silent > 0) outcome.broken.push(`${name}: ${silent} had no Retry-After`);
  }
  return outcome;
}

type Seat = { socket: WebSocket; isIn: boolean };

/** Connects with a new token; resolves when the connection is accepted or refused. */
async function seated(on: Attacked, tenant: Tenant): Promise<Seat> {
  const token = await issueToken(on.local, WEBSOCKET_TOKEN, tenant.people.member);
  const socket = new WebSocket(`${on.product().local.agents.wsUrl}/ws/tasks`);
  const said = await new Promise<string>((resolve) => {
    socket.on('error', () => resolve('error'));
    socket.on('close', () => resolve('closed'));
    socket.on('open', () => socket.send(JSON.stringify({ type: 'authenticate', token })));
    socket.on('message', (text) => resolve(String(text)));
  });
  return { socket, isIn: said.includes('"authenticated"') };
}

/** Closes the connection while the product is reserving its slot. */
async function cutOff(on: Attacked, tenant: Tenant, afterMs: number): Promise<void> {
  const token = await issueToken(on.local, WEBSOCKET_TOKEN, tenant.people.member);
  const socket = new WebSocket(`${on.product().local.agents.wsUrl}/ws/tasks`);
  await new Promise<void>((resolve) => {
    socket.on('error', () => resolve()).on('close', () => resolve());
    socket.on('open', () => {
      socket.send(JSON.stringify({ type: 'authenticate', token }));
      setTimeout(() => socket.terminate(), afterMs);
    });
  });
}

async function places(on: Attacked, rounds: number): Promise<Outcome> {
  const { most } = SOCKETS;
  const outcome: Outcome = {
    what: `${CALLERS} at once for ${most} places, which end without a word`,
    tried: 0,
    broken: [],
  };
  const tenant = await on.tenants.found();
  const many = (count: number) => Promise.all(Array.from({ length: count }, () => seated(on, tenant)));
  const clear = (seats: Seat[]) => seats.forEach(({ socket }) => void socket.terminate());
  const inside = (seats: Seat[]) => seats.filter(({ isIn }) => isIn);

  for (let round = 0; round < rounds; round++) {
    await Promise.all(Array.from({ length: CALLERS }, (_, at) => cutOff(on, tenant, at % 4)));
    const seats = inside(await many(CALLERS));
    // The product may notice closed connections a moment later; their slots must not be lost.
    await until(async () => {
      if (seats.length < most) seats.push(...inside(await many(1)));
      return seats.length >= most;
    }, 5_000).catch(() => outcome.broken.push(`round ${round}: ${seats.length} places are left of ${most}`));
    const more = inside(await many(CALLERS));
    outcome.tried += 3 * CALLERS;
    if (seats.length + more.length > most) outcome.broken.push(`round ${round}: ${seats.length + more.length} got in`);
    if (round === rounds - 1) await on.killed();
    else clear([...seats, ...more]);
  }
  const after = inside(await many(CALLERS));
  if (after.length !== most) outcome.broken.push(`after the product was killed ${after.length} got in, not ${most}`);
  clear(after);
  return outcome;
}

export const limits: Part = {
  name: 'limits',
  promise: 'Rate limits are exact under concurrency, and no WebSocket slot is lost',
  async run({ on, size }) {
    return [
      await rates(on, { minute: ALLOWED }),
      await rates(on, { minute: PLENTY, hour: ALLOWED }),
      await places(on, 4 * size),
    ];
  },
};
