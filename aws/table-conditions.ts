/** The parts of the table's conditions, each named after what it demands, with the race that it closes. */
import { ATTRIBUTES as A } from './table-layout.ts';

/** Two callers insert at once: the second finds the key taken. */
export const ABSENT = `attribute_not_exists(${A.pk})`;

/** A row whose time is over stays until DynamoDB deletes it; until then it must not hold its key. */
export const EXPIRED = `${A.expiresAt} <= :now`;

/** The time runs out between our read and our write: nobody may go on with a row that others already see as absent. */
export const ALIVE = `(attribute_not_exists(${A.expiresAt}) OR ${A.expiresAt} > :now)`;

/** Somebody wrote between our read and our write, or removed the row and made it anew. */
export const HELD = `${A.version} = :held`;

/**
 * The reply to our addition was lost and it is sent again: it must not be added twice. Another's addition in between
 * hides ours; then it may count twice, but never beyond its bound.
 */
export const NOT_MINE_YET = `(attribute_not_exists(${A.version}) OR ${A.version} <> :mine)`;

/** Somebody put a plain row where a counter was: counting would blend the two. */
export const NO_VALUE = `attribute_not_exists(${A.value})`;

/** Others spend at the same time: what is left is judged by the write itself. An absent counter stands at nought. */
export const within = (counter: string, rest: string, mayBeAbsent: boolean): string =>
  mayBeAbsent ? `(attribute_not_exists(${counter}) OR ${counter} <= ${rest})` : `${counter} <= ${rest}`;
