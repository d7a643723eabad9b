/** What the parts of the table on DynamoDB work with, and how its errors become problems. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Clock, Ids } from '../../shared/ports.ts';
import { failAs } from './errors.ts';

/** A handler for `catch`: the client has already retried. */
export const fail = failAs('The table');

export type TableReading = { client: DynamoDBClient; tableName: string; clock: Clock };

export type Writing = TableReading & { ids: Ids };
