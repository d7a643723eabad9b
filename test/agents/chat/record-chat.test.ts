/** Chat tasks with a schema: one record of all files, with evidence, in the answer and in the archive. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { unzipSync } from 'fflate';
import { afterEach, describe, expect, it } from 'vitest';
import { putRuleset } from '../../../shared/knowledge/rulesets.ts';
import { TaskFailure } from '../../../shared/tasks/task-failure.ts';
import { pdfOf } from '../../engines/documents/file-builders.ts';
import { documentOf } from '../../evidence/records/documents.ts';
import { chanceOf, type Pair, pairOf } from '../../evidence/records/pairs.ts';
import { honest, liar, WAYS } from '../../evidence/records/proposals.ts';
import { type Answer, honestLook, openRuns, proposing, saying } from '../../evidence/records/run-pair.ts';
import { openProcessing } from '../processing/setup.ts';
import { agreesTo, isSecondLook, promptOf, verdictsOn } from '../scripted-look.ts';
import { scriptedModel } from '../scripted-model.ts';
import { openAgent } from '../setup.ts';

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

function open(...given: Parameters<typeof openAgent>) {
  const at = openAgent(...given);
  close = at.close;
  return at;
}

async function unzipFiles(at: ReturnType<typeof openAgent>, key = ''): Promise<Record<string, Buffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await at.blobs.read(key)) ?? []) chunks.push(chunk);
  return Object.fromEntries(
    Object.entries(unzipSync(Buffer.concat(chunks))).map(([name, bytes]) => [name, Buffer.from(bytes)]),
  );
}

const record = (properties: Record<string, unknown>) => ({ type: 'object', properties });
const NUMBER = { type: 'number' };
const TEXT = { type: 'string' };
const DATE = { type: 'string', format: 'date' };

const RECEIPT = 'NORTHGATE HARDWARE LTD\nReceipt\nDate: 05/03/2026\nTOTAL 13.80\nCASH 20.00\nCHANGE 6.20';
const LINES = 'Part,Pieces,Amount\nBolt,2,3.50\nNut,1,4.00\n';
const ITEMS = {
  type: 'array',
  items: record({ part: TEXT, pieces: { type: 'integer' }, amount: NUMBER }),
};

type Shown = {
  data: Record<string, unknown>;
  schema: unknown;
  complete: boolean;
  missing: string[];
  documents: unknown[];
  truncated?: true;
  fields: { path: string; status: string; value: unknown; basis: object[]; reason: string; candidates: object[] }[];
};
const recordView = ({ record: given }: { record?: Record<string, unknown> }) => {
  const one = given as Shown;
  return { ...one, field: (path: string) => one.fields.find((field) => field.path === path) };
};

describe('without a model', () => {
  it('gives one record of an invoice, a receipt and a table, each field with the file that it is from', async () => {
    const at = open();
    const fileIds = [
      await at.storeSample('invoice.reportlab.pdf'),
      await at.storeText('stay.txt', 'Guest: Ann Lee\nDeposit: 40.00\n'),
      await at.storeText('lines.csv', LINES),
    ];
    const outputSchema = record({ invoice_number: TEXT, total: NUMBER, deposit: NUMBER, berth: TEXT, lines: ITEMS });
    const result = await at.run({ prompt: 'Fill it.', fileIds, outputSchema });
    const { data, complete, missing, documents, field } = recordView(result);
    expect(data).toEqual({
      invoice_number: '2026-00318',
      total: 7288.8,
      deposit: 40,
      berth: null,
      lines: [
        { part: 'Bolt', pieces: 2, amount: 3.5 },
        { part: 'Nut', pieces: 1, amount: 4 },
      ],
    });
    expect([complete, missing]).toEqual([false, ['berth']]);
    expect(documents).toEqual([
      { document: 1, fileId: fileIds[0], name: 'invoice.reportlab.pdf' },
      { document: 2, fileId: fileIds[1], name: 'stay.txt' },
      { document: 3, fileId: fileIds[2], name: 'lines.csv' },
    ]);
    expect(field('deposit')).toMatchObject({
      status: 'proven',
      basis: [{ document: 2, place: 'lines 1-2', quote: 'Deposit: 40.00' }],
    });
    expect(field('total')).toMatchObject({ status: 'proven', basis: [{ document: 1, place: 'page 1' }] });
    expect(field('lines.1.part')?.basis[0]).toMatchObject({ document: 3, column: 'Part', page: 1 });
    expect(field('berth')).toMatchObject({ status: 'missing', reason: expect.stringContaining('label') });
    expect(result.text).toContain('Fields without a value: 1.');
    expect(result.text).toMatch(/\| deposit \| 40 \| proven \| stay\.txt, lines 1-2 \|/);
    expect(result.usage).toBeUndefined();
  });

  it('reads a receipt in a picture', async () => {
    const at = open();
    const fileIds = [await at.storeSample('receipt.pillow.png')];
    const result = await at.run({ fileIds, outputSchema: record({ total: NUMBER }) });
    expect(recordView(result).field('total')).toMatchObject({ status: 'proven' });
  });

  it('leaves a value open about which two files disagree, and names both; what agrees has both as its basis', async () => {
    const at = open();
    const fileIds = [
      await at.storeText('a.txt', 'Deposit: 40.00\nBerth: 12\n'),
      await at.storeText('b.txt', 'Deposit: 45.00\nBerth: 12\n'),
    ];
    const { data, missing, field } = recordView(
      await at.run({ fileIds, outputSchema: record({ deposit: NUMBER, berth: NUMBER }) }),
    );
    expect([data, missing]).toEqual([{ deposit: null, berth: 12 }, ['deposit']]);
    expect(field('deposit')).toMatchObject({
      status: 'conflict',
      candidates: [
        { value: 40, basis: { document: 1 } },
        { value: 45, basis: { document: 2 } },
      ],
    });
    expect(field('berth')?.basis).toMatchObject([{ document: 1 }, { document: 2 }]);
  });

  it('names in a conflict the values that contradict each other, and not the cells of a column beside them', async () => {
    const at = open();
    const table = '\n\n| Article | Amount |\n| --- | --- |\n| Rope | 4.00 |\n| Lamp | 6.00 |\n';
    const fileIds = [await at.storeText('a.md', `Total: 10.00${table}`), await at.storeText('b.txt', 'Total: 20.00\n')];
    const { field } = recordView(await at.run({ fileIds, outputSchema: record({ total: NUMBER }) }));
    expect(field('total')).toMatchObject({ status: 'conflict', value: null });
    expect(field('total')?.basis).toMatchObject([{ quote: 'Total: 10.00' }, { quote: 'Total: 20.00' }]);
    expect(field('total')?.candidates).toMatchObject([{ value: 10 }, { value: 20 }, { value: 4 }, { value: 6 }]);
  });

  it('writes the rows of several files one after the other, up to the most that the schema allows', async () => {
    const at = open();
    const more = LINES.replace('Bolt', 'Washer').replace('Nut', 'Pin');
    const fileIds = [await at.storeText('a.csv', LINES), await at.storeText('b.csv', more)];
    const lines = { ...ITEMS, maxItems: 3 };
    const { data, fields, complete } = recordView(await at.run({ fileIds, outputSchema: record({ lines }) }));
    const rows = data.lines as { part: string }[];
    expect(rows.map(({ part }) => part)).toEqual(['Bolt', 'Nut', 'Washer']);
    expect(fields.find(({ path }) => path === 'lines.2.part')).toMatchObject({
      value: 'Washer',
      basis: [{ document: 2 }],
    });
    expect(fields.at(-1)).toMatchObject({ path: 'lines', reason: 'The documents have more entries than are taken.' });
    expect(complete).toBe(true);
  });

  it('gives a list with a record of each file, arrays in them included, where the schema is an array', async () => {
    const at = open();
    const table = '| Part | Pieces | Amount |\n| --- | --- | --- |\n| Bolt | 2 | 3.50 |\n| Nut | 1 | 4.00 |';
    const one = `Order number: 1\nDeposit: 40.00\n\n${table}`;
    const fileIds = [await at.storeText('a.md', one), await at.storeText('b.txt', 'Order number: 2\nHeight: 4')];
    const outputSchema = { type: 'array', items: record({ order_number: TEXT, deposit: NUMBER, lines: ITEMS }) };
    const { archive, ...result } = await at.run({ prompt: 'Note them.', fileIds, outputSchema });
    const { data, schema, complete, missing, field } = recordView(result);
    expect(data).toEqual([
      {
        order_number: '1',
        deposit: 40,
        lines: [
          { part: 'Bolt', pieces: 2, amount: 3.5 },
          { part: 'Nut', pieces: 1, amount: 4 },
        ],
      },
      { order_number: '2', deposit: null, lines: [] },
    ]);
    expect(schema).toMatchObject({ type: 'array', items: { properties: { deposit: { type: ['number', 'null'] } } } });
    expect([complete, missing]).toEqual([false, ['1.deposit', '1.lines']]);
    expect(field('1.order_number')?.basis).toMatchObject([
      { document: 2, place: 'lines 1-2', quote: 'Order number: 2' },
    ]);
    expect(field('0.lines.1.amount')).toMatchObject({ status: 'proven', value: 4 });
    const { 'records.csv': csv } = await unzipFiles(at, archive?.bytesAt);
    expect(csv?.toString('utf8')).toContain(
      '\r\n1,a.md,1,40,Nut,1,4,proven,\r\n2,b.txt,2,,,,,proven,"deposit (missing), lines (missing)"\r\n',
    );
  });

  it('gives an entry of each file, and of each row of a file that is a table, where the schema is an object with a list alone', async () => {
    const at = open();
    const table = '| Part | Pieces | Amount |\n| --- | --- | --- |\n| Bolt | 2 | 3.50 |';
    const fileIds = [
      await at.storeText('a.md', `Order number: 1\nDeposit: 40.00\n\n${table}`),
      await at.storeText('b.csv', 'Order number,Deposit\n2,5.00\n3,6.00\n'),
    ];
    const order = record({ order_number: TEXT, deposit: NUMBER, lines: ITEMS });
    const outputSchema = record({ orders: { type: 'array', items: order } });
    const { archive, ...result } = await at.run({ prompt: 'Note them.', fileIds, outputSchema });
    const { data, schema, missing, field } = recordView(result);
    expect(JSON.parse(JSON.stringify(data))).toEqual({
      orders: [
        { order_number: '1', deposit: 40, lines: [{ part: 'Bolt', pieces: 2, amount: 3.5 }] },
        { order_number: '2', deposit: 5, lines: [] },
        { order_number: '3', deposit: 6, lines: [] },
      ],
    });
    expect(schema).toMatchObject({ type: 'object', properties: { orders: { type: 'array' } } });
    expect(missing).toEqual(['orders.1.lines', 'orders.2.lines']);
    expect(field('orders.0.lines.0.amount')).toMatchObject({ status: 'proven', value: 3.5, basis: [{ document: 1 }] });
    const { 'records.csv': csv } = await unzipFiles(at, archive?.bytesAt);
    expect(csv?.toString('utf8')).toContain(
      '\r\n1,a.md,1,40,Bolt,2,3.5,proven,\r\n2,b.csv,2,5,,,,proven,lines (missing)\r\n',
    );
  });

  it('gives a list with a record of each row of a file that is a table of them', async () => {
    const at = open();
    const fileIds = [await at.storeText('a.csv', LINES), await at.storeText('b.txt', 'Part: Ring\nPieces: 7')];
    const list = { type: 'array', items: ITEMS.items };
    const run = async (more: object) => recordView(await at.run({ prompt: 'Note them.', fileIds, ...more }));
    const { data, fields, missing } = await run({ outputSchema: list });
    expect(data).toEqual([
      { part: 'Bolt', pieces: 2, amount: 3.5 },
      { part: 'Nut', pieces: 1, amount: 4 },
      { part: 'Ring', pieces: 7, amount: null },
    ]);
    expect(fields.map(({ path }) => path)).toContain('1.amount');
    expect(missing).toEqual(['2.amount']);
    const two = await run({ outputSchema: { ...list, maxItems: 2 } });
    expect([two.data, two.complete]).toEqual([[data[0], data[1]], false]);
    expect(two.fields[0]).toMatchObject({ path: '', reason: 'The documents have more records than are taken.' });
    const enough = await run({ outputSchema: { ...list, items: record({ part: TEXT, pieces: NUMBER }), minItems: 3 } });
    expect([enough.complete, enough.fields.map(({ path }) => path).includes('')]).toEqual([true, false]);
    const short = await run({ outputSchema: { ...list, minItems: 4 } });
    expect([short.complete, short.missing]).toEqual([false, ['', '2.amount']]);
  });

  it('says that a list lacks rows of a table that is too long', async () => {
    const at = open();
    const rows = Array.from({ length: 2_001 }, (_, row) => `${row},${row + 1}`).join('\n');
    const fileIds = [await at.storeText('lines.csv', `Part,Pieces\n${rows}\n`)];
    const outputSchema = { type: 'array', items: record({ part: TEXT, pieces: NUMBER }) };
    const { archive, text } = await at.run({ fileIds, outputSchema });
    expect(text).toMatch(/^Not all records are taken\./);
    const { data, complete, fields } = JSON.parse(String((await unzipFiles(at, archive?.bytesAt))['data.json']));
    expect([data.length, complete]).toEqual([2_000, false]);
    expect(fields[0]).toMatchObject({ path: '', reason: 'The table has more rows than are taken.' });
  });

  it('has no more records in the workbook and the CSV file than in the list', async () => {
    const at = open();
    const fileIds = [];
    for (const total of [3, 4, 5]) fileIds.push(await at.storeText(`${total}.txt`, `TOTAL ${total}.00\n`));
    const { archive } = await at.run({
      fileIds,
      outputSchema: { type: 'array', maxItems: 2, items: record({ total: NUMBER }) },
    });
    const files = await unzipFiles(at, archive?.bytesAt);
    const { data, complete } = JSON.parse(String(files['data.json']));
    expect([data, complete]).toEqual([[{ total: 3 }, { total: 4 }], false]);
    expect(String(files['records.csv'])).toBe(
      '\uFEFFdocument,name,total,grade,to_check\r\n1,3.txt,3,proven,\r\n2,4.txt,4,proven,\r\n',
    );
  });

  it('takes the prompt for the document where no file is attached, and only there', async () => {
    const at = open();
    const asked = { prompt: 'Note the receipt:\n\nDeposit: 40.00', outputSchema: record({ deposit: NUMBER }) };
    const { data, documents, field } = recordView(await at.run(asked));
    expect([data, documents]).toEqual([{ deposit: 40 }, [{ document: 1, fileId: null, name: 'prompt' }]]);
    expect(field('deposit')?.basis).toMatchObject([{ quote: 'Deposit: 40.00' }]);
    const fileIds = [await at.storeText('a.txt', 'Berth: 12\n')];
    expect(recordView(await at.run({ ...asked, fileIds })).data).toEqual({ deposit: null });
  });

  it('archives the record, and a workbook and a CSV file with a row for each file', async () => {
    const at = open();
    const fileIds = [await at.storeText('a.txt', RECEIPT), await at.storeText('b.txt', 'TOTAL 20.00\n')];
    const outputSchema = record({ total: NUMBER, date: DATE });
    const result = await at.run({ fileIds, outputSchema });
    const files = await unzipFiles(at, result.archive?.bytesAt);
    expect(Object.keys(files)).toEqual(['data.json', 'records.xlsx', 'records.csv']);
    const { records, ...whole } = JSON.parse(String(files['data.json']));
    expect(whole).toEqual(JSON.parse(JSON.stringify(result.record)));
    expect(records).toMatchObject([
      { document: 1, name: 'a.txt', data: { total: 13.8, date: '2026-03-05' } },
      { document: 2, name: 'b.txt', data: { total: 20, date: null }, missing: ['date'] },
    ]);
    expect(whole.data).toEqual({ total: null, date: '2026-03-05' });
    expect(String(files['records.csv'])).toBe(
      '\uFEFFdocument,name,total,date,grade,to_check\r\n1,a.txt,13.8,2026-03-05,proven,\r\n2,b.txt,20,,proven,date (missing)\r\n',
    );
    expect(files['records.xlsx']?.subarray(0, 2).toString()).toBe('PK');
  });

  it('shortens a long record for responses; the archive has all of it', async () => {
    const at = open();
    const rows = Array.from({ length: 400 }, (_, row) => `Part ${row},${row},${row}.50`).join('\n');
    const fileIds = [await at.storeText('lines.csv', `Part,Pieces,Amount\n${rows}\n`)];
    const result = await at.run({ fileIds, outputSchema: record({ lines: ITEMS }) });
    const { data, truncated } = recordView(result);
    expect(truncated).toBe(true);
    expect(JSON.stringify(result.record).length).toBeLessThanOrEqual(100_000);
    expect((data.lines as object[]).length).toBeLessThan(400);
    const files = await unzipFiles(at, result.archive?.bytesAt);
    expect(JSON.parse(String(files['data.json'])).data.lines).toHaveLength(400);
  });

  it('runs the steps of workflows first, and keeps their last text beside the record', async () => {
    const at = open();
    const fileIds = [await at.storeText('notes.txt', 'Berth: 12\nThe boiler leaks a little.')];
    const steps = [{ name: 'Boiler', instruction: 'What does the boiler do?' }];
    const result = await at.run({ fileIds, steps, outputSchema: record({ berth: NUMBER }) });
    expect(result.text).toMatch(/> The boiler leaks a little[\s\S]*\n\nEvery wanted field has a value\./);
    expect(Object.keys(await unzipFiles(at, result.archive?.bytesAt))).toEqual([
      'data.json',
      'records.xlsx',
      'records.csv',
    ]);
    expect(recordView(result).data).toEqual({ berth: 12 });
  });

  it('fails on a gap if it has to, and keeps the partial record', async () => {
    const at = open();
    const asked = { prompt: 'Deposit: 40.00', outputSchema: record({ deposit: NUMBER, berth: NUMBER }) };
    const error = await at.run({ ...asked, onMissing: 'fail' }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(TaskFailure);
    expect(error).toMatchObject({
      code: 'PROCESSING_FAILED',
      message: 'No value was found for berth. The partial record is kept.',
      partial: { record: { data: { deposit: 40, berth: null }, missing: ['berth'] }, text: expect.any(String) },
    });
    expect(Object.keys(await unzipFiles(at, error.partial.archive.bytesAt))).toContain('data.json');
    const complete = { ...asked, outputSchema: record({ deposit: NUMBER }), onMissing: 'fail' } as const;
    expect(recordView(await at.run(complete)).complete).toBe(true);
  });

  it('reads a page that is longer than what a model is shown at once, without a cut in it', async () => {
    const at = open();
    // The 20,000th character stands within a number.
    const row = `${'Deposit: 123456.25; '.repeat(11).trimEnd()}.`;
    const lines = Array.from(
      { length: 100 },
      (_, line) => `BT /F 4 Tf 20 ${790 - 7 * line} Td (${line === 0 ? 'Harbour ' : ''}${row}) Tj ET`,
    );
    const fileIds = [await at.store('long.pdf', pdfOf(lines.join('\n')))];
    const read = await at.reader.read(
      { organization: at.organization, fileId: fileIds[0] ?? '' },
      new AbortController().signal,
    );
    expect(read !== 'gone' && read.parts.map(({ text }) => text.length > 20_000)).toEqual([true]);
    const { data } = recordView(await at.run({ fileIds, outputSchema: record({ deposit: NUMBER }) }));
    expect(data).toEqual({ deposit: 123456.25 });
  });

  it('gives null for what is not sure enough', async () => {
    const at = open();
    const prompt = RECEIPT.replace('Date: 05/03/2026', '05/03/2026 14:31');
    const asked = { prompt, outputSchema: record({ date: DATE, total: NUMBER }) };
    expect(recordView(await at.run(asked)).data).toMatchObject({ date: '2026-03-05' });
    const { data, field } = recordView(await at.run({ ...asked, accept: ['proven', 'computed'] }));
    expect(data).toEqual({ date: null, total: 13.8 });
    expect(field('date')).toMatchObject({ status: 'missing', reason: 'A judged value is not accepted.' });
  });

  it('names a file that is gone or cannot be read, as other chats do', async () => {
    const at = open();
    const outputSchema = record({ total: NUMBER });
    await expect(at.run({ fileIds: [at.ids.uuid()], outputSchema })).rejects.toMatchObject({
      code: 'FILE_UNAVAILABLE',
    });
    const locked = [await at.storeSample('locked/timesheet.msoffcrypto.xlsx')];
    await expect(at.run({ fileIds: locked, outputSchema })).rejects.toThrow('is protected by a password');
  });
});

type Proposed = { path: string; value: unknown; quote: string };

/** Proposes the same in each round, or what it is given as text; a second look agrees to these values, by default to all proposed. */
function saysAlways(fields: Proposed[] | string, agreed?: readonly unknown[]) {
  const prompts: string[] = [];
  const known = agreed ?? (typeof fields === 'string' ? [] : fields.map(({ value }) => value));
  const model: LanguageModelV4 = {
    ...scriptedModel().model,
    doGenerate(options) {
      const prompt = promptOf(options);
      prompts.push(prompt);
      const said = typeof fields === 'string' ? fields : JSON.stringify({ fields });
      const text = isSecondLook(prompt) ? verdictsOn(prompt, agreesTo(known)) : said;
      return scriptedModel({ text }).model.doGenerate(options);
    },
  };
  return { model, prompts };
}

describe('with a model', () => {
  const LETTER =
    'The crossing takes 14 hours and the fare amounts to 1.2 million euros. We look forward to a friendly cooperation.';
  const outputSchema = record({ fare: NUMBER, tone: { enum: ['friendly', 'hostile'] }, deposit: NUMBER });
  const named = { model: 'scripted/model', outputSchema } as const;

  it('asks for all fields, one file at a time, in the words of the task, and counts what it spends', async () => {
    const proposed = [
      { path: 'fare', value: 1_200_000, quote: 'the fare amounts to 1.2 million euros' },
      { path: 'tone', value: 'friendly', quote: 'We look forward to a friendly cooperation.' },
    ];
    // What a label gives and the model leaves out is asked about, too.
    const honest = saysAlways(proposed, [1_200_000, 'friendly', 40]);
    const at = open(honest.model);
    const { id, version } = await putRuleset(at, at.organization, { name: 'Wording', text: 'Fares are in euros.' });
    const fileIds = [await at.storeText('a.txt', 'Deposit: 40.00\n'), await at.storeText('b.txt', LETTER)];
    const prompt = 'Note what the ferry costs.';
    const result = await at.run({ ...named, prompt, fileIds, rulesets: [{ id, version }] });
    const { data, field } = recordView(result);
    expect(data).toEqual({ fare: 1_200_000, tone: 'friendly', deposit: 40 });
    expect(field('fare')).toMatchObject({ status: 'judged', basis: [{ document: 2 }] });
    expect(field('tone')).toMatchObject({ status: 'judged', basis: [{ document: 2 }] });
    expect(result.promptVersion).toMatch(/^processing-/);
    expect(result.usage).toMatchObject({ model: 'scripted/model', inputTokens: 10 * honest.prompts.length });
    const first = honest.prompts[0] ?? '';
    expect(first).toContain('Task:\nNote what the ferry costs.');
    expect(first).toContain('Ruleset "Wording":\nFares are in euros.');
    expect(first).toContain('Found by labels and tables:\n{"path":"deposit","value":40}');
    expect(honest.prompts.filter((one) => one.includes('Deposit: 40.00') && one.includes('The crossing'))).toEqual([]);
    const look = honest.prompts.find(isSecondLook) ?? '';
    expect(look).not.toContain('Note what the ferry costs.');
  });

  it('finds a quote in recognized text whose letters a model reads otherwise, as in a scan', async () => {
    const { model } = saysAlways([{ path: 'payment', value: 'by card', quote: 'Pa1d by card end1ng 8B12' }]);
    const at = open(model);
    const fileIds = [await at.storeSample('receipt.scan.jpg')];
    const { field } = recordView(await at.run({ ...named, outputSchema: record({ payment: TEXT }), fileIds }));
    expect(field('payment')).toMatchObject({
      status: 'judged',
      value: 'by card',
      basis: [{ quote: expect.stringContaining('Paid by card ending 8812') }],
    });
  });

  it.each([true, false])('shows the picture of a file to a verifier if it sees: %s', async (verifierAcceptsImages) => {
    const { model } = saysAlways([{ path: 'payment', value: 'by card', quote: 'Paid by card ending 8812' }]);
    const shown: number[] = [];
    const watched: LanguageModelV4 = {
      ...model,
      doGenerate(options) {
        const pictures = options.prompt.flatMap(({ role, content }) =>
          role === 'user' ? content.filter(({ type }) => type === 'file') : [],
        );
        if (isSecondLook(promptOf(options))) shown.push(pictures.length);
        return model.doGenerate(options);
      },
    };
    const at = open(watched, { sees: (id) => verifierAcceptsImages || id === 'scripted/model' });
    const fileIds = [await at.storeSample('receipt.scan.jpg')];
    const asked = { ...named, verifyModel: 'scripted/verifier', outputSchema: record({ payment: TEXT }), fileIds };
    const { data } = recordView(await at.run(asked));
    expect(data).toEqual({ payment: 'by card' });
    expect(shown).toEqual([verifierAcceptsImages ? 1 : 0]);
  });

  it('asks for the fields of an entry of a file', async () => {
    const { model } = saysAlways([{ path: 'fare', value: 1_200_000, quote: 'the fare amounts to 1.2 million euros' }]);
    const at = open(model);
    const stops = { type: 'array', items: record({ stop: TEXT }) };
    const offers = { type: 'array', items: record({ fare: NUMBER, deposit: NUMBER, stops }) };
    const fileIds = [await at.storeText('b.txt', LETTER)];
    const result = await at.run({ model: 'scripted/model', outputSchema: record({ offers }), prompt: '', fileIds });
    const { data, field } = recordView(result);
    expect(JSON.parse(JSON.stringify(data))).toEqual({ offers: [{ fare: 1_200_000, deposit: null, stops: [] }] });
    expect(field('offers.0.fare')?.status).toBe('judged');
  });

  it('shows a prompt that is the document once, as the document', async () => {
    const script = saysAlways([{ path: 'fare', value: 1_200_000, quote: 'the fare amounts to 1.2 million euros' }]);
    const at = open(script.model);
    const { data } = recordView(await at.run({ ...named, prompt: LETTER }));
    expect(data).toMatchObject({ fare: 1_200_000 });
    expect(script.prompts[0]).not.toContain('Task:');
  });

  it('takes no lie', async () => {
    const lies = [
      { path: 'fare', value: 2_100_000, quote: 'the fare amounts to 1.2 million euros' },
      { path: 'deposit', value: 500, quote: 'A deposit of 500 is due.' },
      { path: 'tone', value: 'hostile', quote: 'We look forward to a friendly cooperation.' },
    ];
    const at = open(saysAlways(lies, []).model);
    const fileIds = [await at.storeText('b.txt', LETTER)];
    const { data, fields } = recordView(await at.run({ ...named, fileIds }));
    expect(data).toEqual({ fare: null, tone: null, deposit: null });
    expect(fields.map(({ path, status }) => [path, status])).toEqual([
      ['fare', 'missing'],
      ['tone', 'unverified'],
      ['deposit', 'missing'],
    ]);
    // Nothing that was proposed disappears.
    expect(fields.map(({ candidates }) => candidates)).toMatchObject(
      [2_100_000, 'hostile', 500].map((value) => [{ value }]),
    );
  });

  it('keeps what labels prove beside a broken model, and says so', async () => {
    const at = open(saysAlways('{"fields": [').model);
    const fileIds = [await at.storeText('b.txt', `Deposit: 40.00\n${LETTER}`)];
    const result = await at.run({ ...named, fileIds });
    expect(recordView(result).data).toEqual({ fare: null, tone: null, deposit: 40 });
    expect(result.warnings).toEqual([expect.stringContaining('The model gave no usable answer to 1 question')]);
  });

  it('gives what is known when the budget is used up', async () => {
    const at = open({
      ...scriptedModel().model,
      doGenerate() {
        throw new TaskFailure('BUDGET_EXCEEDED', 'The budget is used up.');
      },
    });
    const fileIds = [await at.storeText('b.txt', `Deposit: 40.00\n${LETTER}`)];
    await expect(at.run({ ...named, fileIds })).rejects.toMatchObject({
      code: 'BUDGET_EXCEEDED',
      partial: { record: { data: { fare: null, deposit: 40 } } },
    });
  });

  it('keeps a file of a step that has the name of one of the record', async () => {
    const script = scriptedModel(
      { call: 'save_file', input: { name: 'data.json', content: '{"own": true}' } },
      { text: 'Saved.' },
    );
    const at = open(script.model);
    const fileIds = [await at.storeText('a.txt', 'Deposit: 40.00\n')];
    const steps = [{ name: 'Own', instruction: 'Save your own data.json.' }];
    const asked = { ...named, fileIds, steps, outputSchema: record({ deposit: NUMBER }) };
    const files = await unzipFiles(at, (await at.run(asked)).archive?.bytesAt);
    expect(Object.keys(files)).toEqual(['steps-data.json', 'data.json', 'records.xlsx', 'records.csv']);
    expect(String(files['steps-data.json'])).toBe('{"own": true}');
    expect(JSON.parse(String(files['data.json'])).data).toEqual({ deposit: 40 });
  });

  it('shows the results of steps, which prove nothing', async () => {
    const script = saysAlways('The fare is 77 euros.');
    const at = open(script.model);
    const fileIds = [await at.storeText('b.txt', LETTER)];
    const steps = [{ name: 'Fare', instruction: 'What is the fare?' }];
    const result = await at.run({ ...named, fileIds, steps });
    expect(script.prompts.at(-1)).toContain('Result of step 1, Fare:\n\nThe fare is 77 euros.');
    expect(result.text).toMatch(/^The fare is 77 euros\.\n\n/);
    expect(recordView(result).data).toMatchObject({ fare: null });
  });
});

describe('gives the record that a processing task gives', () => {
  let answer: Answer = (_, options) => saying('', options);
  const model: LanguageModelV4 = {
    ...scriptedModel().model,
    doGenerate: (options) => answer(promptOf(options), options),
  };
  const said = { model: 'scripted/model', prompt: 'Fill it.' } as const;

  async function both(pair: Pair, next: Answer) {
    const runs = openRuns();
    const at = open(model);
    answer = next;
    const { name, bytes } = documentOf(pair);
    const fileIds = [await at.store(name, bytes)];
    const { record: given } = await at.run({ ...said, fileIds, outputSchema: pair.schema });
    const { results } = await runs.run(pair, next);
    await runs.close();
    const [processed] = (results as { records: object[] }).records;
    return { chat: { document: 1, ...without(given as Shown) }, processed };
  }

  const without = ({ data, complete, missing, fields }: Shown) => ({ data, complete, missing, fields });
  const seeds = Array.from({ length: 6 }, (_, at) => 700 + at);

  it.each(seeds)('of generated document %i with an honest model', async (seed) => {
    const pair = pairOf(seed);
    const { chat, processed } = await both(
      pair,
      proposing((lines) => honest({ pair, lines }), honestLook(pair)),
    );
    expect(chat).toEqual(processed);
    expect(chat.fields.some(({ status }) => status === 'proven')).toBe(true);
  });

  it.each(WAYS)('with a model that lies: %s', async (way) => {
    const pair = pairOf(720 + WAYS.indexOf(way));
    const next = proposing((lines) => liar(way, { pair, lines }, chanceOf(pair.seed)).fields, honestLook(pair));
    const { chat, processed } = await both(pair, next);
    expect(chat).toEqual(processed);
  });

  it('for each of several files, in the archive', async () => {
    const at = open();
    const runs = seeds.slice(0, 3).map((seed) => ({ ...documentOf(pairOf(seed)), seed }));
    const { schema } = pairOf(seeds[0] ?? 0);
    const fileIds: string[] = [];
    for (const { name, bytes } of runs) fileIds.push(await at.store(name, bytes));
    const result = await at.run({ fileIds, outputSchema: schema });
    const files = await unzipFiles(at, result.archive?.bytesAt);
    const processing = openProcessing();
    const documents = runs.map(({ name, bytes, seed }) => processing.serve(`${seed}-${name}`, bytes));
    const { results } = await processing.run({ documents, output_schema: schema });
    await processing.close();
    const { records } = JSON.parse(String(files['data.json'])) as { records: Shown[] };
    expect(records.map(without)).toEqual(
      JSON.parse(JSON.stringify(results.records)).map(({ document: _, ...one }: { document: number }) => one),
    );
  });
});
