/** What a call to DynamoDB costs. DynamoDB itself says so when it is asked, so the recorder asks in the caller's place. */
import type { Body } from './json-operation.ts';

type Consumed = { CapacityUnits?: number };

export const askCapacity = (body: Body): Body => ({ ...body, ReturnConsumedCapacity: 'INDEXES' });

export function unitsIn({ ConsumedCapacity = [], __type }: Body, asked: Body = {}): number {
  const consumed = [ConsumedCapacity].flat() as Consumed[];
  const units = consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
  if (consumed.length > 0) return Math.max(units, leastFor(asked));
  // A write whose condition does not hold is paid for, and DynamoDB does not say how much: one unit a kilobyte.
  return String(__type).endsWith('ConditionalCheckFailedException') ? 1 : 0;
}

/** DynamoDB Local calls a page without items free; DynamoDB does not. */
const leastFor = ({ KeyConditionExpression, ConsistentRead }: Body): number =>
  KeyConditionExpression === undefined ? 0 : ConsistentRead ? 1 : 0.5;

/** The answer as the caller would have had it. */
export function unasked(answer: Body, { ReturnConsumedCapacity }: Body): Body {
  if (ReturnConsumedCapacity !== undefined) return answer;
  const { ConsumedCapacity: _, ...rest } = answer;
  return rest;
}
