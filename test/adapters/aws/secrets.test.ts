/** How often the master secret is read, and the effect of an outage or a rotation, which no emulator shows. */
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, it } from 'vitest';
import { secretsManager } from '../../../adapters/aws/secrets.ts';
import { setClock } from '../../ports/clock.ts';
import { keptFields, serviceError } from './service-error.ts';

const client = new SecretsManagerClient({ region: 'eu-central-1' });
const manager = mockClient(client);
const clock = setClock();
const open = () => secretsManager({ client: () => client, id: 'the-secret', clock });

const throttled = serviceError('ThrottlingException', 400);
const absent = serviceError('ResourceNotFoundException', 400);

const stage = (VersionStage: 'AWSCURRENT' | 'AWSPREVIOUS') => manager.on(GetSecretValueCommand, { VersionStage });
const version = (VersionId: string) => ({ VersionId, SecretString: `key of ${VersionId}` });
const versions = async (from: ReturnType<typeof open>, wanted?: string) =>
  (await from.master(wanted)).map((master) => master.version);

beforeEach(() => {
  manager.reset();
  stage('AWSCURRENT').resolves(version('v2'));
  stage('AWSPREVIOUS').resolves(version('v1'));
});

it('is read once for many concurrent and subsequent callers', async () => {
  const secrets = open();
  await Promise.all([secrets.master(), secrets.master(), secrets.master()]);
  clock.pass(299_999);
  expect(await secrets.master('v2')).toEqual([{ version: 'v2', key: Buffer.from('key of v2') }]);
  expect(manager.calls()).toHaveLength(1);
});

it('is read with the version before it once something names that, and for five minutes', async () => {
  const secrets = open();
  await secrets.master();
  await Promise.all([secrets.master('v1'), secrets.master('v1')]);
  clock.pass(299_999);
  expect(await secrets.master('v1')).toEqual([
    { version: 'v2', key: Buffer.from('key of v2') },
    { version: 'v1', key: Buffer.from('key of v1') },
  ]);
  expect(manager.calls()).toHaveLength(3);
});

it('is read again after five minutes, so that a rotation is noticed', async () => {
  const secrets = open();
  await secrets.master();
  stage('AWSCURRENT').resolves(version('v3'));
  stage('AWSPREVIOUS').resolves(version('v2'));
  clock.pass(300_000);
  expect(await versions(secrets)).toEqual(['v3']);
  expect(await versions(secrets, 'v2')).toEqual(['v3', 'v2']);
});

it('is read again at once for a version that another process has seen first', async () => {
  const secrets = open();
  await secrets.master();
  stage('AWSCURRENT').resolves(version('v3'));
  stage('AWSPREVIOUS').resolves(version('v2'));
  expect(await versions(secrets, 'v2')).toEqual(['v2']);
  expect(await versions(secrets, 'v3')).toEqual(['v3', 'v2']);
});

it('is read at most once a second for versions that do not exist', async () => {
  const secrets = open();
  await secrets.master();
  clock.pass(1_000);
  await Promise.all(Array.from({ length: 20 }, (_, n) => secrets.master(`invented ${n}`)));
  clock.pass(999);
  await secrets.master('invented');
  expect(manager.calls()).toHaveLength(3);
  clock.pass(1);
  await secrets.master('invented');
  expect(manager.calls()).toHaveLength(5);
});

it('never loses the version in between when a rotation happens while it is read', async () => {
  stage('AWSCURRENT').resolvesOnce(version('v2')).resolvesOnce(version('v2')).resolves(version('v3'));
  stage('AWSPREVIOUS').resolves(version('v2'));
  expect(await versions(open(), 'v1')).toEqual(['v3', 'v2']);
});

it('does not cache a failed read', async () => {
  stage('AWSCURRENT').rejectsOnce(throttled).resolves(version('v2'));
  const secrets = open();
  await expect(secrets.master()).rejects.toMatchObject({ name: 'Problem', code: 'busy', cause: keptFields(throttled) });
  expect(await versions(secrets)).toEqual(['v2']);
});

it('does not treat a throttled read of the previous version as its absence', async () => {
  stage('AWSPREVIOUS').rejects(throttled);
  await expect(open().master('v1')).rejects.toMatchObject({ code: 'busy' });
});

it('stays available while Secrets Manager is down', async () => {
  const secrets = open();
  await secrets.master();
  await secrets.master('v1');
  manager.on(GetSecretValueCommand).rejects(throttled);
  clock.pass(300_000);
  expect(await versions(secrets, 'v2')).toEqual(['v2']);
  expect(await versions(secrets, 'v1')).toEqual(['v2', 'v1']);
});

it.each([absent, serviceError('AccessDeniedException', 400)])(
  'reports what the operator has to fix: $name',
  async (error) => {
    stage('AWSCURRENT').rejects(error);
    await expect(open().master()).rejects.toMatchObject({ name: 'Problem', code: 'badSetting' });
  },
);

it('is not served any longer once access to it is revoked', async () => {
  const secrets = open();
  await secrets.master();
  manager.on(GetSecretValueCommand).rejects(serviceError('AccessDeniedException', 400));
  clock.pass(300_000);
  await expect(secrets.master()).rejects.toMatchObject({ code: 'badSetting' });
});

it('must be a text', async () => {
  stage('AWSCURRENT').resolves({ VersionId: 'v1', SecretBinary: new Uint8Array(32) });
  await expect(open().master()).rejects.toMatchObject({ code: 'badSetting' });
});
