/** Texts that take longer than their budget of CPU time to be searched: no task fails, and what is missing is said. */
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { ruleApplier } from '../../../agents/apply-rule.ts';
import type { TextRules } from '../../../agents/text-rules.ts';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import { PASSAGES_ONLY } from '../../../engines/models/keyless.ts';
import { openAgent } from '../setup.ts';
import { openProcessing } from './setup.ts';

const threads = { rulesFile: join(import.meta.dirname, 'endless-rules.ts'), limits: { cpuMs: 1_000 } };
const SCHEMA = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };
const SLOW = 'The text took too long to be searched.';

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

function open<At extends { close(): Promise<void> }>(at: At): At {
  close = at.close;
  return at;
}

it('processes a document whose text takes too long without values, and warns of it', async () => {
  const at = open(openProcessing(undefined, { threads }));
  const { results, report } = await at.run({ documents: [at.serve('slow.txt', 'Total: 5')] });
  expect(results.documents).toMatchObject([{ status: 'processed', values: [], values_left_out: 0 }]);
  expect(report.warnings).toEqual([
    'Document 1 (slow.txt) took too long to be searched: it has no values from rules here.',
  ]);
  expect(report.confidence?.analysisCompleteness).toBe(0);
});

it('gives the record of such a document without values, and says why of each field', async () => {
  const at = open(openProcessing(undefined, { threads }));
  const { results, report } = await at.run({
    documents: [at.serve('slow.txt', 'Total: 5')],
    output_schema: SCHEMA,
  });
  expect(results.records).toMatchObject([
    { data: { total: null }, complete: false, fields: [{ path: 'total', status: 'missing', reason: SLOW }] },
  ]);
  expect(report.warnings).toEqual([
    PASSAGES_ONLY,
    'Document 1 (slow.txt) took too long to be searched: it has no fields from rules here.',
  ]);
});

it('warns of a summarization that takes too long', async () => {
  const at = open(openProcessing(undefined, { threads }));
  const documents = [at.serve('slow.txt', 'Total: 5')];
  const { report } = await at.run({ documents, processing_type: 'summarization' });
  expect(report.warnings).toEqual([
    PASSAGES_ONLY,
    'Document 1 (slow.txt) took too long to be searched: it has no points from rules here.',
  ]);
});

it('ends a chat without a language model without a passage, and says why', async () => {
  const at = open(openAgent(undefined, { threads }));
  const { text } = await at.run({
    prompt: 'How high is the total?',
    fileIds: [await at.storeText('slow.txt', 'Total: 5')],
  });
  expect(text).toContain('The files took too long to be searched');
});

it('ends a chat with a schema with an empty record and a warning', async () => {
  const at = open(openAgent(undefined, { threads }));
  const fileIds = [await at.storeText('slow.txt', 'Total: 5')];
  const { record, warnings } = await at.run({ fileIds, outputSchema: SCHEMA });
  expect(record).toMatchObject({ data: { total: null }, complete: false, fields: [{ path: 'total', reason: SLOW }] });
  expect(warnings).toEqual([PASSAGES_ONLY, 'slow.txt took too long to be searched: the record has no values from it.']);
});

it('hands on a fault of a rule itself, which is no fault of the text', async () => {
  const documents = openDocuments(readerFilesFromCheckout());
  close = documents.close;
  const applyRule = ruleApplier(documents, { organization: 'one' });
  const broken = { parts: undefined } as unknown as Parameters<TextRules['locateQuotes']>[0];
  await expect(applyRule('locateQuotes', broken)).rejects.toThrow('The rule locateQuotes failed.');
});
