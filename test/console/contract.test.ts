import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { NEW_TASK, NOTIFICATION, PROCESSING, RESEARCH } from '../../console/contract/bodies.ts';
import { faultsIn, fieldAt, type JsonSchema } from '../../console/contract/validate.ts';
import { AGENT_FORMS, fieldsOf, promptForm } from '../../console/form/agent-forms.ts';
import { localEndpointFault } from '../../engines/outbound/ssrf-policy.ts';
import { submission } from '../../functions/agents/add-task.ts';

const SOURCES = ['financial_reports', 'market_data', 'news_feeds'];
const server = submission((address) => localEndpointFault(address, []), SOURCES);
const research = (input: object, more: object = {}) => ({
  task_type: 'research_agent',
  input: { query: 'x', ...input },
  ...more,
});
const faultNames = (schema: JsonSchema, body: unknown) =>
  faultsIn(schema, body).map(({ path, reason }) => `${path} ${reason}`);

/** Boundary values of every rule and type. */
const value = fc.oneof(
  fc.constantFrom(
    null,
    undefined,
    '',
    ' ',
    'x',
    'html',
    'weekly',
    'monday',
    '07:00:00',
    '25:00:00',
    0,
    1,
    10,
    11,
    240,
    241,
    1.5,
    true,
  ),
  fc.constantFrom(
    'https://acme.org/a',
    'ftp://acme.org',
    'ann@acme.org',
    'x'.repeat(151),
    'x'.repeat(201),
    'x'.repeat(5_001),
    'x'.repeat(10_001),
  ),
  fc.array(fc.constantFrom('x', '', 'market_data', 'ann@acme.org', 7), { maxLength: 3 }),
  fc.constantFrom(Array(50).fill('x'), Array(51).fill('x'), {}, { a: 'b' }, { a: 1 }),
  fc.array(fc.record({ url: fc.constantFrom('https://acme.org/a', 'no', 5), type: fc.constantFrom('csv', null, '') }), {
    maxLength: 3,
  }),
);

function bodies(type: string, paths: string[]) {
  return fc.tuple(...paths.map(() => value)).map((values) => {
    const body: Record<string, unknown> = { task_type: type, input: {} };
    for (const [index, path] of paths.entries()) {
      const names = path.split('.');
      let place = body;
      for (const name of names.slice(0, -1)) {
        place[name] ??= {};
        place = place[name] as Record<string, unknown>;
      }
      if (values[index] !== undefined) place[names.at(-1) ?? ''] = values[index];
    }
    return body;
  });
}

describe("the console's copy of the contract", () => {
  it('has every field of every form', () => {
    for (const { schema, groups } of AGENT_FORMS) {
      for (const { path, formOnly } of fieldsOf({ groups }))
        if (!formOnly) expect(() => fieldAt(schema, path), path).not.toThrow();
    }
    for (const { path } of fieldsOf(promptForm({ models: [] })))
      expect(() => fieldAt(NEW_TASK, path), path).not.toThrow();
    expect(() => fieldAt(RESEARCH, 'input.colour')).toThrow('no field');
  });

  it('has the required fields, and the values of closed lists', () => {
    expect(fieldAt(RESEARCH, 'input.query')).toMatchObject({ isRequired: true, words: undefined });
    expect(fieldAt(RESEARCH, 'input.output_format')).toMatchObject({
      isRequired: false,
      words: ['json', 'markdown', 'html', 'pdf'],
    });
    // The schedule that contains it is optional.
    expect(fieldAt(NOTIFICATION, 'input.schedule.frequency').isRequired).toBe(false);
  });

  it('reports every fault at once, by its path', () => {
    expect(
      faultNames(RESEARCH, {
        task_type: 'research_agent',
        priority: 11,
        input: { length: 'endless', output_format: 'docx' },
        timeout_minutes: 1.5,
      }),
    ).toEqual([
      'priority must be a whole number from 1 to 10',
      'input.query is required',
      'input.length must be one of short, standard, long',
      'timeout_minutes must be a whole number from 1 to 240',
    ]);
    // Only the service checks that a document has either a url or a file_id.
    expect(
      faultNames(PROCESSING, { task_type: 'processing_agent', input: { documents: [{ url: 'no' }, {}] } }),
    ).toEqual(['input.documents.0.url must be an absolute URL, such as https://files.acme.org/a.pdf']);
    expect(faultNames(PROCESSING, { task_type: 'processing_agent', input: { documents: [] } })).toEqual([
      'input.documents must have at least 1 entry',
    ]);
    expect(
      faultNames(RESEARCH, research({}, { metadata: { [`${'k'.repeat(65)}`]: 'x', b: 'x'.repeat(513) } })),
    ).toEqual(['metadata must have at most 64 characters', 'metadata.b must have at most 512 characters']);
  });

  it('accepts every body that the service accepts', () => {
    const wishes = AGENT_FORMS.map((form) => ({
      ...form,
      paths: fieldsOf(form).flatMap(({ path, formOnly }) => (formOnly ? [] : [path])),
    }));
    let accepted = 0;
    for (const { type, schema, paths } of wishes) {
      // Bodies with fewer fields are more often valid.
      const some = fc
        .subarray(paths, { maxLength: 3 })
        .chain((chosen) => bodies(type, [...new Set([...chosen, ...needed(type)])]));
      fc.assert(
        fc.property(some, (body) => {
          if (!v.safeParse(server, body).success) return;
          accepted++;
          expect(faultsIn(schema, body)).toEqual([]);
        }),
        { numRuns: 2_000 },
      );
    }
    expect(accepted).toBeGreaterThan(50);
  });
});

const needed = (type: string): string[] =>
  ({
    research_agent: ['input.query'],
    processing_agent: ['input.documents'],
    notification_agent: ['input.content.recipients'],
  })[type] ?? [];
