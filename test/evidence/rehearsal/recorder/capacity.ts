/** Capacity units of calls to DynamoDB. DynamoDB reports them on request, so the recorder adds that request to each call. */
import type { Body } from './json-operation.ts';

/** Units of the table, and of all its indexes together. */
export type Units = { table: number; indexes: number };

type Counted = { CapacityUnits?: number };
type Consumed = Counted & { GlobalSecondaryIndexes?: Record<string, Counted> };

export const askCapacity = (body: Body): Body => ({ ...body, ReturnConsumedCapacity: 'INDEXES' });

export function unitsIn({ ConsumedCapacity = [], __type }: Body, asked: Body = {}): Units {
  const consumed = [ConsumedCapacity].flat() as Consumed[];
  if (consumed.length > 0) return least(asked, consumed);
  // A write with a failed condition is charged, but DynamoDB does not report the units: count one, the price of one kilobyte.
  return { table: String(__type).endsWith('ConditionalCheckFailedException') ? 1 : 0, indexes: 0 };
}

const sum = (counted: Counted[]): number => counted.reduce((units, { CapacityUnits = 0 }) => units + CapacityUnits, 0);

/** DynamoDB Local charges nothing for an empty page or a missing key; DynamoDB charges the minimum. */
function least(asked: Body, consumed: Consumed[]): Units {
  const indexes = consumed.reduce((units, each) => units + sum(Object.values(each.GlobalSecondaryIndexes ?? {})), 0);
  const table = sum(consumed) - indexes;
  if (asked.IndexName !== undefined) return { table, indexes: Math.max(indexes, minOfPage(asked)) };
  return { table: Math.max(table, minOfPage(asked), minOfKeys(asked)), indexes };
}

const minOf = ({ ConsistentRead }: { ConsistentRead?: unknown }): number => (ConsistentRead ? 1 : 0.5);

const minOfPage = (asked: Body): number => (asked.KeyConditionExpression === undefined ? 0 : minOf(asked));

function minOfKeys({ RequestItems = {} }: Body): number {
  const asked = Object.values(RequestItems as Record<string, { Keys?: unknown[]; ConsistentRead?: boolean }>);
  return asked.reduce((units, each) => units + (each.Keys?.length ?? 0) * minOf(each), 0);
}

/** Removes the capacity from the response unless the caller itself requested it. */
export function withoutCapacity(answer: Body, { ReturnConsumedCapacity }: Body): Body {
  if (ReturnConsumedCapacity !== undefined) return answer;
  const { ConsumedCapacity: _, ...rest } = answer;
  return rest;
}
