/** Creates a table on DynamoDB Local with its indexes and its time to live. */

import type { CreateTableCommandInput, TimeToLiveSpecification } from '@aws-sdk/client-dynamodb';
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { connection } from './connection.ts';
import type { Wanted } from './create.ts';
import { ACCOUNT, type Created, createdResource, REGION } from './template.ts';

/** CloudFormation and the service share these names. Encryption and backups have no effect on the emulator. */
type Properties = Pick<
  CreateTableCommandInput,
  'AttributeDefinitions' | 'BillingMode' | 'GlobalSecondaryIndexes' | 'KeySchema'
> & { TimeToLiveSpecification?: TimeToLiveSpecification };

export async function createTable({ name, properties, places }: Wanted): Promise<Created> {
  const client = new DynamoDBClient(connection(places.emulators.dynamoUrl));
  const { AttributeDefinitions, BillingMode, GlobalSecondaryIndexes, KeySchema, ...rest } = properties as Properties;
  const layout = { AttributeDefinitions, BillingMode, GlobalSecondaryIndexes, KeySchema };
  await client.send(new CreateTableCommand({ TableName: name, ...layout }));
  const { TimeToLiveSpecification } = rest;
  if (TimeToLiveSpecification) {
    await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
  }
  client.destroy();
  return createdResource(name, { Arn: `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${name}` });
}
