/** What stands in the way of a conditional write, and how the writer knows its own. */
import { failAs, isAwsError } from './failures.ts';
import { type DynamoItem, textIn } from './table-items.ts';
import { ATTRIBUTES } from './table-layout.ts';

/** The row as it was, and how often the client had sent the request. */
export type WriteRefusal = { was: DynamoItem | undefined; attempts: number };

/** For `catch`: the client has already tried several times. */
export const fail = failAs('The table');

/** Waits for a conditional write; undefined = it was done. */
export const refusedBy = (sent: Promise<unknown>): Promise<WriteRefusal | undefined> =>
  sent.then(() => undefined, refusal);

function refusal(error: unknown): WriteRefusal {
  if (!isAwsError(error, 'ConditionalCheckFailedException')) return fail(error);
  return { was: error.Item, attempts: error.$metadata?.attempts ?? 1 };
}

/** The write was done, its reply was lost, and the client's repetition met the result. */
export const isOwnWrite = ({ was }: WriteRefusal, version: string): boolean =>
  was !== undefined && textIn(was, ATTRIBUTES.version) === version;
