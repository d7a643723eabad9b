/** Compares our signatures with AWS's published ones and with those of its SDK. */
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encoded, Sha256, sigV4 } from '../../adapters/aws/client/account.ts';
import { bucketOf } from '../../adapters/aws/client/services.ts';
import { s3Blobs } from '../../adapters/aws/s3-blobs.ts';
import { setClock } from '../contracts/clock.ts';
import { reaching } from '../contracts/reaching.ts';

const RUNS = { numRuns: 400 };

const word = fc
  .string({ minLength: 1, maxLength: 20, unit: 'binary' })
  .filter((text) => text.isWellFormed() && text !== '__proto__');
const plain = fc.stringMatching(/^[A-Za-z0-9/+=_-]{1,60}$/);
const credentials = fc
  .record({ accessKeyId: plain, secretAccessKey: plain, sessionToken: fc.option(plain, { nil: undefined }) })
  .map(({ sessionToken, ...key }) => ({ ...key, ...(sessionToken === undefined ? {} : { sessionToken }) }));
const signing = fc.record({
  credentials,
  region: fc.constantFrom('eu-central-1', 'us-east-1', 'cn-north-1', 'us-gov-west-1'),
  at: fc.integer({ min: 0, max: Date.UTC(2099, 0) }),
});
const path = fc
  .array(fc.oneof(word, fc.constantFrom('', '.', '..', 'a b', '@connections', 'ü%2F', "!'()*~")), { maxLength: 6 })
  .map((parts) => `/${parts.map(encoded).join('/')}`);
const query = fc.dictionary(word, word, { maxKeys: 6 }).map((pairs) => ({ ...pairs }));
/** Neither signs the headers of connections and proxies; our signer never gets one. */
const UNSIGNED =
  /^(authorization|cache-control|connection|expect|from|keep-alive|max-forwards|pragma|referer|te|trailer|transfer-encoding|upgrade|user-agent|x-amz-date|x-amz-security-token|x-amz-content-sha256|host|proxy-.*|sec-.*)$/i;
const header = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,18}$/).filter((name) => !UNSIGNED.test(name));
const value = fc.stringMatching(/^[ -~\t]{0,30}$/);
/** No header name occurs twice in different case. */
const headers = fc
  .uniqueArray(fc.tuple(header, value), { maxLength: 6, selector: ([name]) => name.toLowerCase() })
  .map((pairs) => Object.fromEntries(pairs));
const method = fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'HEAD');
const body = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 200 }), fc.constant(''));
const request = fc.record({ method, path, query, headers, body });
const host = fc.constantFrom('dynamodb.eu-central-1.amazonaws.com', '127.0.0.1:4566', 'b.s3.eu-west-1.amazonaws.com');

type Asked = { method: string; path: string; query: Record<string, string>; headers: Record<string, string> };

const theirs = (host: string, asked: Asked & { body?: unknown }) => ({ protocol: 'https:', hostname: host, ...asked });

type Signing = Parameters<typeof sigV4.headers>[1];

const oracle = ({ service, region, credentials: key }: Signing, applyChecksum: boolean) =>
  new SignatureV4({
    service,
    region,
    credentials: key,
    sha256: Sha256,
    applyChecksum,
    uriEscapePath: service !== 's3',
  });

/** From AWS's test suite of Signature Version 4 and from the examples in the manual of S3. */
const SUITE = {
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  ...{
    accessKeyId: 'AKIDEXAMPLE',
    service: 'service',
    host: 'example.amazonaws.com',
    at: Date.UTC(2015, 7, 30, 12, 36),
  },
};
const MANUAL = {
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  ...{ accessKeyId: 'AKIAIOSFODNN7EXAMPLE', service: 's3', host: 'examplebucket.s3.amazonaws.com' },
  at: Date.UTC(2013, 4, 24),
};
const PUBLISHED = [
  { of: SUITE, signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31' },
  { of: SUITE, method: 'POST', signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b' },
  {
    of: SUITE,
    query: { Param2: 'value2', Param1: 'value1' },
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  {
    of: MANUAL,
    path: '/test.txt',
    headers: { range: 'bytes=0-9' },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    of: SUITE,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'Param1=value1',
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  },
  {
    of: MANUAL,
    query: { lifecycle: '' },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    of: MANUAL,
    query: { 'max-keys': '2', prefix: 'J' },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
];

describe('a signature in the headers', () => {
  it.each(PUBLISHED)('is the one that AWS publishes: $signature', async ({ of, signature, ...published }) => {
    const { host, accessKeyId, secretAccessKey, ...scope } = of;
    const asked = { method: 'GET', path: '/', query: {}, ...published, headers: { host, ...published.headers } };
    const by = { ...scope, credentials: { accessKeyId, secretAccessKey }, region: 'us-east-1' };
    expect((await sigV4.headers(asked, by)).authorization).toMatch(new RegExp(`Signature=${signature}$`));
  });

  it.each(['dynamodb', 'sqs', 's3', 'secretsmanager', 'scheduler', 'ses', 'execute-api'])(
    'for %s is byte for byte that of the library',
    async (service) => {
      const property = fc.asyncProperty(request, host, signing, async (asked, host, by) => {
        const wanted = { ...by, service };
        const ours = await sigV4.headers({ ...asked, headers: { host, ...asked.headers } }, wanted);
        const signed = await oracle(wanted, service === 's3').sign(
          theirs(host, { ...asked, headers: { host, ...asked.headers } }),
          { signingDate: new Date(by.at) },
        );
        expect(ours).toEqual(signed.headers);
      });
      await fc.assert(property, RUNS);
    },
    60_000,
  );
});

describe('a signature in an address', () => {
  it('is byte for byte that of the library', async () => {
    const seconds = fc.integer({ min: 1, max: 604_800 });
    const property = fc.asyncProperty(request, host, signing, seconds, async (asked, host, by, expiresIn) => {
      const wanted = { ...by, service: 's3' };
      const ours = new URLSearchParams(await sigV4.query({ ...asked, host, seconds: expiresIn }, wanted));
      const { method, path } = asked;
      const sum = 'x-amz-content-sha256';
      const { query = {} } = await oracle(wanted, true).presign(
        theirs(host, {
          ...{ method, path, headers: { host, [sum]: 'UNSIGNED-PAYLOAD' } },
          query: { ...asked.query, 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' },
        }),
        {
          ...{ signingDate: new Date(by.at), expiresIn },
          ...{ unhoistableHeaders: new Set([sum]), unsignableHeaders: new Set([sum]) },
        },
      );
      expect(Object.fromEntries(ours)).toEqual(query);
    });
    await fc.assert(property, RUNS);
  }, 60_000);

  it('is in exactly the URLs that the library would return', async () => {
    const key = fc.array(word, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    const property = fc.asyncProperty(key, signing, fc.integer({ min: 1, max: 604_800 }), async (Key, by, seconds) => {
      const client = new S3Client({
        ...by,
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
      });
      const o = { expiresIn: seconds, signingDate: new Date(by.at) };
      const account = {
        ...reaching({}).account,
        region: async () => by.region,
        credentials: async () => by.credentials,
      };
      const clock = { ...setClock(), now: () => by.at };
      const bucket = bucketOf('the-bucket', { ...reaching({}), account, clock });
      const at = { Bucket: 'the-bucket', Key };
      const up = { method: 'PUT', key: Key, query: { 'x-id': 'PutObject' }, seconds };
      expect(sortedQuery(await bucket.address(up))).toEqual(
        sortedQuery(await getSignedUrl(client, new PutObjectCommand(at), o)),
      );
      const down = { method: 'GET', key: Key, query: { 'x-id': 'GetObject' }, seconds };
      expect(sortedQuery(await bucket.address(down))).toEqual(
        sortedQuery(await getSignedUrl(client, new GetObjectCommand(at), o)),
      );
      const version = { ...down, query: { ...down.query, versionId: 'v.1_-' } };
      expect(sortedQuery(await bucket.address(version))).toEqual(
        sortedQuery(await getSignedUrl(client, new GetObjectCommand({ ...at, VersionId: 'v.1_-' }), o)),
      );
    });
    await fc.assert(property, { numRuns: 100 });
  }, 60_000);

  it('is valid for a week at most', async () => {
    const by = reaching({ AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' });
    const blobs = s3Blobs({ bucket: bucketOf('b', by), uploads: bucketOf('u', by) });
    await expect(blobs.uploadAddress('k', 604_801)).rejects.toThrow();
  });
});

/** For any order of the parameters. */
const sortedQuery = (address: string): [string, string[]] => {
  const [place = '', query = ''] = address.split('?');
  return [place, query.split('&').sort()];
};
