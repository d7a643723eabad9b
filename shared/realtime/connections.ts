/** WebSocket connections: their rows, the slots of an organization, and its watchers. */
import { redeemWebsocketToken } from '../accounts/access-tokens.ts';
import { limitOf, type Organization, SOCKETS } from '../accounts/organizations.ts';
import { loadingCache, lruCache } from '../core/cache.ts';
import { Problem } from '../core/problem.ts';
import { updateRow } from '../core/table-access.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts';
import type { Clock, Draft, Key, Row, Secrets, Sockets, Table } from '../ports.ts';

// Connection slots of an organization, and a cache of its watchers.

/**
 * The slots of an organization for WebSocket connections: one row, changed with optimistic locking. So the limit holds even
 * for concurrent connections, and a rejected connection writes nothing.
 */
export const CHANNELS = ['task_updates', 'system_notifications', 'task_events'] as const;
export type Channel = (typeof CHANNELS)[number];

export type ConnectionSlot = { connection: string; by: string; channels: Channel[]; endsAt: number };
type StoredSlots = { places: ConnectionSlot[] };
export type SlotPorts = { table: Table; clock: Clock };

/** Each lost race is another writer's success, and only a few write at once. */
const MAX_TRIES = 1_000;
const MAX_ROUNDS = 3;
/** The row outlives its slots, so that it is rarely inserted again. */
const ROW_TTL_MS = DAY_MS;

const slotsKey = (organization: string): Key => ({ pk: `O#${organization}#SOCKETS`, sk: 'SOCKETS' });

/** A slot is free when its connection must have ended, even if the close was never reported. */
const slotsIn = (row: Row<StoredSlots> | undefined, now: number): ConnectionSlot[] =>
  (row?.value.places ?? []).filter(({ endsAt }) => endsAt > now);

const readSlots = async ({ table, clock }: SlotPorts, organization: string): Promise<ConnectionSlot[]> =>
  slotsIn(await table.get<StoredSlots>(slotsKey(organization)), clock.now());

type SlotChange = { changed: boolean; slots: ConnectionSlot[] };

/** `next` returns `undefined` if there is nothing to change. */
async function changeSlots(
  { table, clock }: SlotPorts,
  organization: string,
  next: (heldSlots: ConnectionSlot[]) => ConnectionSlot[] | undefined,
): Promise<SlotChange> {
  const now = () => clock.now();
  const updated = await updateRow<StoredSlots, ConnectionSlot[]>(
    table,
    slotsKey(organization),
    (row) => {
      const held = slotsIn(row, now());
      const slots = next(held);
      return slots ? { write: { value: { places: slots }, expiresAt: now() + ROW_TTL_MS } } : { stop: held };
    },
    { maxTries: MAX_TRIES },
  );
  if ('contended' in updated) throw new Error('The slots of an organization keep changing.');
  if ('stopped' in updated) return { changed: false, slots: updated.stopped };
  return { changed: true, slots: updated.written.value.places };
}

/** False if open connections hold all slots. Slots of closed connections are freed first. */
async function takeSlot(
  ports: SlotPorts & { sockets: Sockets },
  organization: string,
  { slot, max }: { slot: ConnectionSlot; max: number },
): Promise<boolean> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { changed, slots } = await changeSlots(ports, organization, (heldSlots) =>
      heldSlots.length < max ? [...heldSlots, slot] : undefined,
    );
    if (changed) return true;
    const there = await Promise.all(slots.map(({ connection }) => ports.sockets.isThere(connection)));
    const gone = slots.filter((_, at) => !there[at]).map(({ connection }) => connection);
    if (gone.length === 0) return false;
    await freeSlots(ports, organization, gone);
  }
  return false;
}

async function freeSlots(ports: SlotPorts, organization: string, connections: string[]): Promise<void> {
  const isGone = new Set(connections);
  await changeSlots(ports, organization, (heldSlots) => {
    const left = heldSlots.filter(({ connection }) => !isGone.has(connection));
    return left.length < heldSlots.length ? left : undefined;
  });
}

/** False if the connection has no slot. */
export async function addChannels(
  ports: SlotPorts,
  organization: string,
  { connection, channels }: Pick<ConnectionSlot, 'connection' | 'channels'>,
): Promise<boolean> {
  const { slots } = await changeSlots(ports, organization, (heldSlots) => {
    const own = heldSlots.find((slot) => slot.connection === connection);
    if (!own || channels.every((channel) => own.channels.includes(channel))) return undefined;
    const all = { ...own, channels: [...new Set([...own.channels, ...channels])] };
    return heldSlots.map((place) => (place === own ? all : place));
  });
  return slots.some((place) => place.connection === connection);
}

/** Caches the watchers of an organization, so that a task without one costs at most one read, usually none. */
export type Watchers = {
  /** The cached watchers, without a read. */
  known(organization: string): ConnectionSlot[] | undefined;
  of(organization: string): Promise<ConnectionSlot[]>;
  /** Call after a change in this process. */
  forget(organization: string): void;
};

const MAX_ORGANIZATIONS = 10_000;

/** `keptMs`: how long connections to another process may stay unnoticed. */
export function cachedWatchers({ keptMs, ...ports }: SlotPorts & { keptMs: number }): Watchers {
  const { clock } = ports;
  const cached = loadingCache({
    clock,
    ttlMs: keptMs,
    max: MAX_ORGANIZATIONS,
    load: (organization) => readSlots(ports, organization),
  });
  const present = (slots: ConnectionSlot[]): ConnectionSlot[] => slots.filter(({ endsAt }) => endsAt > clock.now());

  return {
    known(organization) {
      const places = cached.peek(organization);
      return places && present(places);
    },
    of: async (organization) => present((await cached.get(organization)) ?? []),
    forget: cached.delete,
  };
}

// Authenticates, expires and closes connections, and limits their messages.

/** The limits of a WebSocket connection. Lifetime, idle time and message size are API Gateway's limits, enforced locally too. */
export const SOCKET_LIMITS = {
  /** A connection that does not authenticate within this time is closed. */
  authenticateMs: 10 * SECOND_MS,
  lifeMs: 120 * MINUTE_MS,
  idleMs: 10 * MINUTE_MS,
  /** How long before its end a connection receives a notice. */
  warnMs: 5 * MINUTE_MS,
  /** How long another process may assume that there are no watchers. */
  unseenMs: 2 * SECOND_MS,
  indexMs: SECOND_MS,
  /** For incoming frames and outgoing messages. */
  messageBytes: 32_768,
  /** Messages that a connection may send before and after authentication; exceeding this closes it. */
  unauthenticatedMessages: { perSecond: 5, burst: 20 },
  messages: { perSecond: 50, burst: 200 },
  /** Limits of the send buffer. Beyond them messages are dropped, and the client must poll. */
  waitingMessages: 10_000,
  waitingBytes: 4_194_304,
} as const;

/** An authenticated connection. Others have no row. */
type Connection = { organization: string; by: string; endsAt: number; hasPlace?: true; warned?: true };

/** How long the row outlives the connection, so that the reconciler can process it. */
const KEPT_MS = 600_000;

export const CONNECTION = 'CONNECTION';
const connectionKey = (id: string): Key => ({ pk: `W#${id}`, sk: CONNECTION });
export const parseConnectionKey = ({ pk }: Key): string => pk.slice('W#'.length);

const connectionDraft = (id: string, value: Connection): Draft<Connection> => ({
  ...connectionKey(id),
  value,
  dueAt: value.warned ? value.endsAt : value.endsAt - SOCKET_LIMITS.warnMs,
  expiresAt: value.endsAt + KEPT_MS,
});

export const connectionById = (table: Table, id: string): Promise<Row<Connection> | undefined> =>
  table.get<Connection>(connectionKey(id));

/** Removes the row first, because taking a slot checks the row afterwards. */
export async function removeConnection(ports: SlotPorts, id: string): Promise<Connection | undefined> {
  const row = await connectionById(ports.table, id);
  if (!row) return undefined;
  await ports.table.remove(row);
  await freeSlots(ports, row.value.organization, [id]);
  return row.value;
}

/** Authenticates a connection by a one-time token and takes one of the organization's slots. */
export type AuthenticationPorts = SlotPorts & {
  secrets: Secrets;
  sockets: Sockets;
  organizationOf(id: string): Promise<Organization | undefined>;
};

export type OpenedConnection = { id: string; openedAt: number };
/** `full`: all slots of the organization are taken. */
type AuthenticationResult = { organization: string } | 'refused' | 'full';

export async function authenticateConnection(
  ports: AuthenticationPorts,
  { id, openedAt }: OpenedConnection,
  token: string,
): Promise<AuthenticationResult> {
  const redeemed = await redeemWebsocketToken(ports, token);
  const known = redeemed && (await ports.organizationOf(redeemed.caller.organization));
  if (!known) return 'refused';
  const { organization, by } = redeemed.caller;
  const endsAt = openedAt + SOCKET_LIMITS.lifeMs;
  // The row comes before the slot, so that a connection that closes meanwhile is found by its row.
  const row = await ports.table.insert(connectionDraft(id, { organization, by, endsAt }));
  if (!row) return 'refused';
  const place = { connection: id, by, channels: [], endsAt };
  if (!(await takeSlot(ports, organization, { slot: place, max: limitOf(known, SOCKETS).most }))) {
    await removeConnection(ports, id);
    return 'full';
  }
  const { pk: _pk, sk: _sk, ...placed } = connectionDraft(id, { ...row.value, hasPlace: true });
  // The connection may have closed while it took the slot.
  if (!(await ports.table.replace(row, placed))) await freeSlots(ports, organization, [id]);
  // A revocation closes the connections that have a slot; this one may not have had its slot yet.
  if (await redeemed.holds()) return { organization };
  await removeConnection(ports, id);
  return 'refused';
}

// Ends an expired connection: it is notified, and its row is removed even if its close was never reported.

/** Notifies a connection of its end at `endsAt`. */
export type NotifyConnectionEnd = (connection: string, endsAt: number) => Promise<'sent' | 'gone'>;

export async function maintainConnection(
  ports: SlotPorts & { sayEnding: NotifyConnectionEnd },
  key: Key,
): Promise<void> {
  const id = parseConnectionKey(key);
  const row = await connectionById(ports.table, id);
  if (!row || row.dueAt === undefined || row.dueAt > ports.clock.now()) return;
  const { endsAt, warned } = row.value;
  if (warned || endsAt <= ports.clock.now()) return void (await removeConnection(ports, id));
  const { pk: _pk, sk: _sk, ...next } = connectionDraft(id, { ...row.value, warned: true });
  if (!(await ports.table.replace(row, next))) return;
  if ((await ports.sayEnding(id, endsAt)) === 'gone') await removeConnection(ports, id);
}

/** Closes the connections of a user who was removed or has a new password, or of a revoked key. */
type EndPorts = SlotPorts & { sockets: Pick<Sockets, 'close'> };

/** The fault code with which connections are closed after their credential was revoked. */
const REVOKED = 'UNAUTHORIZED';

/** Call after the credential's row has changed, so that new connections are rejected already. */
export async function endConnections(ports: EndPorts, organization: string, by: string): Promise<void> {
  const slots = await readSlots(ports, organization);
  const owned = slots.filter((slot) => slot.by === by).map(({ connection }) => connection);
  const closed = await Promise.allSettled(owned.map((connection) => ports.sockets.close(connection, REVOKED)));
  // Connections that could not be closed keep their slots, so that a retry finds them.
  const ended = owned.filter((_, at) => closed[at]?.status === 'fulfilled');
  await freeSlots(ports, organization, ended);
  const left = owned.length - ended.length;
  if (left > 0)
    throw new Problem('busy', `The change was made, but ${left} open connections were not closed: repeat it.`);
}

/** The limit on messages of a connection: a token bucket for each connection in the memory of this process. */
type Budget = { perSecond: number; burst: number };
type Bucket = { budget: Budget; tokens: number; filledAt: number; isSpent: boolean };
/** An evicted connection starts with the full bucket of an unauthenticated one. */
const MAX_CONNECTIONS = 10_000;

/**
 * The state is not shared: behind the gateway each container that serves the connection applies the limit by itself. A
 * shared counter would cost a write per message, which is more than the message itself.
 */
export function messageBudgets({ now }: Pick<Clock, 'now'>, isAuthenticated: (id: string) => Promise<boolean>) {
  const { unauthenticatedMessages, messages } = SOCKET_LIMITS;
  const buckets = lruCache<string, Bucket>({ max: MAX_CONNECTIONS });

  function bucketOf(id: string): Bucket {
    const known = buckets.get(id);
    if (known) return known;
    const bucket = {
      budget: unauthenticatedMessages,
      tokens: unauthenticatedMessages.burst,
      filledAt: now(),
      isSpent: false,
    };
    buckets.set(id, bucket);
    return bucket;
  }

  return {
    /** `justSpent` once per connection, for the first message over the budget; `spent` for all that follow. */
    async take(id: string): Promise<'ok' | 'justSpent' | 'spent'> {
      const bucket = bucketOf(id);
      if (bucket.isSpent) return 'spent';
      if (takeToken(bucket, now())) return 'ok';
      // Only now a read is worth it, to learn whether the larger budget applies.
      if (bucket.budget === unauthenticatedMessages && (await isAuthenticated(id))) {
        Object.assign(bucket, { budget: messages, tokens: messages.burst - unauthenticatedMessages.burst - 1 });
        return 'ok';
      }
      if (bucket.isSpent) return 'spent';
      bucket.isSpent = true;
      return 'justSpent';
    },
    forget(id: string): void {
      buckets.delete(id);
    },
  };
}

function takeToken(bucket: Bucket, now: number): boolean {
  const { budget } = bucket;
  const elapsedMs = Math.max(0, now - bucket.filledAt);
  bucket.filledAt = now;
  bucket.tokens = Math.min(budget.burst, bucket.tokens + (elapsedMs * budget.perSecond) / SECOND_MS);
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

/** The row of an organization that lists its open connections. */
export const connectionSlots = { keyOf: slotsKey, parse: slotsIn, read: readSlots, take: takeSlot, free: freeSlots };
