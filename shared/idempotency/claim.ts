/** Idempotency keys: the first call's answer is kept for 24 hours and given again to every repeat. */
import { createHash } from 'node:crypto';
import { type Details, Problem, type ProblemCode } from '../core/problem.ts';
import type { Clock, Ids, Key, Row, Table } from '../ports.ts';

const KEPT_MS = 24 * 3_600_000;
const LEASE_MS = 60_000;

type Ports = { table: Table; clock: Clock; ids: Ids };
export type Call = { organization: string; method: string; path: string; key: string; body: Uint8Array };
/** What a repeat is given: an answer, or a problem in our own words, so that each repeat gets its own request id. */
export type StoredAnswer =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { problem: { code: ProblemCode; message: string; details: Details } };

/** `id` is what the work will call the thing it makes: a retry after a crash makes the same one. */
type Claim = { bodyHash: string; id: string; leaseUntil: number; kept?: StoredAnswer };
export type HeldClaim = { id: string; row: Row<Claim> };
/** How the work ended. After `unknown`, such as a lost reply, it may have been done all the same. */
export type End = { kept: StoredAnswer } | 'refused' | 'unknown';

const hash = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('base64url');

const keyOf = ({ organization, method, path, key }: Call): Key => ({
  pk: `O#${organization}#IDEMPOTENCY#${hash(`${method} ${path}\n${key}`)}`,
  sk: 'CLAIM',
});

/** Either the claim is ours now, or the answer is there already. */
export async function claim(
  { table, clock, ids }: Ports,
  call: Call,
): Promise<{ held: HeldClaim } | { kept: StoredAnswer }> {
  const now = clock.now();
  const bodyHash = hash(call.body);
  const fresh: Claim = { bodyHash, id: ids.uuid(), leaseUntil: now + LEASE_MS };
  const inserted = await table.insert({ ...keyOf(call), value: fresh, expiresAt: now + KEPT_MS });
  if (inserted) return { held: { id: fresh.id, row: inserted } };

  const row = await table.get<Claim>(keyOf(call));
  if (!row) throw running(1);
  if (row.value.bodyHash !== bodyHash) {
    throw new Problem('idempotencyMismatch', 'This Idempotency-Key was used with another body; use a new key.');
  }
  if (row.value.kept) return { kept: row.value.kept };
  // A live lease is a call that still runs. Behind its end the first who replaces the row goes on with the same id.
  const seconds = Math.ceil((row.value.leaseUntil - now) / 1_000);
  if (seconds > 0) throw running(seconds);
  const taken = await table.replace(row, { ...rest(row), value: { ...row.value, leaseUntil: now + LEASE_MS } });
  if (!taken) throw running(1);
  return { held: { id: row.value.id, row: taken } };
}

/** Refused, nothing was made, and the key is free again. Not known, it stays bound to its body and id, free to run at once. */
export async function settle(table: Table, { row }: HeldClaim, end: End): Promise<void> {
  if (end === 'refused') await table.remove(row);
  else await table.replace(row, { ...rest(row), value: { ...row.value, ...(end === 'unknown' ? OVER : end) } });
}

/** A lease that has ended: the next caller takes over. */
const OVER = { leaseUntil: 0 };

const rest = (row: Row<Claim>) => (row.expiresAt === undefined ? {} : { expiresAt: row.expiresAt });

const running = (seconds: number) =>
  new Problem('idempotencyRunning', 'The first call with this Idempotency-Key is still running; try again shortly.', {
    retryAfterSeconds: seconds,
  });
