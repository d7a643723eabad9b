/** Where requests to AWS go, and what of the environment decides it. */
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListSecretsCommand } from '@aws-sdk/client-secrets-manager';
import { GetAccountCommand } from '@aws-sdk/client-sesv2';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { dynamoClient, s3Access, secretsClient, sesClient, sqsClient } from '../../../adapters/aws/clients.ts';
import { environmentConnection } from '../../../adapters/aws/connection.ts';
import type { Any } from '../../support/any.ts';

const KEY = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'the secret' };

/** The host of a client's request, which is stopped before it is sent. */
async function hostOf(client: Any, command: unknown): Promise<string> {
  let host = '';
  const stop =
    () =>
    async ({ request }: Any) => {
      host = request.hostname;
      throw new Error('stopped');
    };
  client.middlewareStack.add(stop, { step: 'finalizeRequest', priority: 'low' });
  await expect(client.send(command)).rejects.toThrow('stopped');
  return host;
}

async function hostsWith(env: Record<string, string>): Promise<Record<string, string>> {
  const connection = environmentConnection({ ...KEY, ...env });
  const requests = await s3Access(connection)();
  const address = await requests.signedGet({ Bucket: 'the-bucket', Key: 'k' }, 60);
  return {
    dynamodb: await hostOf(dynamoClient(connection), new ListTablesCommand()),
    s3: new URL(address).hostname,
    secrets: await hostOf(secretsClient(connection), new ListSecretsCommand()),
    ses: await hostOf(sesClient(connection), new GetAccountCommand()),
    sqs: await hostOf(sqsClient(connection), new ListQueuesCommand()),
  };
}

describe('a request goes', () => {
  it('to the endpoint of the region', async () => {
    expect(await hostsWith({})).toEqual({
      dynamodb: 'dynamodb.eu-central-1.amazonaws.com',
      s3: 'the-bucket.s3.eu-central-1.amazonaws.com',
      secrets: 'secretsmanager.eu-central-1.amazonaws.com',
      ses: 'email.eu-central-1.amazonaws.com',
      sqs: 'sqs.eu-central-1.amazonaws.com',
    });
  });

  it('to the FIPS endpoint if AWS_USE_FIPS_ENDPOINT wants it', async () => {
    expect(await hostsWith({ AWS_REGION: 'us-east-1', AWS_USE_FIPS_ENDPOINT: 'true' })).toEqual({
      dynamodb: 'dynamodb-fips.us-east-1.amazonaws.com',
      s3: 'the-bucket.s3-fips.us-east-1.amazonaws.com',
      secrets: 'secretsmanager-fips.us-east-1.amazonaws.com',
      ses: 'email-fips.us-east-1.amazonaws.com',
      sqs: 'sqs-fips.us-east-1.amazonaws.com',
    });
  });

  it('to the dual-stack endpoint if AWS_USE_DUALSTACK_ENDPOINT wants it, as AWS spells its values', async () => {
    const hosts = await hostsWith({ AWS_USE_DUALSTACK_ENDPOINT: 'TRUE' });
    expect(hosts).toMatchObject({
      dynamodb: 'dynamodb.eu-central-1.api.aws',
      s3: 'the-bucket.s3.dualstack.eu-central-1.amazonaws.com',
      sqs: 'sqs.eu-central-1.api.aws',
    });
  });

  it('to an endpoint of its own, one for a service before one for all', async () => {
    const env = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_ENDPOINT_URL_SQS: 'http://127.0.0.2:2/path' };
    expect(await hostsWith(env)).toEqual({
      ...{ dynamodb: '127.0.0.1', s3: '127.0.0.1', secrets: '127.0.0.1', ses: '127.0.0.1' },
      sqs: '127.0.0.2',
    });
    expect(await hostsWith({ AWS_ENDPOINT_URL: '' })).toEqual(await hostsWith({}));
  });

  it('with the name of the bucket in the path of such an endpoint, which may have one host only', async () => {
    const requests = await s3Access(environmentConnection({ ...KEY, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }))();
    expect(await requests.signedGet({ Bucket: 'the-bucket', Key: 'a/b c' }, 60)).toMatch(
      /^http:\/\/127\.0\.0\.1:1\/the-bucket\/a\/b%20c\?/,
    );
  });
});

describe('the environment', () => {
  it.each(['ftp://host', 'host:1', '/path', 'javascript:1'])('refuses %s as an endpoint', (place) => {
    const { endpoint } = environmentConnection({ AWS_ENDPOINT_URL_S3: place });
    expect(() => endpoint('S3')).toThrow(/AWS_ENDPOINT_URL_S3 is not a valid URL/);
  });

  it.each(['1', 'yes', 'on'])('stops at AWS_USE_FIPS_ENDPOINT=%s rather than use a plain endpoint', (value) => {
    expect(() => environmentConnection({ AWS_USE_FIPS_ENDPOINT: value })).toThrow(
      'AWS_USE_FIPS_ENDPOINT must be true or false.',
    );
  });

  it.each(['', 'eu.evil.org/', 'EU', 'a b'])('refuses "%s" as a region', async (region) => {
    const client = dynamoClient(environmentConnection({ ...KEY, AWS_REGION: region }));
    await expect(client.send(new ListTablesCommand())).rejects.toMatchObject({ code: 'badSetting' });
  });

  it('reports missing credentials, and reveals none that exist', async () => {
    const { AWS_REGION, AWS_SECRET_ACCESS_KEY } = KEY;
    const client = dynamoClient(environmentConnection({ AWS_REGION, AWS_SECRET_ACCESS_KEY }));
    await expect(client.send(new ListTablesCommand())).rejects.toMatchObject({
      code: 'badSetting',
      message: expect.not.stringContaining('the secret'),
    });
  });
});
