/** Values that a model gave, and whose evidence or second look is lacking. */

import { unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { finishRecord } from '../../../agents/records/finish-record.ts';
import { mergedFindings } from '../../../agents/records/merge-findings.ts';
import type { RecordFindings } from '../../../agents/records/record-findings.ts';
import { pathOf, recordPlan } from '../../../agents/records/record-plan.ts';
import type { FieldResult, FieldStatus } from '../../../shared/agents/results/records.ts';
import { type AcceptedStatus, parseOutputSchema } from '../../../shared/tasks/output-schema.ts';
import { scriptedModel } from '../scripted-model.ts';
import { openAgent } from '../setup.ts';

const SCHEMA = { type: 'object', properties: { total: { type: 'number' } } };

function planWith(accept?: readonly AcceptedStatus[]) {
  const parsed = parseOutputSchema(SCHEMA);
  if ('fault' in parsed) throw new Error(parsed.fault.message);
  return recordPlan(parsed.schema, accept);
}

const REASON = 'The second look gave no answer.';

const stated = (value: number, status: FieldStatus, document: number): Omit<FieldResult, 'path'> => ({
  value,
  status,
  basis: [{ document, place: 'page 1', quote: `Total ${value}` }],
  reason: status === 'unverified' ? REASON : 'right of "Total"',
  candidates: [],
});

const findingsOf = (plan: ReturnType<typeof planWith>, result: Omit<FieldResult, 'path'>): RecordFindings => ({
  single: plan.fields.map((field) => ({ field, result: { path: pathOf(field.names), ...structuredClone(result) } })),
  lists: [],
});

async function totalOf(results: readonly Omit<FieldResult, 'path'>[], accept?: readonly AcceptedStatus[]) {
  const plan = planWith(accept);
  const merged = mergedFindings(
    plan,
    results.map((result) => findingsOf(plan, result)),
  );
  const { data, missing, complete, fields } = await finishRecord({ plan, testPatterns: async () => [] }, merged);
  return { value: data.total, missing, complete, field: fields[0] };
}

it('are null unless they are accepted, and stay named with value, evidence and reason', async () => {
  expect(await totalOf([stated(5, 'unverified', 1)])).toEqual({
    value: null,
    missing: ['total'],
    complete: false,
    field: {
      path: 'total',
      status: 'unverified',
      value: null,
      basis: [],
      reason: REASON,
      candidates: [{ value: 5, basis: { document: 1, place: 'page 1', quote: 'Total 5' }, reason: REASON }],
    },
  });
});

it('are delivered as unverified to who accepts them', async () => {
  const { value, complete, field } = await totalOf([stated(5, 'unverified', 1)], ['proven', 'unverified']);
  expect([value, complete, field?.status]).toEqual([5, true, 'unverified']);
});

it('do not take the grade of a surer value that is not accepted', async () => {
  const { field } = await totalOf([stated(5, 'judged', 1)], ['proven']);
  expect(field).toMatchObject({ status: 'missing', value: null, candidates: [{ value: 5 }] });
});

it.each(['proven', 'computed', 'judged'] as const)(
  'make no conflict with a %s value of another document',
  async (by) => {
    const { value, field } = await totalOf([stated(6, 'unverified', 1), stated(5, by, 2)]);
    expect([value, field?.status]).toEqual([5, by]);
    expect(field?.candidates).toMatchObject([{ value: 6, reason: REASON, basis: { document: 1 } }]);
  },
);

it('go with the record of a task into its answer, its archive and its tables', async () => {
  // The model does not give what a label states, and no second look says anything usable.
  const fields = [{ path: 'captain', value: 'Ann Lee', document: 1, quote: 'Captain Ann Lee commands her.' }];
  const script = scriptedModel(...Array.from({ length: 6 }, () => ({ text: JSON.stringify({ fields }) })));
  const at = openAgent(script.model);
  const fileIds = [await at.storeText('a.txt', 'Deposit: 40.00\nThe ship lies in Hull.')];
  const outputSchema = { type: 'object', properties: { deposit: { type: 'number' }, captain: { type: 'string' } } };
  const { record, archive, text } = await at.run({ fileIds, outputSchema });
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await at.blobs.read(archive?.bytesAt ?? '')) ?? []) chunks.push(chunk);
  await at.close();
  const files = unzipSync(Buffer.concat(chunks));
  const textOf = (name: string) => Buffer.from(files[name] ?? []).toString('utf8');
  const reason = expect.stringMatching(/./);
  const nothing = { value: null, basis: [], reason };
  const stated = { value: 40, basis: { document: 1, place: 'lines 1-2', quote: 'Deposit: 40.00' }, reason };
  const refused = { value: 'Ann Lee', basis: { document: 1, quote: '' }, reason };
  const known = [
    { ...nothing, path: 'deposit', status: 'unverified', candidates: [stated] },
    { ...nothing, path: 'captain', status: 'missing', candidates: [refused] },
  ];
  expect(record).toMatchObject({ missing: ['deposit', 'captain'], fields: known });
  expect(JSON.parse(textOf('data.json'))).toMatchObject({ fields: known });
  expect(textOf('records.csv')).toContain('1,a.txt,,,missing,"deposit (unverified), captain (missing)"');
  expect(text).toMatch(/\| deposit \| +\| unverified \|/);
});
