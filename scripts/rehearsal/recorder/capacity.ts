/** What a call to DynamoDB costs. DynamoDB itself says so when it is asked, so the recorder asks in the caller's place. */
import type { Body } from './json-operation.ts';

type Consumed = { CapacityUnits?: number };

export const askCapacity = (body: Body): Body => ({ ...body, ReturnConsumedCapacity: 'INDEXES' });

export function unitsIn({ ConsumedCapacity = [], __type }: Body): number {
  const consumed = [ConsumedCapacity].flat() as Consumed[];
  if (consumed.length > 0) return consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
  // A write whose condition does not hold is paid for, and DynamoDB does not say how much: one unit a kilobyte.
  return String(__type).endsWith('ConditionalCheckFailedException') ? 1 : 0;
}

/** The answer as the caller would have had it. */
export function unasked({ ConsumedCapacity: _, ...answer }: Body, asked: Body): Body {
  return asked.ReturnConsumedCapacity === undefined ? answer : { ...answer, ConsumedCapacity: _ };
}
