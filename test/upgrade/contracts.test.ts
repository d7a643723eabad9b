import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Any } from '../support/any.ts';
import { contractBreaks } from './contract-breaks.ts';
import { NEWEST_RELEASE, readRecorded } from './recorded-file.ts';

const CONTRACTS = ['agents.openapi.json', 'files-and-tasks.openapi.json', 'agents.asyncapi.json'];
const TODAY = join(import.meta.dirname, '../../contracts');
const recordedContract = (name: string): Any => readRecorded(NEWEST_RELEASE, `contracts/${name}`);
const contractOfToday = (name: string): Any => JSON.parse(readFileSync(join(TODAY, name), 'utf8'));

const RESULTS = 'GET /api/v1/tasks/{task_id}/results 200.results (ResearchResults)';

/** By contract, the breaks that the next release makes on purpose. */
const MEANT: Record<string, string[]> = {
  'agents.openapi.json': [
    // What nothing confirmed is published with a mark, and a formula may give a day.
    `${RESULTS}.deliverables[].paragraphs[].sentences[].checked_by: the type was string and is null or string`,
    `${RESULTS}.findings[].checked_by: the type was string and is null or string`,
    `${RESULTS}.findings[].computed[].value: the type was number and is number or string`,
    '/api/v1/schemas/suggest: the path is removed',
  ],
};

describe('the contracts of today', () => {
  it.each(CONTRACTS)(`keep what %s of ${NEWEST_RELEASE} promised, but for breaks on purpose`, (name) => {
    expect(contractBreaks(recordedContract(name), contractOfToday(name))).toEqual(MEANT[name] ?? []);
  });
});

it.each(CONTRACTS)('a field that is taken from any schema of %s is named', (name) => {
  const recorded = recordedContract(name);
  const fields = Object.entries<Any>(recorded.components.schemas).flatMap(([schema, { properties = {} }]) =>
    Object.keys(properties).map((field) => [schema, field] as const),
  );
  const missed = fields.filter(([schema, field]) => {
    const after = structuredClone(recorded);
    delete after.components.schemas[schema].properties[field];
    return !contractBreaks(recorded, after).some((line) => line.endsWith(`.${field}: the field is removed`));
  });
  expect(fields.length).toBeGreaterThan(30);
  expect(missed).toEqual([]);
});

const small = () => ({
  openapi: '3.1.0',
  security: [{ bearer: [] }, { apiKey: [] }],
  paths: {
    '/things': {
      get: {
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
          { $ref: '#/components/parameters/Order' },
        ],
        responses: {
          200: {
            headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          404: { description: 'There is none.' },
        },
      },
      post: {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/NewThing' } } } },
        responses: { 201: {} },
      },
    },
    '/others': { delete: { responses: { 204: {} } } },
  },
  webhooks: {
    ended: {
      post: {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
        },
        responses: { 200: {} },
      },
    },
  },
  components: {
    parameters: { Order: { name: 'order', in: 'query', schema: { enum: ['up', 'down'] } } },
    headers: { RetryAfter: { required: true, schema: { type: 'integer' } } },
    securitySchemes: { bearer: { type: 'http' } },
    schemas: {
      Thing: {
        type: 'object',
        properties: {
          id: { type: 'string', format: 'uuid' },
          state: { enum: ['open', 'done'] },
          note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
        },
        required: ['id'],
      },
      NewThing: {
        type: 'object',
        properties: {
          name: { type: 'string', maxLength: 100 },
          kind: { enum: ['a', 'b'] },
          size: { type: 'number' },
          about: { oneOf: [{ $ref: '#/components/schemas/Text' }, { $ref: '#/components/schemas/Link' }] },
        },
        required: ['name'],
      },
      Text: { type: 'object', properties: { type: { const: 'text' }, text: { type: 'string' } }, required: ['type'] },
      Link: { type: 'object', properties: { type: { const: 'link' }, href: { type: 'string' } }, required: ['type'] },
    },
  },
});

function breaksOf(change: (document: Any) => void): string[] {
  const after: Any = small();
  change(after);
  return contractBreaks(small(), after);
}
const thing = (document: Any): Any => document.components.schemas.Thing;
const requestSchema = (document: Any): Any => document.components.schemas.NewThing;
const things = (document: Any): Any => document.paths['/things'];

describe('a break of an HTTP contract is named:', () => {
  it.each<[string, (document: Any) => void, string]>([
    ['a path', (d) => delete d.paths['/others'], '/others: the path is removed'],
    ['a method', (d) => delete things(d).post, 'POST /things: the method is removed'],
    ['a status', (d) => delete things(d).get.responses[404], 'GET /things 404: the status is removed'],
    [
      'a header',
      (d) => delete things(d).get.responses[200].headers,
      'GET /things 200: the header Retry-After is removed',
    ],
    [
      'a header that may be absent',
      (d) => delete d.components.headers.RetryAfter.required,
      'GET /things 200: the header Retry-After is not always there any more',
    ],
    ['a parameter', (d) => things(d).get.parameters.pop(), 'GET /things: the parameter query order is removed'],
    [
      'a parameter of another type',
      (d) => (things(d).get.parameters[0].schema.type = 'string'),
      'GET /things query limit: the type was integer and is string',
    ],
    [
      'a new parameter that is required',
      (d) => things(d).get.parameters.push({ name: 'x', in: 'header', required: true }),
      'GET /things: the new parameter header x is required',
    ],
    [
      'a parameter that is required now',
      (d) => (things(d).get.parameters[0].required = true),
      'GET /things: the parameter query limit is required now',
    ],
    [
      'a smaller maximum',
      (d) => (things(d).get.parameters[0].schema.maximum = 50),
      'GET /things query limit: maximum was 100 and is 50',
    ],
    [
      'a larger minimum',
      (d) => (things(d).get.parameters[0].schema.minimum = 2),
      'GET /things query limit: minimum was 1 and is 2',
    ],
    [
      'a value of a parameter',
      (d) => d.components.parameters.Order.schema.enum.pop(),
      'GET /things query order: the value "down" is removed',
    ],
    [
      'a media type',
      (d) => (things(d).post.requestBody.content = { 'text/plain': {} }),
      'POST /things body: the media type application/json is removed',
    ],
    ['a body', (d) => delete things(d).post.requestBody, 'POST /things: the body is removed'],
    [
      'a body that is required now',
      (d) => (things(d).post.requestBody.required = true),
      'POST /things: the body is required now',
    ],
    [
      'a shorter text',
      (d) => (requestSchema(d).properties.name.maxLength = 50),
      'POST /things body.name: maxLength was 100 and is 50',
    ],
    [
      'a new pattern',
      (d) => (requestSchema(d).properties.name.pattern = '^a'),
      'POST /things body.name: pattern was not set and is ^a',
    ],
    [
      'a new least length',
      (d) => (requestSchema(d).properties.name.minLength = 1),
      'POST /things body.name: minLength was not set and is 1',
    ],
    [
      'a field that is required now',
      (d) => requestSchema(d).required.push('kind'),
      'POST /things body.kind: the field is required now',
    ],
    [
      'a new field that is required',
      (d) => {
        requestSchema(d).properties.age = {};
        requestSchema(d).required.push('age');
      },
      'POST /things body.age: the field is required now',
    ],
    [
      'a field of a body',
      (d) => delete requestSchema(d).properties.size,
      'POST /things body.size: the field is removed',
    ],
    [
      'a value of a body',
      (d) => requestSchema(d).properties.kind.enum.shift(),
      'POST /things body.kind: the value "a" is removed',
    ],
    [
      'values where all were accepted',
      (d) => (requestSchema(d).properties.name.enum = ['x']),
      'POST /things body.name: only "x" are accepted now',
    ],
    [
      'a narrower type',
      (d) => (requestSchema(d).properties.size.type = 'integer'),
      'POST /things body.size: the type was number and is integer',
    ],
    [
      'fields that are refused',
      (d) => (requestSchema(d).additionalProperties = false),
      'POST /things body: other fields are refused now',
    ],
    [
      'a variant',
      (d) => requestSchema(d).properties.about.oneOf.pop(),
      'POST /things body.about (Link).type: the value "link" is removed',
    ],
    [
      'a field of a variant',
      (d) => delete d.components.schemas.Link.properties.href,
      'POST /things body.about (Link).href: the field is removed',
    ],
    ['credentials', (d) => d.security.pop(), 'GET /things: credentials apiKey are not accepted any more'],
    [
      'a security scheme',
      (d) => delete d.components.securitySchemes.bearer,
      'security scheme bearer: is changed or removed',
    ],
    ['a field of an answer', (d) => delete thing(d).properties.note, 'GET /things 200.note: the field is removed'],
    [
      'a field of a webhook',
      (d) => delete thing(d).properties.note,
      'POST webhook ended body.note: the field is removed',
    ],
    ['a webhook', (d) => delete d.webhooks.ended, 'webhook ended: the path is removed'],
    [
      'a field that may be absent',
      (d) => (thing(d).required = []),
      'GET /things 200.id: the field is not always there any more',
    ],
    [
      'a value of an answer',
      (d) => thing(d).properties.state.enum.pop(),
      'GET /things 200.state: the value "done" is removed',
    ],
    [
      'values that are open now',
      (d) => (thing(d).properties.state = { type: 'string' }),
      'GET /things 200.state: the values "open", "done" are not promised any more',
    ],
    [
      'a type of an answer',
      (d) => (thing(d).properties.id = { type: 'integer', format: 'uuid' }),
      'GET /things 200.id: the type was string and is integer',
    ],
    [
      'an answer that may be null',
      (d) => (thing(d).properties.id.type = ['string', 'null']),
      'GET /things 200.id: the type was string and is null or string',
    ],
    [
      'a format',
      (d) => (thing(d).properties.id.format = 'date-time'),
      'GET /things 200.id: the format was uuid and is date-time',
    ],
    [
      'a type inside a list',
      (d) => (thing(d).properties.parts.items = { type: 'string' }),
      'GET /things 200.parts[]: the type was object and is string',
    ],
  ])('%s', (_, change, line) => {
    expect(breaksOf(change)).toContain(line);
  });
});

describe('an addition to an HTTP contract passes:', () => {
  it.each<[string, (document: Any) => void]>([
    ['nothing at all', () => undefined],
    ['a path', (d) => (d.paths['/new'] = { get: { responses: { 200: {} } } })],
    ['a method', (d) => (d.paths['/others'].get = { responses: { 200: {} } })],
    ['a status', (d) => (things(d).get.responses[503] = {})],
    ['a header', (d) => (things(d).get.responses[200].headers.Etag = { schema: { type: 'string' } })],
    ['a parameter', (d) => things(d).get.parameters.push({ name: 'x', in: 'query' })],
    ['a field of an answer', (d) => (thing(d).properties.more = { type: 'string' })],
    ['a value of an answer', (d) => thing(d).properties.state.enum.push('lost')],
    ['a field of an answer that is always there', (d) => thing(d).required.push('state')],
    ['a field of a body', (d) => (requestSchema(d).properties.more = { type: 'string' })],
    ['a field of a body that may be absent', (d) => (requestSchema(d).required = [])],
    ['a value of a body', (d) => requestSchema(d).properties.kind.enum.push('c')],
    ['a longer text', (d) => (requestSchema(d).properties.name.maxLength = 200)],
    ['a wider type', (d) => (requestSchema(d).properties.name.type = ['string', 'null'])],
    ['a variant', (d) => requestSchema(d).properties.about.oneOf.unshift({ properties: { type: { const: 'x' } } })],
    ['other words', (d) => (thing(d).properties.id.description = 'Its name.')],
    [
      'a schema that is written out',
      (d) => (things(d).get.responses[200].content['application/json'].schema = thing(d)),
    ],
    [
      'a schema under another name, in parts',
      (d) => {
        const { properties, required } = requestSchema(d);
        d.components.schemas.Base = { type: 'object', properties };
        d.components.schemas.NewThing = { allOf: [{ $ref: '#/components/schemas/Base' }, { required }] };
      },
    ],
    ['other credentials', (d) => d.security.push({})],
  ])('%s', (_, change) => {
    expect(breaksOf(change)).toEqual([]);
  });
});

const socket = () => ({
  asyncapi: '3.0.0',
  channels: { tasks: { address: '/ws' } },
  operations: {
    say: { action: 'receive', messages: [{ $ref: '#/components/messages/Ask' }] },
    tell: { action: 'send', messages: [{ $ref: '#/components/messages/News' }] },
  },
  components: {
    messages: {
      Ask: { payload: { type: 'object', properties: { since: { type: 'string' } } } },
      News: { payload: { type: 'object', properties: { seq: { type: 'integer' } }, required: ['seq'] } },
    },
  },
});

describe('a break of a socket contract is named:', () => {
  it.each<[string, (document: Any) => void, string[]]>([
    ['a channel', (d) => delete d.channels.tasks, ['channel tasks: is removed']],
    ['an address', (d) => (d.channels.tasks.address = '/x'), ['channel tasks: the address is /x now']],
    ['an operation', (d) => delete d.operations.say, ['operation say: is changed or removed']],
    ['a message', (d) => d.operations.tell.messages.pop(), ['tell News: the message is removed']],
    [
      'a field',
      (d) => delete d.components.messages.News.payload.properties.seq,
      ['tell News.seq: the field is removed'],
    ],
    [
      'a field that is required now',
      (d) => (d.components.messages.Ask.payload.required = ['since']),
      ['say Ask.since: the field is required now'],
    ],
    ['nothing, where a field is added', (d) => (d.components.messages.News.payload.properties.more = {}), []],
  ])('%s', (_, change, lines) => {
    const after: Any = socket();
    change(after);
    expect(contractBreaks(socket(), after)).toEqual(lines);
  });
});
