/** Schemas as they are sent to providers that hold an answer to them. */
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { modelSchema } from '../../../engines/models/model-schema.ts';
import { strictSchema } from '../../../engines/models/strict-schema.ts';
import { strictFaults } from './strict-faults.ts';

const SCHEMA = v.object({
  findings: v.array(
    v.object({
      text: v.string(),
      unit: v.nullish(v.string(), ''),
      computed: v.nullish(v.array(v.string())),
      part: v.optional(v.number()),
    }),
  ),
});
const sent = async () => strictSchema(await modelSchema(SCHEMA).jsonSchema);

it('the checker finds what a schema has outside of the strict subset', async () => {
  const faults = strictFaults(await modelSchema(SCHEMA).jsonSchema);
  expect(faults).toContain('$.findings[].part: is not required');
  expect(faults.some((fault) => fault.endsWith('has default'))).toBe(true);
  expect(strictFaults({ type: 'object', properties: {} })).toEqual(['$: allows other properties']);
});

it('every key is required, what may be absent is null, and nothing else may stand there', async () => {
  const schema = await sent();
  expect(strictFaults(schema)).toEqual([]);
  expect(schema.properties?.findings).toMatchObject({
    items: {
      required: ['text', 'unit', 'computed', 'part'],
      additionalProperties: false,
      properties: { text: { type: 'string' }, part: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
    },
  });
});

it('null counts as absent where the answer is read', () => {
  const read = v.parse(SCHEMA, { findings: [{ text: 'a', unit: null, computed: null }] });
  expect(read.findings).toEqual([{ text: 'a', unit: '', computed: null }]);
});
