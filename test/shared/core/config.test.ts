import { expect, it } from 'vitest';
import { modelTableConfig } from '../../../shared/accounts/model-settings.ts';
import {
  blobsConfig,
  documentCpuConfig,
  localConfig,
  logConfig,
  resultsConfig,
  secretsConfig,
  tableConfig,
} from '../../../shared/core/config.ts';
import { Problem } from '../../../shared/core/problem.ts';

it('runs on one machine with no setting at all', () => {
  expect(localConfig({})).toEqual({ stateFolder: '.errand', port: 4000, logLevel: 'warn' });
});

it('uses the settings, and treats an empty value as not set', () => {
  const env = { ERRAND_STATE: '/tmp/here', ERRAND_PORT: '65534', ERRAND_LOG_LEVEL: '' };
  expect(localConfig(env)).toEqual({ stateFolder: '/tmp/here', port: 65534, logLevel: 'warn' });
});

it.each(['0', '65535', '-1', '4000.5', 'abc', ' 4000', '0x10', '1e3', '99999999'])(
  'refuses the port %j in one line',
  (port) => {
    expect(() => localConfig({ ERRAND_PORT: port })).toThrow(
      new Problem(
        'badSetting',
        `ERRAND_PORT is "${port}": give a whole number from 1 to 65534; the agent API takes the next one.`,
      ),
    );
  },
);

it('names the levels when the log level is unknown', () => {
  expect(() => logConfig({ ERRAND_LOG_LEVEL: 'loud' })).toThrow(
    'ERRAND_LOG_LEVEL is "loud": give one of debug, info, warn, error.',
  );
});

it.each([
  ['ERRAND_TABLE', tableConfig],
  ['ERRAND_BUCKET', resultsConfig],
  ['ERRAND_MASTER_SECRET', secretsConfig],
])('names %s and the remedy when the deployed product misses it', (name, config) => {
  expect(() => config({})).toThrow(`${name} is not set: deploy the stack again, which sets it.`);
  expect(() => config({ [name]: '' })).toThrow('is not set');
  expect(Object.values(config({ [name]: 'abc' }))).toEqual(['abc']);
});

it('requires the bucket of uploads of functions that handle files', () => {
  const told = { ERRAND_BUCKET: 'a', ERRAND_UPLOADS_BUCKET: 'b' };
  expect(blobsConfig(told)).toEqual({ bucket: 'a', uploads: 'b' });
  expect(() => blobsConfig({ ERRAND_BUCKET: 'a' })).toThrow('ERRAND_UPLOADS_BUCKET is not set: deploy the stack again');
});

it('accepts facts of the operator about models, and names the setting if its format is invalid', () => {
  expect(modelTableConfig({})).toEqual({ table: {} });
  const table = {
    'openai/ours': { context: 64_000, price: { input: 1, output: 2.5, cachedInput: 0.1, asOf: '2026-11' } },
  };
  expect(modelTableConfig({ ERRAND_MODEL_TABLE: JSON.stringify(table) })).toEqual({ table });
  for (const text of ['{', '7', '{"openai/ours":{"context":"large"}}', '{"openai/ours":{"contexts":64000}}'])
    expect(() => modelTableConfig({ ERRAND_MODEL_TABLE: text })).toThrow(
      /^ERRAND_MODEL_TABLE is .*: give JSON such as/,
    );
});

it('reads how many seconds of CPU a document may use, with defaults', () => {
  expect(documentCpuConfig({})).toEqual({ cpuMs: 10_000, ocrPageCpuMs: 5_000 });
  const env = { ERRAND_DOCUMENT_CPU_SECONDS: '30', ERRAND_OCR_PAGE_CPU_SECONDS: '8' };
  expect(documentCpuConfig(env)).toEqual({ cpuMs: 30_000, ocrPageCpuMs: 8_000 });
  expect(() => documentCpuConfig({ ERRAND_DOCUMENT_CPU_SECONDS: '0' })).toThrow(
    'ERRAND_DOCUMENT_CPU_SECONDS is "0": give a whole number of seconds, at most 900.',
  );
});

it('cuts a long value and keeps the message on one line', () => {
  const fault = () => localConfig({ ERRAND_PORT: `a\n${'b'.repeat(10_000)}` });
  expect(fault).toThrow(/^[^\n]{1,250}$/);
});
