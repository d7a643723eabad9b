/** The processing agent: what it makes of documents, good and bad, and what is left when it does not come to its end. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isProcessed } from '../../../agents/processing/state.ts';
import { fieldBytes, openProcessing, sampleBytes } from './setup.ts';

let at: ReturnType<typeof openProcessing>;
beforeEach(() => {
  at = openProcessing();
});
afterEach(() => at.close());

const valuesOf = ({ documents }: { documents: unknown[] }, rule: string): string[] =>
  (documents as { values?: { rule: string; value: string }[] }[]).flatMap(({ values = [] }) =>
    values.filter((one) => one.rule === rule).map(({ value }) => value),
  );

it('finds the values of each document, where they stand, and brings them together', async () => {
  const invoice = at.serve('invoice.pdf', sampleBytes('invoice.reportlab.pdf'));
  const factuur = at.serve('factuur.docx', fieldBytes('factuur-van-dijk.pandoc.docx'));
  const { report, results } = await at.run({
    documents: [invoice, { ...factuur, type: 'invoice' }],
    processing_type: 'invoices',
    extraction_rules: ['IBANs', 'extract all dates', 'invoice_numbers', 'dates'],
  });
  expect(results.processing_type).toBe('invoices');
  expect(results.rules).toEqual([
    { rule: 'ibans', kind: 'named', found: 2 },
    { rule: 'dates', kind: 'named', found: expect.any(Number) },
    { rule: 'invoice_numbers', kind: 'named', found: expect.any(Number) },
  ]);
  expect(results.documents[1]).toMatchObject({
    document: 2,
    name: 'factuur.docx',
    type: 'invoice',
    status: 'processed',
    kind: 'docx',
    size_bytes: fieldBytes('factuur-van-dijk.pandoc.docx').length,
    values: expect.arrayContaining([
      {
        rule: 'ibans',
        value: 'NL91ABNA0417164300',
        text: 'NL91 ABNA 0417 1643 00',
        valid: true,
        place: 'section Factuur',
        excerpt: 'Overmaken op NL91 ABNA 0417 1643 00 ten name van Bakkerij Van Dijk B.V.',
      },
    ]),
  });
  expect(results.merged).toContainEqual({ rule: 'dates', value: '2026-03-18', occurrences: 1, documents: [2] });
  expect(report).toMatchObject({ sources: 2, queries: 0, stages: ['reading', 'writing'] });
  expect(report.preview).toMatchObject({ documents: 2, processed: 2, failed: 0 });
});

it('applies all named rules when none is wished, and asks no model', async () => {
  const { results, usage, report } = await at.run({ documents: [at.serve('a.txt', 'Due on 3 March 2026: €12.')] });
  expect(results.rules).toHaveLength(18);
  expect(usage).toBeUndefined();
  expect(report.queries).toBe(0);
});

it('names the documents that cannot be used, each with its reason, and goes on with the others', async () => {
  const locked = at.serve('locked.pdf', Buffer.from('%PDF-1.7\n not really'));
  const { results, report } = await at.run({
    documents: [
      at.serve('gone.pdf', 'failed'),
      at.serve('inside.pdf', 'refused'),
      locked,
      at.serve('empty.txt', ''),
      at.serve('cut.txt', async function* () {
        yield Buffer.from('begins');
        throw new Error('cut');
      }),
      at.serve('good.txt', 'Call us: telephone 0117 555 0122.'),
    ],
    extraction_rules: ['phone numbers'],
  });
  expect(results.documents.map((one) => [one.status, 'reason' in one ? one.reason : undefined])).toEqual([
    ['failed', 'unreachable'],
    ['failed', 'refused'],
    ['failed', 'corrupt'],
    ['failed', 'empty'],
    ['failed', 'unreachable'],
    ['processed', undefined],
  ]);
  expect(valuesOf(results, 'phone_numbers')).toEqual(['01175550122']);
  expect(report.sources).toBe(1);
  expect(report.confidence).toMatchObject({ analysisCompleteness: 0.17, sourceReliability: 0.17 });
});

it('fails clearly when no document can be used, with what is known of each', async () => {
  const asks = { documents: [at.serve('a.pdf', 'refused'), at.serve('b.pdf', 'failed')], extraction_rules: ['dates'] };
  await expect(at.run(asks)).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    mayPass: false,
    message:
      'None of the 2 documents could be used: document 1 has a URL that is not allowed; document 2 could not be fetched.',
  });
  const { results } = await at.run(asks, { most: 2 });
  expect(results.documents.map(({ status }) => status)).toEqual(['failed', 'failed']);
});

it('leaves after each batch what it has come to, and takes it up again', async () => {
  const documents = ['1', '2', '3'].map((day) => at.serve(`${day}.txt`, `Signed on ${day} March 2026.`));
  const asks = { documents, extraction_rules: ['dates'] };
  const { results, report } = await at.run(asks, { most: 2 });
  expect(results.documents.map(({ status }) => status)).toEqual(['processed', 'processed', 'pending']);
  expect(valuesOf(results, 'dates')).toEqual(['2026-03-01', '2026-03-02']);
  expect(report).toMatchObject({ sources: 2, stages: [], preview: { documents: 3, processed: 2, values: 2 } });
  expect(report.confidence?.analysisCompleteness).toBe(0.67);
  expect(at.asked).toHaveLength(2);
});

it('reads in at most ten batches, and has a step for each document that it reads and asks about', () => {
  const documents = Array.from({ length: 23 }, (_, nth) => at.serve(`${nth}.txt`, 'text'));
  const asks = { documents, extraction_rules: ['dates', 'Who signed?'] };
  expect(at.stagesOf(asks).map(({ name }) => name)).toEqual([
    ...Array.from({ length: 23 }, () => 'reading'),
    ...Array.from({ length: 23 }, () => 'asking'),
    'writing',
  ]);
});

it('breaks off at once when the task is another’s', async () => {
  const lost = new AbortController();
  const slow = at.serve('slow.txt', async function* () {
    lost.abort('lost');
    yield Buffer.from('text');
  });
  await expect(at.run({ documents: [slow] }, { signal: lost.signal })).rejects.toBe('lost');
});

it('shows as much of long results as an answer takes, and keeps all of them in a file', async () => {
  const lines = Array.from({ length: 3_000 }, (_, nth) => `Item ${nth}: €${nth}.50 paid`);
  const documents = [at.serve('long.txt', lines.join('\n'))];
  const asks = { documents, extraction_rules: ['amounts'], output_format: 'csv' as const };
  const half = await at.run(asks, { most: 1 });
  expect(half.results.truncated).toBe(true);
  expect(half.report.files).toMatchObject([{ name: 'partial-results.json', contentType: 'application/json' }]);
  const { results, report } = await at.run(asks);
  expect(results.truncated).toBe(true);
  expect(JSON.stringify(results).length).toBeLessThan(100_000);
  expect(report.files).toMatchObject([{ name: 'results.csv' }, { name: 'results.json' }]);
  expect((await at.fileOf(report)).toString().split('\r\n')).toHaveLength(3_002);
  const all = JSON.parse((await at.fileOf(report, 1)).toString());
  expect(all.documents[0].values).toHaveLength(3_000);
  expect(report.preview).toMatchObject({ values: 3_000 });
});

it('says how many values it left out of a document that has more than it shows', async () => {
  const text = Array.from({ length: 12_000 }, (_, nth) => `€${nth}.25`).join('\n');
  const { report } = await at.run({ documents: [at.serve('more.txt', text)], extraction_rules: ['amounts'] });
  const all = JSON.parse((await at.fileOf(report)).toString());
  expect(all.documents[0]).toMatchObject({ values_left_out: 2_000 });
  expect(report.confidence?.analysisCompleteness).toBe(0.83);
});

it('takes the type that the caller gave for the ending of a name that has none', async () => {
  const { results } = await at.run({ documents: [{ ...at.serve('export', 'a;b\n1;2\n'), type: 'csv' }] });
  const [document] = results.documents;
  expect(document).toMatchObject({ name: 'export.csv', kind: 'csv' });
  expect(document && isProcessed(document as never)).toBe(true);
});

it('gives a long sheet as one table, with typed values beside the shown texts', async () => {
  const rows = Array.from({ length: 70 }, (_, nth) => `M${nth};2026-01-09;1.250,50`);
  const sheet = ['Machines in hall 3', '', 'Machine;Bought;Price', ...rows].join('\n');
  const { results } = await at.run({ documents: [at.serve('machines.csv', sheet)], extraction_rules: ['tables'] });
  const [document] = results.documents;
  expect(document && 'values' in document ? document.values : []).toMatchObject([
    {
      value: 'Machine | Bought | Price',
      place: 'A3:C73',
      row_count: 70,
      rows: [['M0', '2026-01-09', '1.250,50'], ...Array(69).fill({})],
      values: [['M0', '2026-01-09', 1250.5], ...Array(69).fill({})],
      columns: [
        { name: 'Machine', type: 'text', currency: null, unit: null },
        { name: 'Bought', type: 'date' },
        { name: 'Price', type: 'number' },
      ],
    },
  ]);
});

it('keeps no more of a document than its share of what a task may hold', async () => {
  const rows = Array.from({ length: 60 }, (_, nth) => `${nth};${'x'.repeat(2_000)}`);
  const sheet = ['Number;Text', ...rows].join('\n');
  const documents = Array.from({ length: 50 }, (_, nth) =>
    at.serve(`${nth}.csv`, nth === 0 ? sheet.repeat(8) : 'a;b\n1;2\n'),
  );
  const { results } = await at.run({ documents, extraction_rules: ['tables'] }, { most: 5 });
  const [first] = results.documents;
  expect(first && 'values_left_out' in first ? first.values_left_out : 0).toBeGreaterThan(0);
  expect(JSON.stringify(first).length).toBeLessThan(600_000);
});

it('leaves places to other tasks while the sources of one are slow', async () => {
  const open = Promise.withResolvers<void>();
  const slow = async function* () {
    await open.promise;
    yield Buffer.from('text');
  };
  const documents = Array.from({ length: 50 }, (_, nth) => at.serve(`slow-${nth}.txt`, slow));
  const stuck = at.run({ documents, extraction_rules: ['dates'] }, { most: 5 });
  const quick = await at.run({ documents: [at.serve('quick.txt', '3 March 2026')], extraction_rules: ['dates'] });
  expect(valuesOf(quick.results, 'dates')).toEqual(['2026-03-03']);
  expect(at.asked.filter((url) => url.includes('slow'))).toHaveLength(2);
  open.resolve();
  await stuck;
});

it('warns of documents that are of another type than was said, and of types that are not known', async () => {
  const invoice = at.serve('invoice.pdf', sampleBytes('invoice.reportlab.pdf'));
  const { report, results } = await at.run({
    documents: [
      { ...invoice, type: 'docx' },
      { ...invoice, type: 'PDF' },
      { ...invoice, type: 'invoice\r\n' },
      invoice,
      { ...at.serve('notes.txt', 'Due on 3 March 2026.'), type: 'md' },
      { ...at.serve('export', 'a,b\n1,2\n'), type: 'csv' },
    ],
  });
  expect(results.documents.map((document) => 'kind' in document && document.kind)).toEqual([
    'pdf',
    'pdf',
    'pdf',
    'pdf',
    'text',
    'csv',
  ]);
  expect(report.warnings).toEqual([
    'input.documents.0.type is docx, but the document is pdf and was read as pdf.',
    'input.documents.2.type is not a known type: invoice??. The document was read as pdf.',
  ]);
});
