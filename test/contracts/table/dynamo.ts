/** Tables on a DynamoDB emulator, and the wire that loses replies. */
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { ATTRIBUTES, INDEXES, type IndexLayout } from '../../../aws/table-layout.ts';

const WRITES = new Set(['PutItemCommand', 'UpdateItemCommand', 'DeleteItemCommand']);

const indexes: IndexLayout[] = Object.values(INDEXES);
const tableKey: Pick<IndexLayout, 'partition' | 'sort'> = {
  partition: { name: ATTRIBUTES.pk, type: 'S' },
  sort: { name: ATTRIBUTES.sk, type: 'S' },
};

const schema = ({ partition, sort }: typeof tableKey): CreateTableCommandInput['KeySchema'] => [
  { AttributeName: partition.name, KeyType: 'HASH' },
  { AttributeName: sort.name, KeyType: 'RANGE' },
];

export async function createTable(client: DynamoDBClient, TableName: string): Promise<void> {
  const attributes = [tableKey, ...indexes].flatMap(({ partition, sort }) => [partition, sort]);
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributes.map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
      KeySchema: schema(tableKey),
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: schema(index),
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: index.include },
      })),
    }),
  );
}

export const deleteTable = (client: DynamoDBClient, TableName: string) =>
  client.send(new DeleteTableCommand({ TableName }));

/** Every write reaches the store; then something may happen `meanwhile`, its first reply is lost, and it is sent again. */
export function flakyClient(meanwhile: () => Promise<void> = async () => {}): DynamoDBClient {
  const client = new DynamoDBClient({});
  client.middlewareStack.add(
    (next, context) => {
      let sent = 0;
      return async (args) => {
        const isLost = WRITES.has(String(context.commandName)) && sent++ === 0;
        if (!isLost) return next(args);
        await next(args).catch(() => {});
        await meanwhile();
        throw Object.assign(new Error('The reply was lost.'), { code: 'ECONNRESET' });
      };
    },
    { step: 'finalizeRequest', priority: 'low', name: 'loseFirstReply' },
  );
  return client;
}
