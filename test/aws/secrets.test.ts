/** How often the master secret is read, and the effect of an outage or a rotation, which no emulator shows. */
import { beforeEach, expect, it } from 'vitest';
import { secretsManager } from '../../adapters/aws/secrets.ts';
import { setClock } from '../contracts/clock.ts';
import { playAws, refusal } from './play-aws.ts';

const manager = playAws();
const clock = setClock();
const open = () => secretsManager({ calls: manager.call, id: 'the-secret', clock });

const throttled = refusal('ThrottlingException', 400);
const absent = refusal('ResourceNotFoundException', 400);

const stage = (VersionStage: string, ...answers: object[]) =>
  manager.onSaying('GetSecretValue', { VersionStage }, ...answers);
const version = (VersionId: string) => ({ VersionId, SecretString: `key of ${VersionId}` });
const versions = async (from: ReturnType<typeof open>) => (await from.master()).map((master) => master.version);

beforeEach(() => {
  manager.reset();
  stage('AWSCURRENT', version('v2'));
  stage('AWSPREVIOUS', version('v1'));
});

it('is read once for many concurrent and subsequent callers', async () => {
  const secrets = open();
  await Promise.all([secrets.master(), secrets.master(), secrets.master()]);
  clock.pass(299_999);
  expect(await secrets.master()).toEqual([
    { version: 'v2', key: Buffer.from('key of v2') },
    { version: 'v1', key: Buffer.from('key of v1') },
  ]);
  expect(manager.said()).toHaveLength(2);
});

it('is read again after five minutes, so that a rotation is noticed', async () => {
  const secrets = open();
  await secrets.master();
  stage('AWSCURRENT', version('v3'));
  stage('AWSPREVIOUS', version('v2'));
  clock.pass(300_000);
  expect(await versions(secrets)).toEqual(['v3', 'v2']);
});

it('is read again at once for a version that another process has seen first', async () => {
  const secrets = open();
  await secrets.master();
  stage('AWSCURRENT', version('v3'));
  stage('AWSPREVIOUS', version('v2'));
  clock.pass(1_000);
  expect((await secrets.master('v2')).map((master) => master.version)).toEqual(['v2', 'v1']);
  expect((await secrets.master('v3')).map((master) => master.version)).toEqual(['v3', 'v2']);
});

it('is read at most once a second for versions that do not exist', async () => {
  const secrets = open();
  await secrets.master();
  clock.pass(1_000);
  await Promise.all(Array.from({ length: 20 }, (_, n) => secrets.master(`invented ${n}`)));
  clock.pass(999);
  await secrets.master('invented');
  expect(manager.said()).toHaveLength(4);
  clock.pass(1);
  await secrets.master('invented');
  expect(manager.said()).toHaveLength(6);
});

it('never loses the version in between when a rotation happens while it is read', async () => {
  stage('AWSCURRENT', version('v2'), version('v3'));
  stage('AWSPREVIOUS', version('v2'));
  expect(await versions(open())).toEqual(['v3', 'v2']);
});

it('does not cache a failed read', async () => {
  stage('AWSCURRENT', throttled, version('v2'));
  const secrets = open();
  await expect(secrets.master()).rejects.toMatchObject({ name: 'Problem', code: 'busy', cause: throttled });
  expect(await versions(secrets)).toEqual(['v2', 'v1']);
});

it('does not treat a throttled read of the previous version as its absence', async () => {
  stage('AWSPREVIOUS', throttled);
  await expect(open().master()).rejects.toMatchObject({ code: 'busy' });
});

it('stays available while Secrets Manager is down', async () => {
  const secrets = open();
  await secrets.master();
  manager.on('GetSecretValue', throttled);
  clock.pass(300_000);
  expect(await versions(secrets)).toEqual(['v2', 'v1']);
});

it.each([absent, refusal('AccessDeniedException', 400)])(
  'reports what the operator has to fix: $name',
  async (error) => {
    stage('AWSCURRENT', error);
    await expect(open().master()).rejects.toMatchObject({ name: 'Problem', code: 'badSetting' });
  },
);

it('is not served any longer once access to it is revoked', async () => {
  const secrets = open();
  await secrets.master();
  manager.on('GetSecretValue', refusal('AccessDeniedException', 400));
  clock.pass(300_000);
  await expect(secrets.master()).rejects.toMatchObject({ code: 'badSetting' });
});

it('must be a text', async () => {
  stage('AWSCURRENT', { VersionId: 'v1', SecretBinary: new Uint8Array(32) });
  await expect(open().master()).rejects.toMatchObject({ code: 'badSetting' });
});
