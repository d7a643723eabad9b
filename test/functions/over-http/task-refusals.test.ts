/** Invalid submissions to the Files & Tasks API. */
import { describe, expect, it } from 'vitest';
import { call } from './call.ts';
import { ENDPOINT, storeFile, submit, submitTask } from './task-calls.ts';

describe('reports one error at a time, in the order of the specification', () => {
  const input = { type: 'chat', prompt: 'p' };
  const delivery = { type: 'webhook', config: { endpoint: ENDPOINT } };
  const cases: [body: unknown, error: string][] = [
    [{}, 'delivery.type must be "webhook"'],
    [[], 'delivery.type must be "webhook"'],
    [{ delivery: 'webhook', input, namespace: 'n' }, 'delivery.type must be "webhook"'],
    [{ delivery: { type: 'email' }, input: { model: '' } }, 'delivery.type must be "webhook"'],
    [{ delivery: { type: 'webhook' } }, 'delivery.config.endpoint is required'],
    [{ delivery: { type: 'webhook', config: { endpoint: '' } } }, 'delivery.config.endpoint is required'],
    [{ delivery: { type: 'webhook', config: { endpoint: null } }, input }, 'delivery.config.endpoint is required'],
    [{ delivery }, 'input.type must be "chat"'],
    [{ delivery, input: { type: 'image', prompt: '' } }, 'input.type must be "chat"'],
    [{ delivery, input: { type: 'chat' } }, 'input.prompt is required'],
    [{ delivery, input: { type: 'chat', prompt: '', model: '' } }, 'input.prompt is required'],
    [{ delivery, input: { ...input, prompt: ' \n\t ' }, namespace: 'n' }, 'input.prompt is required'],
    [{ delivery, input: { ...input, model: '' } }, 'namespace is required'],
    [
      { delivery, input: { ...input, model: null }, namespace: 'n' },
      'input.model must be a non-empty string if provided',
    ],
    [{ delivery, input, namespace: '' }, 'namespace is required'],
    [
      { delivery, input: { ...input, model: '' }, namespace: 'n' },
      'input.model must be a non-empty string if provided',
    ],
    [{ delivery, input: { ...input, model: 7 }, namespace: 'n' }, 'input.model must be a non-empty string if provided'],
    [{ delivery, input: { ...input, model: 'other/model' }, namespace: 'n' }, 'input.model is not available'],
    [
      { delivery, input: { ...input, reasoningEffort: 'extreme' }, namespace: 'n' },
      'input.reasoningEffort must be one of minimal, low, medium, high',
    ],
    [{ delivery, input: { ...input, prompt: 5 }, namespace: 'n' }, 'input.prompt must be a string'],
    [{ delivery, input, namespace: {} }, 'namespace must be a string'],
    [{ delivery, input, namespace: 'n'.repeat(129) }, 'namespace has at most 128 characters'],
    [{ delivery, input, namespace: '\u{1f600}'.repeat(129) }, 'namespace has at most 128 characters'],
    [
      { delivery: { ...delivery, config: { endpoint: ENDPOINT, frequency: 'hourly' } }, input, namespace: 'n' },
      'delivery.config.frequency must be "on_finish"',
    ],
    [
      { delivery: { type: 'webhook', config: { endpoint: 5 } }, input, namespace: 'n' },
      'delivery.config.endpoint must be a string',
    ],
    [{ delivery, input: { ...input, fileIds: 'x' }, namespace: 'n' }, 'input.fileIds must be an array of strings'],
    [{ delivery, input: { ...input, fileIds: [1] }, namespace: 'n' }, 'input.fileIds must be an array of strings'],
    [
      { delivery, input: { ...input, fileIds: Array.from({ length: 21 }, (_, at) => `f${at}`) }, namespace: 'n' },
      'input.fileIds has at most 20 entries',
    ],
    [
      {
        delivery,
        input: { ...input, outputSchema: { type: 'object', properties: { code: { type: 'string', format: 'uuid' } } } },
        namespace: 'n',
      },
      'input.outputSchema.properties.code.format must be one of date, date-time, email, uri',
    ],
    [
      { delivery, input: { ...input, outputSchema: { type: 'object', oneOf: [] } }, namespace: 'n' },
      'input.outputSchema.oneOf is not a supported keyword for a schema of type object: leave it out',
    ],
    [
      { delivery, input: { ...input, outputSchema: 'total' }, namespace: 'n' },
      'input.outputSchema must be a JSON Schema: an object with "type": "object"',
    ],
    [
      { delivery, input: { ...input, onMissing: 'guess' }, namespace: 'n' },
      'input.onMissing must be one of null, fail',
    ],
    [
      { delivery, input: { ...input, accept: ['missing'] }, namespace: 'n' },
      'input.accept must name one or more of proven, computed, judged, unverified',
    ],
    [
      { delivery, input: { ...input, accept: [] }, namespace: 'n' },
      'input.accept must name one or more of proven, computed, judged, unverified',
    ],
    [{ delivery, input: { ...input, workflowIds: ['w'] }, namespace: 'n' }, 'input.workflowIds are unknown: w'],
    [{ delivery, input: { ...input, rulesetIds: ['r'] }, namespace: 'n' }, 'input.rulesetIds are unknown: r'],
    [
      { delivery, input: { ...input, fileIds: ['', 'f'.repeat(5_000)] }, namespace: 'n' },
      `input.fileIds are unknown: "", ${'f'.repeat(100)}… (an uploaded file is known after POST /files/:fileId/complete)`,
    ],
  ];

  it.each(cases)('%j', async (json, error) => {
    const reply = await call('files', '/tasks', { as: 'tasks', json: json as object });
    expect([reply.status, reply.body]).toEqual([400, { error }]);
  });

  it.each([
    'http://hooks.errand-tests.org/',
    'https://10.0.0.1/',
    'https://localhost/',
    'https://user:word@hooks.errand-tests.org/',
    'https://hooks.errand-tests.org:6379/',
    'https://[::1]/',
    'ftp://hooks.errand-tests.org/',
    'nonsense',
    `https://hooks.errand-tests.org/${'a'.repeat(2_048)}`,
  ])('rejects the endpoint %s', async (endpoint) => {
    const reply = await submit({ delivery: { type: 'webhook', config: { endpoint } } });
    expect([reply.status, reply.body]).toEqual([400, { error: 'delivery.config.endpoint must be a public HTTPS URL' }]);
  });

  it('reports ids of other organizations as unknown', async () => {
    const fileId = await storeFile('mine');
    const reply = await submit({ as: 'stranger', input: { fileIds: [fileId] } });
    expect([reply.status, reply.body]).toEqual([
      400,
      { error: `input.fileIds are unknown: ${fileId} (an uploaded file is known after POST /files/:fileId/complete)` },
    ]);
  });

  it('accepts a task with exactly the fields of the specification, and frequency on_finish', async () => {
    await submitTask({ delivery: { type: 'webhook', config: { endpoint: ENDPOINT, frequency: 'on_finish' } } });
  });
});
