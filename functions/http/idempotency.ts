/** Idempotency keys: the first call with a key runs, later calls get its response. */

import { createHash } from 'node:crypto';
import type { Caller } from '../../shared/accounts/caller.ts';
import { type Details, isProblem, Problem, type ProblemCode } from '../../shared/core/problem.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/core/time.ts';
import type { Clock, Ids, Key, Row, Table } from '../../shared/ports.ts';
import type { ApiContext, HttpRequestMessage, Route, RouteAnswer } from './route.ts';

const MAX_KEY_LENGTH = 255;
/** Statuses that are replayed, in addition to 2xx. */
const STORED_STATUSES = new Set([404, 409, 422]);

export function idempotencyKey(route: Route<never>, { headers }: HttpRequestMessage): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || route.method !== 'POST' || route.idempotent === false) return undefined;
  if (key.length === 0 || key.length > MAX_KEY_LENGTH) {
    throw new Problem('invalid', `An Idempotency-Key has 1 to ${MAX_KEY_LENGTH} characters.`);
  }
  return key;
}

type IdempotentCall<C> = {
  route: Route<C>;
  caller: Caller;
  incoming: HttpRequestMessage;
  key: string;
  context: C;
  statusOf(problem: Problem): number;
  /** The response's headers, in which a replay is marked. */
  headers: Record<string, string>;
};

export async function runOnce<C extends ApiContext>(
  call: IdempotentCall<C>,
  run: (id: string) => Promise<RouteAnswer>,
): Promise<RouteAnswer> {
  const { route, caller, incoming, key, context } = call;
  const { method, path, body: bytes } = incoming;
  const claimResult = await claim(context, { organization: caller.organization, method, path, key, body: bytes });
  if ('kept' in claimResult) return replayAnswer(call, claimResult.kept);

  let end: End = 'unknown';
  try {
    const answer = await run(claimResult.claim.id);
    const { status, body, headers } = answer;
    end = {
      kept: { status, body: route.replay ? route.replay.toStored(body) : body, ...(headers ? { headers } : {}) },
    };
    return answer;
  } catch (error) {
    end = endOf(call, error);
    throw error;
  } finally {
    // The response is sent even if it cannot be stored: after the lease a repeat does the same work under the same id.
    await settle(context.table, claimResult.claim, end).catch((error) =>
      context.log.warn('a response could not be stored', { error }),
    );
  }
}

function endOf<C>({ statusOf }: IdempotentCall<C>, error: unknown): End {
  if (!isProblem(error) || statusOf(error) >= 500) return 'unknown';
  const { code, message, details } = error;
  return STORED_STATUSES.has(statusOf(error)) ? { kept: { problem: { code, message, details } } } : 'refused';
}

async function replayAnswer<C>(
  { route, caller, context, headers }: IdempotentCall<C>,
  stored: StoredAnswer,
): Promise<RouteAnswer> {
  headers['idempotent-replayed'] = 'true';
  if ('problem' in stored)
    throw new Problem(stored.problem.code, stored.problem.message, { details: stored.problem.details });
  const body = route.replay ? await route.replay.renew(stored.body, caller, context) : stored.body;
  return { status: stored.status, body, ...(stored.headers ? { headers: stored.headers } : {}) };
}

const ANSWER_TTL_MS = DAY_MS;
const LEASE_MS = MINUTE_MS;

type Ports = { table: Table; clock: Clock; ids: Ids };
type Call = { organization: string; method: string; path: string; key: string; body: Uint8Array };
/** The stored outcome: a response, or a problem, which is rendered again so that each repeat gets its own request id. */
type StoredAnswer =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { problem: { code: ProblemCode; message: string; details: Details } };

/** `id`: the id of the object that the work creates. A retry after a crash uses the same id. */
type Claim = { bodyHash: string; id: string; leaseUntil: number; kept?: StoredAnswer };
type HeldClaim = { id: string; row: Row<Claim> };
/** How the work ended. After `unknown`, such as a lost response, it may have been done. */
type End = { kept: StoredAnswer } | 'refused' | 'unknown';

const hash = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('base64url');

const keyOf = ({ organization, method, path, key }: Call): Key => ({
  pk: `O#${organization}#IDEMPOTENCY#${hash(`${method} ${path}\n${key}`)}`,
  sk: 'CLAIM',
});

/** Returns the claim if this call holds it, or the stored response. */
export async function claim(
  { table, clock, ids }: Ports,
  call: Call,
): Promise<{ claim: HeldClaim } | { kept: StoredAnswer }> {
  const now = clock.now();
  const bodyHash = hash(call.body);
  const newClaim: Claim = { bodyHash, id: ids.uuid(), leaseUntil: now + LEASE_MS };
  const inserted = await table.insert({ ...keyOf(call), value: newClaim, expiresAt: now + ANSWER_TTL_MS });
  if (inserted) return { claim: { id: newClaim.id, row: inserted } };

  const row = await table.get<Claim>(keyOf(call));
  if (!row) throw runningProblem(1);
  if (row.value.bodyHash !== bodyHash) {
    throw new Problem('idempotencyMismatch', 'This Idempotency-Key was used with another body; use a new key.');
  }
  if (row.value.kept) return { kept: row.value.kept };
  // A live lease means that a call is running. After it expires, the first caller to replace the row continues with the same id.
  const seconds = Math.ceil((row.value.leaseUntil - now) / 1_000);
  if (seconds > 0) throw runningProblem(seconds);
  const renewedRow = await table.replace(row, {
    ...expiryOf(row),
    value: { ...row.value, leaseUntil: now + LEASE_MS },
  });
  if (!renewedRow) throw runningProblem(1);
  return { claim: { id: row.value.id, row: renewedRow } };
}

/** `refused`: nothing was created and the key is free. `unknown`: the key stays bound to its body and id, and may run again at once. */
export async function settle(table: Table, { row }: HeldClaim, end: End): Promise<void> {
  if (end === 'refused') await table.remove(row);
  else
    await table.replace(row, {
      ...expiryOf(row),
      value: { ...row.value, ...(end === 'unknown' ? EXPIRED_LEASE : end) },
    });
}

/** An expired lease: the next caller takes over. */
const EXPIRED_LEASE = { leaseUntil: 0 };

const expiryOf = (row: Row<Claim>) => (row.expiresAt === undefined ? {} : { expiresAt: row.expiresAt });

const runningProblem = (seconds: number) =>
  new Problem('idempotencyRunning', 'The first call with this Idempotency-Key is still running; try again shortly.', {
    retryAfterSeconds: seconds,
  });
