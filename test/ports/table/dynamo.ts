/** Tables on a DynamoDB emulator. */
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { ATTRIBUTES, INDEXES, type IndexLayout } from '../../../adapters/aws/dynamo-items.ts';

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
