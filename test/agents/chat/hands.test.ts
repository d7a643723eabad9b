/** What the tools of a chat task read, compute and save, called as a model calls them. */
import { unzipSync } from 'fflate';
import { afterAll, afterEach, expect, it } from 'vitest';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import type { Sheet } from '../../../engines/documents/sheets/sheet.ts';
import { writeXlsx } from '../../../engines/outputs/workbook.ts';
import { scriptedModel } from '../scripted-model.ts';
import { openAgent } from '../setup.ts';

const documents = openDocuments(readerFilesFromCheckout());
afterAll(() => documents.close());

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

type Call = { call: string; input: object };

/** Makes the calls in one task, and returns what they answered and the files that the task left. */
async function callTools(
  calls: Call[],
  files: [name: string, bytes: string | Uint8Array][] = [],
  steps: string[] = [],
) {
  const script = scriptedModel(...calls, { text: 'ready' });
  const at = openAgent(script.model);
  close = at.close;
  const fileIds = await Promise.all(files.map(([name, bytes]) => at.store(name, Buffer.from(bytes))));
  const { archive, warnings } = await at.run({ fileIds, steps: steps.map((name) => ({ name, instruction: name })) });
  const chunks: Uint8Array[] = [];
  for await (const chunk of (archive && (await at.blobs.read(archive.bytesAt))) ?? []) chunks.push(chunk);
  const saved = chunks.length === 0 ? {} : unzipSync(Buffer.concat(chunks));
  const answers = script.answers().map((output) => ('value' in output ? output.value : undefined));
  return { answers, saved, script, warnings };
}

const COLUMNS = [
  { heading: 'Item', type: 'text' },
  { heading: 'Due', type: 'date' },
  { heading: 'Amount', type: 'currency', currency: 'EUR' },
  { heading: 'Share', type: 'percent' },
  { heading: 'Paid', type: 'boolean' },
];
const ROWS = [
  ['=1+1', '2026-03-31', '1234.5', '63.3', true],
  ['Lamp', null, -12, 100, false],
];
const sheetsOf = (rows: unknown[][] = ROWS) => [{ name: 'Costs', columns: COLUMNS, rows }];

it('saves a workbook whose cells have the types of their columns, and no formula', async () => {
  const { answers, saved } = await callTools([
    { call: 'save_table', input: { name: 'costs.xlsx', sheets: sheetsOf() } },
  ]);
  expect(answers).toEqual([
    {
      saved: 'costs.xlsx',
      rows: [2],
      shown: [
        {
          sheet: 'Costs',
          lines: [
            'Item | Due | Amount | Share | Paid',
            '=1+1 | 2026-03-31 | 1,234.50 EUR | 63.3% | TRUE',
            'Lamp |  | -12.00 EUR | 100.0% | FALSE',
          ],
        },
      ],
    },
  ]);
  const bytes = saved['costs.xlsx'] ?? new Uint8Array();
  const { sheets = [] } = await documents.read({ bytes, name: 'costs.xlsx' }, { organization: 'tests', sheets: true });
  const [{ name, tables } = {} as Sheet] = sheets;
  expect([name, tables[0]?.header]).toEqual(['Costs', ['Item', 'Due', 'Amount', 'Share', 'Paid']]);
  expect(
    tables[0]?.rows.map((row) =>
      row.map(({ value, type, currency }) => [type, value, currency].filter((one) => one !== undefined)),
    ),
  ).toEqual([
    [
      ['text', '=1+1'],
      ['date', '2026-03-31'],
      ['currency', 1234.5, 'EUR'],
      ['percent', 0.633],
      ['boolean', true],
    ],
    [
      ['text', 'Lamp'],
      ['empty', null],
      ['currency', -12, 'EUR'],
      ['percent', 1],
      ['boolean', false],
    ],
  ]);
  // The reader of workbooks applies the number formats with a library of its own.
  expect(tables[0]?.rows.map((row) => row.map(({ text }) => text).join(' | '))).toEqual(
    (answers[0] as { shown: { lines: string[] }[] }).shown[0]?.lines.slice(1),
  );
});

const percentages = (name: string, values: unknown[]) => ({
  call: 'save_table',
  input: {
    name,
    sheets: [
      { name: 'A', columns: [{ heading: 'Share', type: 'percent' }], rows: values.map((value: unknown) => [value]) },
    ],
  },
});
const xmlOf = (workbook: Uint8Array | undefined, part: string) =>
  Buffer.from(unzipSync(workbook ?? new Uint8Array())[part] ?? []).toString();

it('saves a percentage as its exact fraction, shown with the decimals of its column', async () => {
  const values = [63.3, '7,25 %', '\u221263.3\u00a0%', 0.07, 100 / 3, '1234.5%', null];
  const { saved, answers } = await callTools([
    percentages('p.xlsx', values.slice(0, 4)),
    percentages('p.csv', values),
    percentages('long.xlsx', [100 / 3]),
    { call: 'read_saved_file', input: { name: 'p.xlsx' } },
  ]);
  const sheet = xmlOf(saved['p.xlsx'], 'xl/worksheets/sheet1.xml');
  expect([...sheet.matchAll(/<v>([^<]*)<\/v>/g)].map(([, stored]) => stored)).toEqual([
    '0.633',
    '0.0725',
    '-0.633',
    '0.0007',
  ]);
  expect(xmlOf(saved['p.xlsx'], 'xl/styles.xml').match(/formatCode="[^"]*"/g)).toEqual(['formatCode="0.00%"']);
  expect(Buffer.from(saved['p.csv'] ?? []).toString()).toBe(
    '\uFEFFShare\r\n63.300000%\r\n7.250000%\r\n-63.300000%\r\n0.070000%\r\n33.333333333333336%\r\n1234.500000%\r\n\r\n',
  );
  expect(xmlOf(saved['long.xlsx'], 'xl/worksheets/sheet1.xml')).toContain('<v>0.333333333333333</v>');
  expect(answers[2]).toMatchObject({ shown: [{ lines: ['Share', '33.333333%'] }] });
  expect(answers[3]).toMatchObject({ text: 'A\nShare\r\n63.30%\r\n7.25%\r\n-63.30%\r\n0.07%\r\n' });
});

it('says how fractions in a column of percentages are shown, and refuses none', async () => {
  const { answers, saved } = await callTools([
    percentages('fractions.xlsx', [0.633, '0.05', 1]),
    percentages('small.xlsx', ['0.633 %', 0.05]),
    percentages('ends.xlsx', [0, 1]),
    percentages('whole.xlsx', [0.633, 63.3]),
  ]);
  expect(answers[0]).toMatchObject({
    saved: 'fractions.xlsx',
    note: 'No value of "Share" is above 1 %: 0.633 is shown as 0.633 %; write 63.3 for 63.3 %.',
  });
  for (const answer of answers.slice(1)) expect(answer).not.toHaveProperty('note');
  expect(Object.keys(saved)).toHaveLength(4);
});

it('shows the beginning of a large table only', async () => {
  const columns = Array.from({ length: 200 }, (_, at) => ({ heading: `h${at} ${'x'.repeat(90)}`, type: 'text' }));
  const rows = Array.from({ length: 2 }, () => columns.map(() => 'y'.repeat(200)));
  const sheets = Array.from({ length: 9 }, (_, at) => ({ name: `S${at}`, columns, rows }));
  const { answers } = await callTools([{ call: 'save_table', input: { name: 'large.xlsx', sheets } }]);
  const { shown } = answers[0] as { shown: { lines: string[] }[] };
  expect(shown[0]?.lines.map((line) => line.slice(0, 70))).toEqual([
    expect.stringMatching(/^h0 x+… \| h1 /),
    ...Array.from({ length: 2 }, () => expect.stringMatching(/^y+… \| y/)),
  ]);
  expect(JSON.stringify(shown).length).toBeLessThan(5_000);
});

it('keeps a number of more than 15 digits as text in a workbook, and as it is in a CSV', async () => {
  const sheets = [
    { name: 'A', columns: [{ heading: 'n', type: 'number' }], rows: [['12345678901234567.89'], ['0.1']] },
  ];
  const { saved } = await callTools([
    { call: 'save_table', input: { name: 'n.xlsx', sheets } },
    { call: 'save_table', input: { name: 'n.csv', sheets } },
  ]);
  const sheet = Buffer.from(
    unzipSync(saved['n.xlsx'] ?? new Uint8Array())['xl/worksheets/sheet1.xml'] ?? [],
  ).toString();
  expect(sheet).toContain('>12345678901234567.89</t>');
  expect(sheet).toContain('<v>0.1</v>');
  expect(Buffer.from(saved['n.csv'] ?? []).toString()).toBe('\uFEFFn\r\n12345678901234567.89\r\n0.1\r\n');
});

it.each([
  ['a date', ['Lamp', '31/03/2026', 1, 1, true], /row 1: "31\/03\/2026" in "Due" is not a date/],
  ['an amount', ['Lamp', null, '1,234.50', 1, true], /"1,234\.50" in "Amount" is not a currency/],
  [
    'a percentage',
    ['Lamp', null, 1, '1,234 %', true],
    /"1,234 %" in "Share" is not a percent. Write 63\.3 for 63\.3 %/,
  ],
  ['a row', ['a', null, 1, 1, true, 'more'], /has 6 values for 5 columns/],
])('refuses %s that does not fit its column, and says where', async (_, row, error) => {
  const { answers, saved } = await callTools([
    { call: 'save_table', input: { name: 'a.xlsx', sheets: sheetsOf([row]) } },
  ]);
  expect(answers).toEqual([{ error: expect.stringMatching(error) }]);
  expect(saved).toEqual({});
});

it('calls no text a workbook or a PDF, and no table a document', async () => {
  const { answers, saved } = await callTools([
    { call: 'save_file', input: { name: 'report.xlsx', content: 'Sum: 3' } },
    { call: 'save_file', input: { name: 'report.PDF', content: 'Sum: 3' } },
    { call: 'save_table', input: { name: 'costs.docx', sheets: sheetsOf() } },
    { call: 'save_report', input: { name: 'report.docx', title: 'T', sections: [{ heading: 'H' }] } },
  ]);
  expect(answers.map((answer) => JSON.stringify(answer))).toEqual([
    expect.stringContaining('save_table'),
    expect.stringContaining('save_report'),
    expect.stringContaining('.xlsx or .csv'),
    expect.stringContaining('.pdf, .html or .md'),
  ]);
  expect(saved).toEqual({});
});

it('saves a report as PDF, HTML and Markdown, whose text stays text', async () => {
  const sections = [
    {
      heading: 'Costs',
      paragraphs: ['<b>Up</b> by 3 %'],
      items: ['one'],
      table: { columns: ['a', 'b'], rows: [['1']] },
    },
  ];
  const names = ['r.pdf', 'r.html', 'r.md'];
  const { saved } = await callTools(
    names.map((name) => ({ call: 'save_report', input: { name, title: 'Title', sections } })),
  );
  expect(Object.keys(saved)).toEqual(names);
  expect(Buffer.from(saved['r.html'] ?? []).toString()).toContain('&lt;b&gt;Up&lt;/b&gt; by 3 %');
  expect(Buffer.from(saved['r.md'] ?? []).toString()).toContain('## Costs');
  const pdf = await documents.read(
    { bytes: saved['r.pdf'] ?? new Uint8Array(), name: 'r.pdf' },
    { organization: 'tests' },
  );
  expect(pdf.parts.map(({ text }) => text).join()).toContain('Up</b> by 3 %');
});

const reportOf = (name: string, title = 'Title', text = 'One.') => ({
  call: 'save_report',
  input: { name, title, sections: [{ heading: 'Costs', paragraphs: [text] }] },
});

it('adds HTML to a PDF that cannot show a script, and names the script to the model and in the result', async () => {
  const { answers, saved, warnings } = await callTools([reportOf('r.pdf', '東京', 'سعر')]);
  const warning = expect.stringMatching(/The PDF cannot show text in these scripts: .*Han/);
  expect(answers).toEqual([{ saved: 'r.pdf', also: 'r.html', warning }]);
  expect(warnings).toEqual([expect.stringContaining('Arabic')]);
  expect(Object.keys(saved)).toEqual(['r.pdf', 'r.html']);
  expect(Buffer.from(saved['r.html'] ?? []).toString()).toMatch(/東京[\s\S]*سعر/);
  const { parts } = await documents.read(
    { bytes: saved['r.pdf'] ?? new Uint8Array(), name: 'r.pdf' },
    { organization: 'tests' },
  );
  const text = parts.map((part) => part.text).join();
  expect(text).toContain('[Han]');
  expect(text).not.toMatch(/[□\ufffd]/u);
});

it('overwrites no other file with that HTML, and takes it back with its PDF', async () => {
  const own = { call: 'save_file', input: { name: 'r.html', content: '<p>mine</p>' } };
  const kept = await callTools([own, reportOf('r.pdf', '東京'), reportOf('r.pdf', '大阪')]);
  expect(kept.answers).toMatchObject([{ saved: 'r.html' }, { also: 'r-2.html' }, { also: 'r-2.html', replaced: true }]);
  expect(Object.keys(kept.saved)).toEqual(['r.html', 'r.pdf', 'r-2.html']);
  expect(Buffer.from(kept.saved['r.html'] ?? []).toString()).toContain('mine');
  expect(Buffer.from(kept.saved['r-2.html'] ?? []).toString()).toContain('大阪');
  const replaced = await callTools([reportOf('r.pdf', '東京'), reportOf('r.pdf', 'Tokyo')]);
  expect(Object.keys(replaced.saved)).toEqual(['r.pdf']);
  expect(replaced.warnings).toBeUndefined();
});

it('says that a file of the same name was replaced', async () => {
  const text = { call: 'save_file', input: { name: 'r.md', content: 'mine' } };
  const { answers, saved } = await callTools([text, reportOf('r.md'), text, reportOf('other.md')]);
  expect(answers).toEqual([
    { saved: 'r.md' },
    { saved: 'r.md', replaced: true },
    { saved: 'r.md', replaced: true },
    { saved: 'other.md' },
  ]);
  expect(Buffer.from(saved['r.md'] ?? []).toString()).toBe('mine');
});

it('reads in a later step what an earlier one saved, a table as CSV', async () => {
  const { answers, script } = await callTools(
    [
      { call: 'save_table', input: { name: 'costs.xlsx', sheets: sheetsOf() } },
      { text: 'saved' } as unknown as Call,
      { call: 'read_saved_file', input: { name: 'costs.xlsx' } },
      { call: 'read_saved_file', input: { name: 'other.md' } },
    ],
    [],
    ['One', 'Two'],
  );
  expect(script.given[2]?.prompt).not.toEqual(script.given[1]?.prompt);
  expect(answers[0]).toMatchObject({
    name: 'costs.xlsx',
    pages: 1,
    text: expect.stringContaining('Lamp,,-12.00 EUR,100.0%,FALSE'),
  });
  expect(answers[1]).toEqual({ error: 'There is no such saved file.', saved: ['costs.xlsx'] });
});

it('saves no text under the name of a workbook, a document or a picture of any other kind', async () => {
  const names = 'xls xlsm xlsb xlt xltx xltm xlam ods ots fods numbers doc dotx odt pages potx ppsx odp epub tif'.split(
    ' ',
  );
  const { answers, saved } = await callTools(
    names.map((name) => ({ call: 'save_file', input: { name: `a.${name}`, content: 'Sum: 3' } })),
  );
  expect(answers.map((answer) => JSON.stringify(answer))).toEqual(
    names.map(() => expect.stringContaining('Only text can be saved')),
  );
  expect(saved).toEqual({});
});

it('saves text under the names of text', async () => {
  const names = 'a.md a.csv a.json a.html a.txt a.sql a.xml a.yaml a.log a.tsv a.pot xlsx'.split(' ');
  const { saved } = await callTools(names.map((name) => ({ call: 'save_file', input: { name, content: 'x' } })));
  expect(Object.keys(saved)).toEqual(names);
});

it('refuses a report that is too large to be laid out, before it is', async () => {
  const table = { columns: ['a', 'b'], rows: Array.from({ length: 300 }, () => ['x', 'y']) };
  const sections = Array.from({ length: 100 }, () => ({ heading: 'Costs', table }));
  const call = (input: object) => ({ call: 'save_report', input: { name: 'r.pdf', title: 'T', ...input } });
  const { answers, saved } = await callTools([
    call({ sections }),
    call({ sections: [{ heading: 'Costs', paragraphs: ['x'.repeat(300_000)] }] }),
    call({ sections: sections.slice(0, 2) }),
  ]);
  const refusal = { error: expect.stringMatching(/^A report has at most/) };
  expect(answers).toEqual([refusal, refusal, { saved: 'r.pdf' }]);
  expect(Object.keys(saved)).toEqual(['r.pdf']);
});

const saveFile = (name: string, content = 'x') => ({ call: 'save_file', input: { name, content } });

it('saves nothing that a system would run when it is opened', async () => {
  const extensions = 'js vbs wsf bat cmd ps1 reg lnk url desktop iqy slk py sh hta svg xhtml html.js'.split(' ');
  const { answers, saved } = await callTools(extensions.map((extension) => saveFile(`ok.${extension}`)));
  expect(answers).toEqual(extensions.map(() => ({ error: expect.stringContaining('Only text can be saved') })));
  expect(saved).toEqual({});
});

it.each([
  ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a/>'],
  ['a stylesheet', '<?xml version="1.0"?><?xml-stylesheet href="a.xsl"?><a/>'],
  ['a program to open it with', '<?mso-application progid="Excel.Sheet"?><Workbook/>'],
  ['a page', '<a xmlns:h="http://www.w3.org/1999/xhtml"><h:script>alert(1)</h:script></a>'],
  ['a page whose name is written in references', '<a xmlns:h="http://www.w3.org/1999/&#120;ht&#x6d;l"/>'],
  ['a picture', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
  ['another encoding', '<?xml version="1.0" encoding="iso-2022-jp"?><a/>'],
])('saves no XML with %s', async (_, text) => {
  const { answers, saved } = await callTools([
    saveFile('a.xml', text),
    saveFile('b.xml', '<?xml version="1.0" encoding="UTF-8"?>\n<a b="&#8364;">c</a>'),
  ]);
  expect(answers).toEqual([{ error: expect.stringContaining('XML is saved') }, { saved: 'b.xml' }]);
  expect(Object.keys(saved)).toEqual(['b.xml']);
});

it.each(['con.txt', 'nul', 'AUX.md', 'com1.csv', 'lpt¹.txt', 'prn .txt', '__proto__'])(
  'saves no file under the name %s, which not every system can unpack, and goes on',
  async (name) => {
    const { answers, saved } = await callTools([
      saveFile(name),
      saveFile('constructor'),
      reportOf('con.md'),
      saveFile('contract.txt'),
    ]);
    const refusal = { error: expect.stringContaining('cannot be unpacked everywhere') };
    expect(answers).toEqual([refusal, { saved: 'constructor' }, refusal, { saved: 'contract.txt' }]);
    expect(Object.keys(saved)).toEqual(['constructor', 'contract.txt']);
  },
);

it('saves no two files whose names differ in case or in the form of a letter only', async () => {
  const { answers, saved } = await callTools([
    saveFile('ok.txt'),
    saveFile('OK.TXT'),
    saveFile('\u00fcber.md'),
    saveFile('U\u0308ber.md'),
    saveFile('r.HTML'),
    reportOf('r.pdf', '東京'),
  ]);
  expect(answers).toMatchObject([
    { saved: 'ok.txt' },
    { error: expect.stringContaining('differs from that of ok.txt in case only') },
    { saved: 'über.md' },
    { error: expect.stringContaining('in case only') },
    { saved: 'r.HTML' },
    { saved: 'r.pdf', also: 'r-2.html' },
  ]);
  expect(Object.keys(saved)).toEqual(['ok.txt', 'über.md', 'r.HTML', 'r.pdf', 'r-2.html']);
});

const LINES = Array.from({ length: 400 }, (_, at) => `Line ${at + 1} says something about berth ${at + 1}.`).join('\n');

it('reads a file by place, and finds passages whose place it can read', async () => {
  const { answers } = await callTools(
    [
      { call: 'search_files', input: { query: 'What does the line about berth 333 say?' } },
      { call: 'read_file', input: { file: 2, place: 'lines 100-101' } },
      { call: 'read_file', input: { file: 2, place: 'page 9' } },
    ],
    [
      ['other.txt', 'Nothing of it.'],
      ['lines.txt', LINES],
    ],
  );
  const [found, read, nothing] = answers as [
    { file: number; place: string }[],
    { parts: { text: string }[] },
    { places: string[] },
  ];
  expect(found[0]).toMatchObject({ file: 2, source: 'lines.txt', excerpt: expect.stringContaining('berth 333') });
  expect(read.parts.map(({ text }) => text).join('\n')).toContain('berth 101.');
  expect(found[0]?.place).toBe('lines 297-344');
  expect(nothing.places).toEqual([expect.stringMatching(/^lines 1-\d+ … lines \d+-\d+$/)]);
  const again = await callTools(
    [{ call: 'read_file', input: { file: 1, place: found[0]?.place } }],
    [['lines.txt', LINES]],
  );
  expect(JSON.stringify(again.answers[0])).toContain('berth 333');
});

it('calculates', async () => {
  const { answers } = await callTools([{ call: 'calculate', input: { expression: '0.1 + 0.2' } }]);
  expect(answers).toEqual([{ result: '0.3' }]);
});

const BILLS = 'Payee,Amount\nBerg,0.1\nÖl AG,0.2\nBerg,0.7\n';

it('queries the tables of files by their numbers, and says what is wrong with a statement', async () => {
  const { answers } = await callTools(
    [
      { call: 'query_table', input: {} },
      { call: 'query_table', input: { sql: "SELECT sum(amount) FROM t1 WHERE payee = 'Berg'" } },
      { call: 'query_table', input: { sql: 'SELECT sum(price) FROM t1' } },
      {
        call: 'query_table',
        input: { sql: 'SELECT c.city, sum(b.amount) FROM t1 b JOIN t2 c USING (payee) GROUP BY 1' },
      },
    ],
    [
      ['bills.csv', BILLS],
      ['cities.md', 'Cities.\n\n| Payee | City |\n| --- | --- |\n| Berg | Kiel |\n'],
    ],
  );
  expect(answers[0]).toMatchObject({
    tables: [
      { table: 't1', name: 'bills.csv', rows: 3 },
      { table: 't2', file: 2 },
    ],
  });
  const used = { table: 't1', file: 1, name: 'bills.csv', place: 'A1:B4', rows: [1, 3], count: 2 };
  expect(answers[1]).toEqual({ columns: ['sum(amount)'], rows: [[0.8]], used: [used], recomputed: true });
  expect(answers[2]).toMatchObject({ error: expect.stringContaining('no such column'), tables: [{ table: 't1' }, {}] });
  expect(answers[3]).toMatchObject({ rows: [['Kiel', 0.8]] });
});

it('reads a range of a workbook, and none of a text', async () => {
  const rows = [['Item', 'Price'], ...Array.from({ length: 30 }, (_, at) => [`item ${at + 2}`, String(at + 2)])];
  const { answers } = await callTools(
    [
      { call: 'read_file', input: { file: 1, place: 'Costs!A10:B11' } },
      { call: 'read_file', input: { file: 1, place: 'Other!A10:B11' } },
      { call: 'read_file', input: { file: 2, place: 'Costs!A10:B11' } },
    ],
    [
      ['costs.xlsx', writeXlsx([{ name: 'Costs', rows }])],
      ['note.txt', 'Nothing.'],
    ],
  );
  expect(answers[0]).toMatchObject({
    rows: [
      [9, 0, 'item 10', 10, '10'],
      [10, 0, 'item 11', 11, '11'],
    ],
  });
  expect(answers.slice(1)).toEqual(
    [1, 2].map(() => expect.objectContaining({ error: 'There is no such place in the file.' })),
  );
});
