/** Compares our service endpoints with those of the AWS SDK. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { environmentAccount, regionHost } from '../../adapters/aws/client/account.ts';

/** One of each partition at least. */
const REGIONS = [
  ...['us-east-1', 'eu-central-1', 'ap-southeast-4', 'cn-north-1', 'cn-northwest-1', 'us-gov-west-1', 'us-gov-east-1'],
  ...['us-iso-east-1', 'us-isob-east-1', 'eu-isoe-west-1', 'us-isof-south-1', 'eusc-de-east-1'],
];

const CLIENTS = {
  s3: S3Client,
  dynamodb: DynamoDBClient,
  email: SESv2Client,
  scheduler: SchedulerClient,
  secretsmanager: SecretsManagerClient,
  sqs: SQSClient,
};

type Asked = { Region: string; UseFIPS: boolean; UseDualStack: boolean };
type Resolves = { endpointProvider(o: Asked): { url: URL } };

const VARIANTS = [
  ['', false, false],
  [' by FIPS', true, false],
  [' by dual stack', false, true],
  [' by both', true, true],
] as const;

describe.each(Object.entries(CLIENTS))('%s', (service, Client) => {
  describe.each(VARIANTS)('has the host of the SDK%s', (_, fips, dualStack) => {
    it.each(REGIONS)('in %s', (region) => {
      const { endpointProvider } = new Client({ region }).config as unknown as Resolves;
      const ours = () => `https://${regionHost(service, region, { fips, dualStack })}/`;
      if (service === 's3' && fips && region.startsWith('cn-')) {
        expect(() => endpointProvider({ Region: region, UseFIPS: fips, UseDualStack: dualStack })).toThrow(/FIPS/);
        expect(ours).toThrow(/no FIPS endpoint/);
      } else {
        expect(ours()).toBe(endpointProvider({ Region: region, UseFIPS: fips, UseDualStack: dualStack }).url.href);
      }
    });
  });
});

describe('the environment', () => {
  const account = (env: Record<string, string>) => environmentAccount(env);

  it('takes the place of one service before that of all', () => {
    const env = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:2/path' };
    expect(account(env).endpoint('dynamodb')?.href).toBe('http://127.0.0.1:1/');
    expect(account(env).endpoint('sqs')?.href).toBe('http://127.0.0.1:2/path');
    expect(account({}).endpoint('sqs')).toBeUndefined();
    expect(account({ AWS_ENDPOINT_URL: '' }).endpoint('sqs')).toBeUndefined();
  });

  it.each(['ftp://host', 'host:1', '/path', 'javascript:1'])('refuses %s as an endpoint', (place) => {
    expect(() => account({ AWS_ENDPOINT_URL_S3: place }).endpoint('s3')).toThrow(
      /AWS_ENDPOINT_URL_S3 is not a valid URL/,
    );
  });

  it('asks the endpoints that AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT want, as AWS spells them', () => {
    expect(account({}).variant()).toEqual({ fips: false, dualStack: false });
    expect(account({ AWS_USE_FIPS_ENDPOINT: 'true', AWS_USE_DUALSTACK_ENDPOINT: 'TRUE' }).variant()).toEqual({
      fips: true,
      dualStack: true,
    });
    expect(account({ AWS_USE_FIPS_ENDPOINT: 'false', AWS_USE_DUALSTACK_ENDPOINT: '' }).variant()).toEqual({
      fips: false,
      dualStack: false,
    });
  });

  it.each(['1', 'yes', 'on'])('stops at AWS_USE_FIPS_ENDPOINT=%s rather than use a plain endpoint', (value) => {
    expect(() => account({ AWS_USE_FIPS_ENDPOINT: value }).variant()).toThrow(
      'AWS_USE_FIPS_ENDPOINT must be true or false.',
    );
  });

  it.each(['', 'eu.evil.org/', 'EU', 'a b'])('refuses "%s" as a region', async (region) => {
    await expect(account({ AWS_REGION: region }).region()).rejects.toMatchObject({ code: 'badSetting' });
  });

  it('reports missing credentials, and reveals none that exist', async () => {
    const lacking = account({ AWS_SECRET_ACCESS_KEY: 'the secret' }).credentials();
    await expect(lacking).rejects.toMatchObject({
      code: 'badSetting',
      message: expect.not.stringContaining('the secret'),
    });
  });

  it('reads the session token together with the key, if there is one', async () => {
    const key = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    expect(await account(key).credentials()).toEqual({ accessKeyId: 'a', secretAccessKey: 'b' });
    expect(await account({ ...key, AWS_SESSION_TOKEN: 'c' }).credentials()).toMatchObject({ sessionToken: 'c' });
  });
});
