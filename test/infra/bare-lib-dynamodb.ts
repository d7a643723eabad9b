/** The yardstick of bundle sizes: the smallest usual function that reads one item of DynamoDB. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

export const handler = () => client.send(new GetCommand({ TableName: 'table', Key: { pk: 'pk', sk: 'sk' } }));
