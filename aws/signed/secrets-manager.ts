/** Secrets Manager, as far as a secret is read. */
import type { GetSecretValueCommandInput, GetSecretValueCommandOutput } from '@aws-sdk/client-secrets-manager';
import { type AwsConnection, type Calls, jsonCalls } from './json-calls.ts';

export type SecretsManager = Calls<{
  GetSecretValue: [GetSecretValueCommandInput, Partial<GetSecretValueCommandOutput>];
}>;

export const secretsManagerCalls = (reaching: AwsConnection): SecretsManager =>
  jsonCalls({ service: 'secretsmanager', target: 'secretsmanager', version: '1.1' }, reaching);
