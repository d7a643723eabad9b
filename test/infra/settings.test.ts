import { expect, it } from 'vitest';
import { settingsOf } from '../../infra/settings.ts';
import { EVERY_SETTING } from './every-setting.ts';

const KEY = EVERY_SETTING['kms-key'];

it('reads the origins of a stage from the context, and has no default', () => {
  expect(settingsOf('dev').origins).toEqual([]);
  expect(settingsOf('dev', { origins: '' }).origins).toEqual([]);
  const both = 'https://console.host.org,http://localhost:5173';
  expect(settingsOf('production', { origins: both }).origins).toEqual(both.split(','));
});

it.each(['*', 'console.host.org', 'https://host.org/', 'https://host.org/x', 'https://a.org, https://b.org'])(
  'rejects %s, which no browser sends as an origin',
  (origins) => expect(() => settingsOf('dev', { origins })).toThrow(/is not a valid origin/),
);

it('passes on which models see pictures: the listed ones, none, or those with known names', () => {
  expect(settingsOf('dev').seeing).toEqual([]);
  expect(settingsOf('dev', { seeing: 'openai/ours,bedrock/x' }).seeing).toEqual(['openai/ours', 'bedrock/x']);
  expect(settingsOf('dev', { seeing: 'none' }).seeing).toEqual(['none']);
  expect(() => settingsOf('dev', { seeing: 'ours' })).toThrow(/^seeing-models: "ours" is not a model/);
});

it("passes on the operator's facts about models, and rejects facts that a worker could not read", () => {
  const modelTable = '{"openai/ours":{"context":64000}}';
  expect(settingsOf('dev', { modelTable }).modelTable).toBe(modelTable);
  expect(settingsOf('dev').modelTable).toBe('');
  expect(() => settingsOf('dev', { modelTable: '{"openai/ours":7}' })).toThrow(/^model-table: give JSON/);
});

it('keeps the name of a stage, and derives the same name from a branch each time', () => {
  const nameOf = (stage: string) => settingsOf(stage).stage;
  expect(['dev', 'fix-42', `a${'b'.repeat(29)}`].map(nameOf)).toEqual(['dev', 'fix-42', `a${'b'.repeat(29)}`]);
  for (const branch of ['feature/My-Branch', 'A', '42-fix', 'a'.repeat(200), 'renovate/@x-1.x', 'x-'.repeat(30)]) {
    expect(nameOf(branch)).toMatch(/^[a-z][a-z0-9-]{0,22}-[0-9a-f]{6}$/);
    expect(nameOf(branch)).toBe(nameOf(branch));
  }
});

it('gives no branch the name of the production stage', () => {
  for (const branch of ['Production', 'PRODUCTION', '/production', '42-production', 'production-', 'production/fix'])
    expect(() => settingsOf(branch)).toThrow('The stage is ');
  for (const stage of ['production-2', 'productions'])
    expect(() => settingsOf(stage)).toThrow('only production itself');
  expect(settingsOf('feature/production')).toMatchObject({ isEphemeral: true });
  expect(settingsOf('production')).toMatchObject({ isEphemeral: false });
});

it('reads the retention, the file size, the address for alarms and the day a stage ends', () => {
  expect(settingsOf('dev')).toMatchObject({ badCredentials: 300, retentionDays: 30, maxFileBytes: 536_870_912 });
  const given = { retentionDays: '7', maxFileMegabytes: '10', alarmsEmail: 'ops@example.com', expires: '2026-12-31' };
  expect(settingsOf('dev', given)).toMatchObject({
    retentionDays: 7,
    maxFileBytes: 10_485_760,
    alarmsEmail: 'ops@example.com',
    expires: '2026-12-31',
  });
  expect(settingsOf('production', given)).not.toHaveProperty('expires');
});

it('takes a key of KMS in the region of the stage, or in any if that is unknown', () => {
  const kmsKey = { arn: KEY, region: 'eu-central-1' };
  expect(settingsOf('dev', { kmsKey: KEY, region: 'eu-central-1' })).toMatchObject({ kmsKey });
  expect(settingsOf('dev', { kmsKey: KEY })).toMatchObject({ kmsKey });
  const replicated = `${KEY.slice(0, 42)}mrk-${'0a'.repeat(16)}`;
  expect(settingsOf('dev', { kmsKey: replicated })).toMatchObject({ kmsKey: { arn: replicated } });
  expect(settingsOf('dev', { kmsKey: '', region: 'us-east-1' })).not.toHaveProperty('kmsKey');
});

it('reads the CPU limit for reading a document', () => {
  expect(settingsOf('dev').cpuSeconds).toEqual({ document: 10, ocrPage: 5 });
  const given = { documentCpuSeconds: '20', ocrPageCpuSeconds: '8' };
  expect(settingsOf('dev', given).cpuSeconds).toEqual({ document: 20, ocrPage: 8 });
});

it.each([
  [{ badCredentials: '9' }, 'unauthorized-calls is "9": give a whole number from 10 to 1000000.'],
  [{ retentionDays: '0' }, 'retention-days is "0": give a whole number from 1 to 365.'],
  [{ retentionDays: '1.5' }, 'retention-days is "1.5"'],
  [{ retentionDays: '366' }, 'retention-days is "366"'],
  [{ maxFileMegabytes: '512MB' }, 'max-file-megabytes is "512MB"'],
  [{ workerMegabytes: '256' }, 'worker-megabytes is "256"'],
  [{ workerInstances: '0' }, 'worker-instances is "0": give a whole number from 1 to 2001.'],
  [{ workerInstances: '2002' }, 'worker-instances is "2002": give a whole number from 1 to 2001.'],
  [{ documentCpuSeconds: '0' }, 'document-cpu-seconds is "0": give a whole number from 1 to 900.'],
  [{ ocrPageCpuSeconds: '5s' }, 'ocr-page-cpu-seconds is "5s": give a whole number from 1 to 900.'],
  [{ reconcilerConcurrency: '0' }, 'reconciler-concurrency is "0": give a whole number from 1 to 10.'],
  [{ webSocketLog: 'yes' }, 'websocket-log is "yes": give on or off.'],
  [{ alarmsEmail: 'ops' }, 'alarms-email is "ops"'],
  [{ alarmsEmail: 'a@b.org,c@d.org' }, 'alarms-email is "a@b.org,c@d.org"'],
  [{ kmsKey: 'alias/mine' }, 'kms-key is "alias/mine": give the ARN of a key, such as arn:aws:kms:eu-central-1:'],
  [{ kmsKey: `${KEY.slice(0, 38)}alias/mine` }, ': give the ARN of a key'],
  [{ kmsKey: `${KEY}0` }, ': give the ARN of a key'],
  [
    { kmsKey: KEY, region: 'us-east-1' },
    'kms-key is of eu-central-1, and the stage of us-east-1: make a key in us-east-1, or deploy to eu-central-1.',
  ],
  [{ models: 'bedrok/x' }, 'models: There is no connection bedrok to models: did you mean bedrock?'],
  [{ models: 'gpt' }, 'models: "gpt" is not a model: write NAME/model'],
  [{ models: 'offline/nope' }, 'models: There is no offline/nope'],
  [{ models: 'offline/extractive,openai/gpt' }, 'models: openai/gpt needs openai-address.'],
  [{ models: 'bedrock/*' }, 'models: bedrock/* is not the name of a Bedrock model'],
  [
    { models: 'bedrock/arn:aws:bedrock:us-east-1:1:inference-profile/x' },
    'models: bedrock/arn:aws:bedrock:us-east-1:1',
  ],
  [{ seeing: 'bedrok/x' }, 'seeing-models: There is no connection bedrok to models'],
  [{ openaiKeySecret: 'key' }, 'openai-key-secret has no effect without openai-address.'],
  [
    { openaiAddress: 'https://a.org/v1', openaiKeySecret: 'arn:aws:secretsmanager:us-east-1:1:secret:key-abc123' },
    'openai-key-secret is "arn:aws:secretsmanager:us-east-1:1:secret:key-abc123": give the secret\'s name, no ARN.',
  ],
  [{ searchUrl: 'https://user:password@search.acme.org/' }, 'search-url: give the URL of a SearXNG'],
  [{ searchUrl: 'ftp://search.acme.org/' }, 'search-url: give the URL of a SearXNG'],
  [{ expires: '2026-02-30' }, 'expires is "2026-02-30"'],
  [{ expires: 'tomorrow' }, 'expires is "tomorrow"'],
  [{ expires: '2026' }, 'expires is "2026": give a day such as 2026-12-31.'],
  [{ expires: '2026-12' }, 'expires is "2026-12"'],
  [{ expires: '2026-12-31T00:00' }, 'expires is "2026-12-31T00:00"'],
])('rejects %j with one line', (given, line) => {
  expect(() => settingsOf('dev', given)).toThrow(line);
  expect(() => settingsOf('dev', given)).not.toThrow(/\n/);
});
