/** The yardstick of the bundles' size: the least that reads one item of DynamoDB, as everybody would write it. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

export const handler = () => client.send(new GetCommand({ TableName: 'table', Key: { pk: 'pk', sk: 'sk' } }));
