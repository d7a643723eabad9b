/** Copies rows that are missing from a stage's table out of another table with its layout, such as a restored one. */
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { Problem } from '../../shared/core/problem.ts';
import { requestHandler } from './deployed-stage.ts';
import { ATTRIBUTES as A, attribute, type DynamoItem, dynamoItem } from './dynamo-items.ts';
import { reasonOf } from './errors.ts';

type RowFilter = (row: { pk: string; value: unknown }) => boolean;
export type CopiedRows = { copied: number; present: number; expired: number };
type CopyOptions = {
  from: string;
  to: string;
  isWanted: RowFilter;
  now: number;
  progress: (counts: CopiedRows) => void;
};

const AT_ONCE = 32;
/** A restored table is read and written as fast as it allows. */
const MAX_ATTEMPTS = 10;

/** Items are copied as they are: also counters, and values whose release is gone. What is there is never overwritten. */
export async function copyMissingRows({ from, to, isWanted, now, progress }: CopyOptions): Promise<CopiedRows> {
  const client = new DynamoDBClient({ requestHandler, maxAttempts: MAX_ATTEMPTS });
  const counts: CopiedRows = { copied: 0, present: 0, expired: 0 };
  try {
    // What the reconciler acts on comes last, so that it finds what it needs.
    for (const isDue of [false, true])
      for await (const { Items = [] } of paginateScan({ client }, { TableName: from, ConsistentRead: true })) {
        const ofPass = Items.filter((item) => (item[A.dueAt] !== undefined) === isDue);
        const selected = ofPass.filter((item) => isWanted(dynamoItem.parseRow(item)));
        for (let start = 0; start < selected.length; start += AT_ONCE) {
          const batch = selected.slice(start, start + AT_ONCE);
          for (const outcome of await Promise.all(batch.map((item) => copyItem(client, { to, item, now }))))
            counts[outcome]++;
          progress(counts);
        }
      }
    return counts;
  } catch (cause) {
    throw new Problem(
      'badSetting',
      `Rows of ${from} cannot be copied (${reasonOf(cause)}): check the table and run it again.`,
      { cause },
    );
  }
}

type CopiedItem = { to: string; item: DynamoItem; now: number };

async function copyItem(client: DynamoDBClient, { to, item, now }: CopiedItem): Promise<keyof CopiedRows> {
  if (attribute.hasExpired(item, now)) return 'expired';
  const condition = `attribute_not_exists(${A.pk})`;
  try {
    await client.send(new PutItemCommand({ TableName: to, Item: item, ConditionExpression: condition }));
    return 'copied';
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return 'present';
    throw error;
  }
}
