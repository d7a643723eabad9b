import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { descriptionFaults } from '../../../scripts/contracts/descriptions.ts';
import { contracts, faultsIn } from '../../../scripts/contracts.ts';
import type { Any } from '../../support/any.ts';
import { checker, contract } from './check-answer.ts';

const OPENAPI = ['files-and-tasks.openapi', 'agents.openapi'];
const ROOT = join(import.meta.dirname, '../../..');

it('are written as the route tables have them', () => {
  for (const [path, text] of Object.entries(contracts())) expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
});

it.each([...OPENAPI, 'agents.asyncapi'])('%s satisfies a linter that is not ours', async (name) => {
  // Health refuses nothing; a WebSocket sends its token in the first message.
  const rules = {
    'operation-4xx-response': 'off',
    'security-defined': name.includes('asyncapi') ? 'off' : 'error',
  } as const;
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const source = JSON.stringify(contract(name));
  const problems = await lintFromString({ source, absoluteRef: `/contracts/${name}.json`, config });
  expect(problems.map(({ message, location: [at] }) => `${at?.pointer} ${message}`)).toEqual([]);
});

it.each(OPENAPI)('%s is valid OpenAPI 3.1', async (name) => {
  expect(await new Validator().validate(contract(name))).toMatchObject({ valid: true });
});

it('would tell a document that is not', async () => {
  const broken = contract('agents.openapi');
  broken.paths['/auth/login'].post.responses = { '200': { descriptions: 'x' } };
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
});

it('describe every field, parameter and answer', () => expect(faultsIn(contracts())).toEqual([]));

it.each([
  ['priority', undefined, 'has no description'],
  ['priority', '', 'has no description'],
  ['priority', 'How urgent it is', 'less than 5 words'],
  ['priority', 'The priority of the submitted task', undefined],
  ['created_at', 'When the task is created at', 'nothing but its name'],
  ['createdAt', 'This is when it was created', 'nothing but its name'],
  ['nested', 'An object with one field inside', 'Task.nested[].size'],
])('find a field %s whose description is %j', (name, description, fault) => {
  const field = { description, ...(name === 'nested' ? { items: { properties: { size: {} } } } : {}) };
  const schemas = { Task: { properties: { [name]: field } } };
  const faults = descriptionFaults({ info: { title: 'Made up' }, components: { schemas } } as never);
  if (fault) expect(faults.join()).toContain(fault);
  else expect(faults).toEqual([]);
});

it('find parameters, headers and answers without a description', () => {
  const responses = { 200: { description: 'OK' } };
  const paths = { '/files': { get: { parameters: [{ name: 'limit' }], responses } } };
  const components = { schemas: {}, headers: { 'X-Id': {} }, parameters: { fileId: {} } };
  const faults = descriptionFaults({ info: { title: 'Made up' }, paths, components } as never);
  expect(faults.map((fault) => fault.replace(/^Made up: (.*?) has .*/, '$1'))).toEqual([
    'fileId',
    'X-Id',
    'GET /files ?limit',
    'GET /files 200',
  ]);
});

type Media = { schema: { $ref: string }; example?: unknown; examples?: Record<string, { value: unknown }> };

const examplesIn = (document: Any): [schema: string, value: unknown][] =>
  mediaIn(document).flatMap(({ schema, example, examples = {} }) =>
    [...Object.values(examples).map(({ value }) => value), ...(example === undefined ? [] : [example])].map(
      (value): [string, unknown] => [schema.$ref.split('/').at(-1) ?? '', value],
    ),
  );

function mediaIn(value: Any): Media[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, each]) => (key === 'example' ? [] : mediaIn(each)));
  return value.schema?.$ref && ('example' in value || 'examples' in value) ? [value, ...inner] : inner;
}

describe.each(OPENAPI)('the examples of %s', (name) => {
  const document = contract(name);

  it('are as the schemas say', () => {
    const check = checker(document);
    const examples = examplesIn(document);
    expect(examples.length).toBeGreaterThan(15);
    expect(examples.flatMap(([schema, value]) => check(schema, value))).toEqual([]);
  });
});

describe('the request schemas', () => {
  const files = checker(contract('files-and-tasks.openapi'));
  const agents = checker(contract('agents.openapi'));
  const task = (o: object) => ({
    namespace: 'a',
    delivery: { type: 'webhook', config: { endpoint: 'https://hooks.acme.org/' } },
    input: { type: 'chat', prompt: 'What is due?' },
    ...o,
  });
  const research = (o: object) => ({ task_type: 'research_agent', input: { query: 'Port fees' }, ...o });

  it.each([
    [{}],
    [{ input: { type: 'chat', prompt: 'x', fileIds: null } }],
    [{ input: { type: 'chat', prompt: 'x', fileIds: ['a'] } }],
  ])('take what a task may be: %j', (o) => expect(files('NewTask', task(o))).toEqual([]));

  it.each([
    [{ namespace: '' }],
    [{ namespace: 'n'.repeat(129) }],
    [{ input: { type: 'mail', prompt: 'x' } }],
    [{ input: { type: 'chat' } }],
    [{ input: { type: 'chat', prompt: '   ' } }],
    [{ input: { type: 'chat', prompt: 'x', model: null } }],
    [{ delivery: { type: 'webhook', config: {} } }],
  ])('refuse what a task may not be: %j', (o) => expect(files('NewTask', task(o))).not.toEqual([]));

  it.each([
    [{}],
    [{ priority: 10, metadata: { a: 'b' }, timeout_minutes: 240 }],
    [{ input: { query: 'x', sources: ['a_source_of_the_operator'] } }],
    [{ priority: null, webhook_url: null }],
  ])('take what a submission may be: %j', (o) => expect(agents('Submission', research(o))).toEqual([]));

  it.each([
    [{ priority: 11 }],
    [{ task_type: 'mailing_agent' }],
    [{ input: {} }],
    [{ metadata: { a: 1 } }],
    [{ metadata: { ['k'.repeat(65)]: 'v' } }],
    [{ timeout_minutes: 0.5 }],
    [{ input: { query: 'x', sources: [1] } }],
  ])('refuse what a submission may not be: %j', (o) => expect(agents('Submission', research(o))).not.toEqual([]));
});
