/** WebSocket connections: their rows, the slots of an organization, and who watches it. */
import { redeemWebsocketToken } from '../accounts/access-tokens.ts';
import { limitOf, type Organization, SOCKETS } from '../accounts/organizations.ts';
import { loadingCache, lruCache } from '../core/cache.ts';
import { Problem } from '../core/problem.ts';
import { updateRow } from '../core/table-access.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts';
import type { Clock, Draft, Key, Row, Secrets, Sockets, Table } from '../ports.ts';

// Connection slots of an organization, and a cache of its watchers.

/**
 * An organization's places for WebSocket connections: one row, changed only over the version that was read. So there are
 * never more than the limit, however many come at once, and a rejected connection has written nothing.
 */
export const CHANNELS = ['task_updates', 'system_notifications', 'task_events'] as const;
export type Channel = (typeof CHANNELS)[number];

export type ConnectionSlot = { connection: string; by: string; channels: Channel[]; endsAt: number };
type StoredSlots = { places: ConnectionSlot[] };
export type SlotPorts = { table: Table; clock: Clock };

/** Each lost race is another's success, and there are few at once. */
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

/** `next` answers undefined when there is nothing to change. */
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

/** False when all are taken by connections that are there: those that ended without a word are found out first. */
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

/** False when the connection has no place. */
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

/** Caches who watches an organization, so that a task without a watcher costs at most one read, and mostly none. */
export type Watchers = {
  /** What is known without a read. */
  known(organization: string): ConnectionSlot[] | undefined;
  of(organization: string): Promise<ConnectionSlot[]>;
  /** They have changed in this process. */
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

/** What a WebSocket connection may do. Life, silence and bytes are API Gateway's own limits, held on one machine too. */
export const SOCKET_LIMITS = {
  /** Who has not said in time whom it is for is sent away. */
  authenticateMs: 10 * SECOND_MS,
  lifeMs: 120 * MINUTE_MS,
  idleMs: 10 * MINUTE_MS,
  /** How long before its end a connection is notified. */
  warnMs: 5 * MINUTE_MS,
  /** How long another process may assume that no connection watches. */
  unseenMs: 2 * SECOND_MS,
  indexMs: SECOND_MS,
  /** Of a frame that comes, and of a message that goes. */
  messageBytes: 32_768,
  /** Messages that a connection may send before and after it has authenticated; more of them end it. */
  unauthenticatedMessages: { perSecond: 5, burst: 20 },
  messages: { perSecond: 50, burst: 200 },
  /** What waits for a reader: behind that it has to look for itself. */
  waitingMessages: 10_000,
  waitingBytes: 4_194_304,
} as const;

/** A connection that has said whom it is for. Before that it has no row. */
type Connection = { organization: string; by: string; endsAt: number; hasPlace?: true; warned?: true };

/** How long the row outlives the connection, until the reconciler has seen it. */
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

/** A connection says whom it is for, by a token that works once, and takes one of the organization's places. */
export type AuthenticationPorts = SlotPorts & {
  secrets: Secrets;
  sockets: Sockets;
  organizationOf(id: string): Promise<Organization | undefined>;
};

export type OpenedConnection = { id: string; openedAt: number };
/** `full`: all places of the organization are taken. */
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
  // Before the place, so that a connection which ends meanwhile is found by its row.
  const row = await ports.table.insert(connectionDraft(id, { organization, by, endsAt }));
  if (!row) return 'refused';
  const place = { connection: id, by, channels: [], endsAt };
  if (!(await takeSlot(ports, organization, { slot: place, max: limitOf(known, SOCKETS).most }))) {
    await removeConnection(ports, id);
    return 'full';
  }
  const { pk: _pk, sk: _sk, ...placed } = connectionDraft(id, { ...row.value, hasPlace: true });
  // It may have ended while it was given the place.
  if (!(await ports.table.replace(row, placed))) await freeSlots(ports, organization, [id]);
  // A revocation closes the connections that have a slot; this one may not have had its slot yet.
  if (await redeemed.holds()) return { organization };
  await removeConnection(ports, id);
  return 'refused';
}

// Ends an expired connection: it is notified, and its row is removed even if its close was never reported.

/** Says to a connection that it ends then. */
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

/** Closes the connections of one user, who was removed or has a new password. */
type EndPorts = SlotPorts & { sockets: Pick<Sockets, 'close'> };

/** The code of the fault by which a connection is closed after its credential was revoked. */
const REVOKED = 'UNAUTHORIZED';

/** Called after the user's row has changed, which rejects new connections. */
export async function endConnections(ports: EndPorts, organization: string, by: string): Promise<void> {
  const slots = await readSlots(ports, organization);
  const owned = slots.filter((slot) => slot.by === by).map(({ connection }) => connection);
  const closed = await Promise.allSettled(owned.map((connection) => ports.sockets.close(connection, REVOKED)));
  // What is still open keeps its place, by which it is found again.
  const ended = owned.filter((_, at) => closed[at]?.status === 'fulfilled');
  await freeSlots(ports, organization, ended);
  const left = owned.length - ended.length;
  if (left > 0)
    throw new Problem('busy', `The change was made, but ${left} open connections were not closed: repeat it.`);
}

/** How many messages a connection may send: a token bucket for each connection, in the memory of this process. */
type Budget = { perSecond: number; burst: number };
type Bucket = { budget: Budget; tokens: number; filledAt: number; isSpent: boolean };
/** A connection that was forgotten starts with a full bucket of strangers. */
const MAX_CONNECTIONS = 10_000;

/**
 * The state is not shared: behind the gateway the bound holds in each container that serves the connection. A shared
 * counter would cost a write for each message, which is more than the message itself.
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
      // Only now is it worth a read to learn whether the larger budget applies.
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
