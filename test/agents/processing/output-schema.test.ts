/** The schemas that callers may give: what libraries write is accepted, and what is not supported is named by keyword and path. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { effectiveSchema, parseOutputSchema, SCHEMA_LIMITS } from '../../../shared/tasks/output-schema.ts';

const LIBRARIES = ['pydantic', 'zod', 'valibot'] as const;
const schemasOf = (library: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(import.meta.dirname, `schemas/${library}.json`), 'utf8'));

const models = LIBRARIES.flatMap((library) =>
  Object.entries(schemasOf(library)).map(([model, schema]) => ({ library, model, schema })),
);

const record = (properties: Record<string, unknown>, more: object = {}) => ({ type: 'object', properties, ...more });
const faultOf = (schema: unknown) => {
  const parsed = parseOutputSchema(schema);
  return 'fault' in parsed ? { at: parsed.fault.path.join('.'), message: parsed.fault.message } : undefined;
};
const parse = (schema: unknown) => {
  const parsed = parseOutputSchema(schema);
  if ('fault' in parsed) throw new Error(`${parsed.fault.path.join('.')}: ${parsed.fault.message}`);
  return parsed.schema;
};

it('reads thirty models', () => expect(models).toHaveLength(30));

it.each(models)('accepts the $model that $library writes', ({ schema }) => {
  const parsed = parse(schema);
  expect(parsed.properties.length).toBeGreaterThan(1);
  // The answer's schema is in the subset, too.
  expect(faultOf(effectiveSchema(parsed))).toBeUndefined();
});

it('reads a decimal of pydantic as a number, and a pattern beside a format as the format alone', () => {
  const { properties } = parse((schemasOf('pydantic') as { invoice: unknown }).invoice);
  expect(properties.find(({ name }) => name === 'subtotal')?.node).toEqual({ kind: 'number', title: 'Subtotal' });
  // As pydantic writes it with `max_digits=12, decimal_places=2`, and for what it sends.
  const digits = '(?:\\d{0,10}|(?=[\\d.]{1,13}0*$)\\d{0,10}\\.\\d{0,2}0*$)';
  const limited = { type: 'string', pattern: `^(?!^[-+.]*$)[+-]?0*${digits}` };
  const both = parse(record({ a: { anyOf: [{ type: 'number', minimum: 0 }, limited] }, b: limited }));
  expect(both.properties.map(({ node }) => node)).toEqual([
    { kind: 'number', minimum: 0 },
    { kind: 'string', pattern: '^[+-]?\\d*\\.?\\d*$' },
  ]);
  const receipt = parse((schemasOf('zod') as { receipt: unknown }).receipt);
  expect(receipt.properties[1]?.node).toEqual({ kind: 'string', format: 'date' });
});

const nested = (levels: number): unknown => (levels === 0 ? { type: 'string' } : record({ inner: nested(levels - 1) }));

it.each([
  ['no object', [], '', /must be a JSON Schema/],
  ['an array at the root', { type: 'array', items: { type: 'string' } }, 'type', /"object"/],
  ['no field', record({}), 'properties', /at least one/],
  ['oneOf', record({ a: { oneOf: [] } }), 'properties.a.oneOf', /not a supported keyword/],
  ['no type', record({ a: {} }), 'properties.a.type', /without a type/],
  [
    'a keyword that is not known',
    record({ a: { type: 'string', contentEncoding: 'base64' } }),
    'properties.a.contentEncoding',
    /not a supported keyword/,
  ],
  [
    'multipleOf',
    record({ a: { type: 'number', multipleOf: 5 } }),
    'properties.a.multipleOf',
    /not a supported keyword/,
  ],
  ['another format', record({ a: { type: 'string', format: 'uuid' } }), 'properties.a.format', /date, date-time/],
  ['open properties', record({}, { additionalProperties: {} }), 'additionalProperties', /false only/],
  [
    'alternatives',
    record({ a: { anyOf: [{ type: 'string' }, { type: 'number' }] } }),
    'properties.a.anyOf',
    /null only/,
  ],
  ['two types', record({ a: { type: ['string', 'number'] } }), 'properties.a.type', /must be one of/],
  ['an unknown required name', record({ a: { type: 'string' } }, { required: ['b'] }), 'required', /not in properties/],
  ['a foreign reference', record({ a: { $ref: 'https://acme.org/s.json' } }), 'properties.a.$ref', /\$defs/],
  ['a reference to the prototype', record({ a: { $ref: '#/$defs/toString' } }), 'properties.a.$ref', /\$defs/],
  [
    'recursion',
    { ...record({ a: { $ref: '#/$defs/A' } }), $defs: { A: record({ b: { $ref: '#/$defs/A' } }) } },
    '$defs.A.properties.b.$ref',
    /recursive/,
  ],
  [
    'a sixth level',
    nested(6),
    'properties.inner.properties.inner.properties.inner.properties.inner.properties.inner',
    /at most 5/,
  ],
  [
    'an array of arrays',
    record({ a: { type: 'array', items: { type: 'array', items: { type: 'string' } } } }),
    'properties.a.items',
    /array of objects/,
  ],
  [
    '201 fields',
    record(Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`f${at}`, { type: 'string' }]))),
    'properties.f200',
    /at most 200/,
  ],
  [
    '501 values',
    record({ a: { enum: Array.from({ length: 501 }, (_, at) => `v${at}`) } }),
    'properties.a.enum',
    /500 values/,
  ],
  ['33 KB', record({ a: { type: 'string', description: 'x'.repeat(SCHEMA_LIMITS.bytes) } }), '', /32768 bytes/],
  ['a name with a point', record({ 'a.b': { type: 'string' } }), 'properties.a.b', /without points/],
  ['mixed values', record({ a: { type: 'string', enum: ['x', 1] } }), 'properties.a.enum', /of type string/],
])('refuses %s by path and keyword', (_, schema, at, message) => {
  expect(faultOf(schema)).toEqual({ at, message: expect.stringMatching(message) });
});

it('takes an array of objects at the root only where a list of records may be asked for', () => {
  const list = { type: 'array', items: record({ a: { type: 'string' } }), maxItems: 3 };
  const parsed = parseOutputSchema(list, { listOf: 'file' });
  expect(parsed).toMatchObject({ schema: { kind: 'object' }, list: { kind: 'array', maxItems: 3 } });
  for (const [schema, at] of [
    [{ type: 'array', items: { type: 'string' } }, 'items.type'],
    [{ type: 'array', items: record({}) }, 'items.properties'],
    [{ type: 'string' }, 'type'],
  ] as const) {
    const refused = parseOutputSchema(schema, { listOf: 'file' });
    expect('fault' in refused && refused.fault.path.join('.')).toBe(at);
  }
});

it('stops at definitions that grow when they are followed', () => {
  const $defs = Object.fromEntries(
    ['A', 'B', 'C'].map((name, at, all) => [
      name,
      record(
        Object.fromEntries(
          Array.from({ length: 50 }, (_, nth) => [
            `p${nth}`,
            all[at + 1] ? { $ref: `#/$defs/${all[at + 1]}` } : record({}),
          ]),
        ),
      ),
    ]),
  );
  expect(faultOf({ ...record({ a: { $ref: '#/$defs/A' } }), $defs })?.message).toMatch(/too large/);
});

it.each([
  ['(a+)+', /repeat a group/],
  ['(a*)*b', /repeat a group/],
  ['((a)+)+$', /repeat a group/],
  ['((ab)*c)*$', /repeat a group/],
  ['((a|b)+c?){2,}', /repeat a group/],
  ['(?:x{1,9}y){3}', /repeat a group/],
  ['(a)\\1', /back-references/],
  ['(?<n>a)\\k<n>', /back-references/],
  ['(?=a)a', /look-ahead/],
  ['(?<!a)b', /look-ahead or look-behind/],
  ['a{1,5000}', /1000 times/],
  ['[z-a]', /regular expression/],
  ['a'.repeat(201), /200 characters/],
])('refuses the pattern %s', (pattern, message) => {
  expect(faultOf(record({ a: { type: 'string', pattern } }))).toEqual({
    at: 'properties.a.pattern',
    message: expect.stringMatching(message),
  });
});

it.each(['^\\d{4}-\\d{2}$', '^(?:[A-Z]{2}\\d{3}){2}$', '[(+)*]{1,3}', '^(?:\\d+\\.)?\\d+$', '\\(a+\\)+'])(
  'accepts the pattern %s',
  (pattern) => expect(faultOf(record({ a: { type: 'string', pattern } }))).toBeUndefined(),
);

it('answers with every leaf also null, arrays also empty, and required as given', () => {
  const schema = parse({
    type: 'object',
    required: ['kind'],
    additionalProperties: false,
    properties: {
      kind: { enum: ['a', 'b'], description: 'Which' },
      lines: { type: 'array', minItems: 1, maxItems: 9, items: record({ amount: { type: 'number', minimum: 0 } }) },
    },
  });
  expect(effectiveSchema(schema)).toEqual({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['kind'],
    additionalProperties: false,
    properties: {
      kind: { type: ['string', 'null'], description: 'Which', enum: ['a', 'b', null] },
      lines: {
        type: 'array',
        maxItems: 9,
        items: { type: 'object', properties: { amount: { type: ['number', 'null'], minimum: 0 } } },
      },
    },
  });
});

it('keeps a property called __proto__ as a property', () => {
  const schema = parse(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'));
  expect(Object.keys(effectiveSchema(schema).properties as object)).toEqual(['__proto__']);
});
