/** What a call to DynamoDB costs. DynamoDB itself says so when it is asked, so the recorder asks in the caller's place. */
import type { Body } from './json-operation.ts';

/** Of the table itself, and of its indexes together. */
export type Units = { table: number; indexes: number };

type Counted = { CapacityUnits?: number };
type Consumed = Counted & { GlobalSecondaryIndexes?: Record<string, Counted> };

export const askCapacity = (body: Body): Body => ({ ...body, ReturnConsumedCapacity: 'INDEXES' });

export function unitsIn({ ConsumedCapacity = [], __type }: Body, asked: Body = {}): Units {
  const consumed = [ConsumedCapacity].flat() as Consumed[];
  if (consumed.length > 0) return least(asked, consumed);
  // A write whose condition does not hold is paid for, and DynamoDB does not say how much: one unit a kilobyte.
  return { table: String(__type).endsWith('ConditionalCheckFailedException') ? 1 : 0, indexes: 0 };
}

const sum = (counted: Counted[]): number => counted.reduce((units, { CapacityUnits = 0 }) => units + CapacityUnits, 0);

/** DynamoDB Local calls a page without items, and a key that is not there, free; DynamoDB does not. */
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

/** The answer as the caller would have had it. */
export function unasked(answer: Body, { ReturnConsumedCapacity }: Body): Body {
  if (ReturnConsumedCapacity !== undefined) return answer;
  const { ConsumedCapacity: _, ...rest } = answer;
  return rest;
}
