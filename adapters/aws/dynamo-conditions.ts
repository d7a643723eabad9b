/** The conditions of writes, each named after its requirement and documented by the race that it prevents, and their outcome. */

import { fail } from './dynamo-access.ts';
import { ATTRIBUTES as A, ATTRIBUTES, attribute, type DynamoItem } from './dynamo-items.ts';
import { isAwsError } from './errors.ts';

/** The row that the condition met, and how many attempts the client had made. */
type WriteRefusal = { was: DynamoItem | undefined; attempts: number };

/** Waits for a conditional write. */
export const writeOutcome = (response: Promise<unknown>): Promise<WriteRefusal | 'done'> =>
  response.then(() => 'done' as const, refusal);

function refusal(error: unknown): WriteRefusal {
  if (!isAwsError(error, 'ConditionalCheckFailedException')) return fail(error);
  return { was: error.Item, attempts: error.$metadata?.attempts ?? 1 };
}

/** The first attempt succeeded, its response was lost, and the retry met its own row. */
export const isOwnWrite = ({ was }: WriteRefusal, version: string): boolean =>
  was !== undefined && attribute.readText(was, ATTRIBUTES.version) === version;

/** Two callers insert concurrently: the second finds the key taken. */
export const ABSENT = `attribute_not_exists(${A.pk})`;

/** An expired row stays until DynamoDB deletes it; until then it must not block its key. */
export const EXPIRED = `${A.expiresAt} <= :now`;

/** A row may expire between our read and our write: a write must not continue a row that others already see as absent. */
export const ALIVE = `(attribute_not_exists(${A.expiresAt}) OR ${A.expiresAt} > :now)`;

/** Another writer changed the row between our read and our write, or replaced it by a new one. */
export const HELD = `${A.version} = :held`;

/**
 * A retried addition whose first response was lost must not be added twice. If another caller added in between, ours
 * cannot be recognized and may count twice, but never beyond its limit.
 */
export const NOT_MINE_YET = `(attribute_not_exists(${A.version}) OR ${A.version} <> :mine)`;

/** A plain row has this key: it must not be mixed with a counter. */
export const NO_VALUE = `attribute_not_exists(${A.value})`;

/** Other callers spend at the same time, so the write itself checks what is left. An absent counter is at zero. */
export const withinLimitCondition = (counter: string, limit: string, mayBeAbsent: boolean): string =>
  mayBeAbsent ? `(attribute_not_exists(${counter}) OR ${counter} <= ${limit})` : `${counter} <= ${limit}`;
