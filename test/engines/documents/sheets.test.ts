import * as xlsx from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import { type Sheet, sheetOf } from '../../../engines/documents/sheets/sheet.ts';
import { odsOf, zipOf } from './file-builders.ts';
import { openReader } from './setup.ts';

const documents = openReader();

type MadeCell = string | number | boolean | { v: number; f: number } | null;
type MadeSheet = {
  rows: MadeCell[][];
  /** Further XML of the sheet, behind its cells. */
  more?: string;
  columns?: string;
  state?: string;
  hiddenRows?: number[];
  relations?: { type: string; file: string; body: string }[];
};

const FORMATS = ['dd.mm.yyyy', '0.0 %', '#,##0.00 [$€-407]', 'dd.mm.yyyy hh:mm', '#,##0 "kg"', '0'.repeat(10_000)];
const [DATE, PERCENT, EURO, MOMENT, WEIGHT, HUGE] = [1, 2, 3, 4, 5, 6];

/** A cell `{ v, f }` is a number with the format `f` of the list above. */
function workbook(sheets: MadeSheet[], properties = '', ownStyles?: string): Buffer {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="x/${type}" Target="${target}"/>`;
  const relations = (list: string[]) => `<Relationships>${list.join('')}</Relationships>`;
  const formats = FORMATS.map(
    (code, at) => `<numFmt numFmtId="${at + 200}" formatCode="${code.replaceAll('"', '&quot;')}"/>`,
  );
  const styles = ['<xf numFmtId="0"/>', ...FORMATS.map((_, at) => `<xf numFmtId="${at + 200}"/>`)];
  return zipOf([
    { name: '[Content_Types].xml', body: '<Types/>' },
    {
      name: 'xl/workbook.xml',
      body: `<workbook>${properties}<sheets>${sheets.map(({ state }, at) => `<sheet name="S${at + 1}" r:id="r${at}"${state ? ` state="${state}"` : ''}/>`).join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      body: relations([
        relation('s', 'styles', 'styles.xml'),
        ...sheets.map((_, at) => relation(`r${at}`, 'worksheet', `worksheets/s${at}.xml`)),
      ]),
    },
    {
      name: 'xl/styles.xml',
      body:
        ownStyles ??
        `<styleSheet><numFmts>${formats.join('')}</numFmts><cellXfs>${styles.join('')}</cellXfs></styleSheet>`,
    },
    ...sheets.flatMap(({ rows, more = '', columns = '', hiddenRows = [], relations: own = [] }, at) => [
      {
        name: `xl/worksheets/s${at}.xml`,
        body: `<worksheet>${columns}<sheetData>${rows.map((cells, row) => rowXml(cells, row + 1, hiddenRows)).join('')}</sheetData>${more}</worksheet>`,
      },
      {
        name: `xl/worksheets/_rels/s${at}.xml.rels`,
        body: relations(own.map(({ type, file }, n) => relation(`o${n}`, type, file))),
      },
      ...own.map(({ file, body }) => ({ name: `xl/worksheets/${file}`, body })),
    ]),
  ]);
}

function rowXml(cells: MadeCell[], row: number, hidden: number[]): string {
  if (cells.length === 0) return '';
  const texts = cells.map((cell, column) => {
    const place = `r="${String.fromCharCode(65 + column)}${row}"`;
    if (cell === null) return '';
    if (typeof cell === 'string') return `<c ${place} t="str"><v>${cell}</v></c>`;
    if (typeof cell === 'boolean') return `<c ${place} t="b"><v>${Number(cell)}</v></c>`;
    return typeof cell === 'number'
      ? `<c ${place}><v>${cell}</v></c>`
      : `<c ${place} s="${cell.f}"><v>${cell.v}</v></c>`;
  });
  return `<row r="${row}"${hidden.includes(row) ? ' hidden="1"' : ''}>${texts.join('')}</row>`;
}

async function sheetsOf(bytes: Uint8Array, name = 'a.xlsx'): Promise<Sheet[]> {
  const { sheets } = await documents.sheets(bytes, name);
  return sheets ?? [];
}

const tableOf = async (rows: MadeCell[][], more = '') => {
  const [sheet] = await sheetsOf(workbook([{ rows, more }]));
  return sheet?.tables.find(({ headerRows }) => headerRows > 0);
};

const tablesOf = async (rows: MadeCell[][]) => {
  const [sheet] = await sheetsOf(workbook([{ rows }]));
  return sheet?.tables.map(({ place, header, rowCount }) => [place, header, rowCount]);
};

const values = (table: Sheet['tables'][number] | undefined) => table?.rows.map((row) => row.map(({ value }) => value));

describe('the header of a sheet', () => {
  it('is found behind a title and a blank row', async () => {
    const table = await tableOf([
      ['Quarry output of the north pit'],
      [],
      ['Week', 'Tonnes', 'Foreman'],
      ['W1', 120, 'Moss'],
      ['W2', 98, 'Reed'],
    ]);
    expect(table).toMatchObject({
      place: 'S1!A3:C5',
      headerRows: 1,
      header: ['Week', 'Tonnes', 'Foreman'],
      rowCount: 2,
    });
    expect(values(table)).toEqual([
      ['W1', 120, 'Moss'],
      ['W2', 98, 'Reed'],
    ]);
  });

  it('is found behind pairs of keys and values, which stay pairs', async () => {
    const bytes = workbook([
      {
        rows: [
          ['Ordered by', 'Fenwick Mill'],
          ['Order', 'PO-118'],
          [],
          ['Item', 'Pieces', 'Price'],
          ['Sieve', 4, 12.5],
          ['Belt', 1, 230],
        ],
      },
    ]);
    const [sheet] = await sheetsOf(bytes);
    expect(sheet?.tables).toMatchObject([
      { headerRows: 0, header: [], rowCount: 2 },
      { headerRows: 1, header: ['Item', 'Pieces', 'Price'], rowCount: 2 },
    ]);
    expect(await documents.text(bytes, 'a.xlsx')).toBe(
      [
        'sheet S1',
        '| Ordered by | Fenwick Mill |\n| --- | --- |\n| Order | PO-118 |\n',
        '| Item | Pieces | Price |\n| --- | --- | --- |\n| Sieve | 4 | 12.5 |\n| Belt | 1 | 230 |',
      ].join('\n'),
    );
  });

  it('is the first row where nothing tells it from the others', async () => {
    const table = await tableOf([
      ['Name', 'Town'],
      ['Ada', 'London'],
      ['Emmy', 'Erlangen'],
    ]);
    expect(table).toMatchObject({ header: ['Name', 'Town'], rowCount: 2 });
  });

  it('is not a row of figures', async () => {
    const table = await tableOf([
      ['Moss', '27-06-1986', 375],
      [],
      ['Account of March'],
      ['Date', 'Text', 'Amount'],
      [{ v: 46031, f: DATE }, 'Rent', 800],
      [{ v: 46032, f: DATE }, 'Coal', 90],
    ]);
    expect(table).toMatchObject({ header: ['Date', 'Text', 'Amount'], rowCount: 2 });
  });

  it('may have years and a count for names', async () => {
    expect(
      await tableOf([
        ['Region', 2024, 2025],
        ['North', 5, 6],
        ['South', 7, 8],
      ]),
    ).toMatchObject({
      header: ['Region', '2024', '2025'],
    });
    expect(
      await tableOf([
        ['Worker', 1, 2, 3, 4],
        ['Moss', 8, 8, 0, 4],
        ['Reed', 0, 8, 8, 8],
      ]),
    ).toMatchObject({
      header: ['Worker', '1', '2', '3', '4'],
    });
  });

  it('may have ranges and years as texts for names', async () => {
    expect(
      await tableOf([['People by age'], ['Town', '0-4', '5-17', '65+'], ['Hull', 5, 6, 7], ['York', 7, 8, 9]]),
    ).toMatchObject({ header: ['Town', '0-4', '5-17', '65+'], rowCount: 2 });
    expect(await tableOf([['Output'], ['Pit', '2024', '2025'], ['North', 5, 6], ['South', 7, 8]])).toMatchObject({
      header: ['Pit', '2024', '2025'],
    });
  });

  it('is where the workbook declares a table to begin', async () => {
    const rows = [
      ['Stock', 'of', 'May'],
      ['Code', 'Place', 'Kind'],
      ['a', 'b', 'c'],
    ];
    expect(await tableOf(rows, '<autoFilter ref="A2:C3"/>')).toMatchObject({
      header: ['Code', 'Place', 'Kind'],
      rowCount: 1,
    });
    const file = { type: 'table', file: 't.xml', body: '<table ref="A2:C3"/>' };
    const [sheet] = await sheetsOf(workbook([{ rows, relations: [file] }]));
    expect(sheet?.tables.at(-1)).toMatchObject({ header: ['Code', 'Place', 'Kind'], headerRows: 1 });
  });
});

it('reads the name of a sheet from a place', () => {
  expect(sheetOf("'It''s Q1!'!A1:C9")).toBe("It's Q1!");
  expect(sheetOf('Costs!B4:F40')).toBe('Costs');
  expect(sheetOf('A1:C9')).toBe('');
});

describe('a declared table', () => {
  it('neither replaces the table above it nor cuts the one beside it', async () => {
    const rows = [
      ['Item', 'Pieces', 'Price'],
      ['Sieve', 4, 12],
      ['Belt', 1, 9],
      ['Rope', 2, 7],
      ['Nail', 90, 1],
    ];
    const below = [...rows, [], ['Code', 'Place'], ['a', 'b']];
    const [sheet] = await sheetsOf(workbook([{ rows: below, more: '<autoFilter ref="A7:B8"/>' }]));
    expect(sheet?.tables.map(({ header, rowCount }) => [header[0], rowCount])).toEqual([
      ['Item', 4],
      ['Code', 1],
    ]);
    const beside = rows.map((row, at) => (at < 3 ? row : [...row, null, at === 3 ? 'Code' : 'x']));
    expect(await tableOf(beside, '<autoFilter ref="E4:E5"/>')).toMatchObject({ rowCount: 4 });
  });
});

describe('a header of several rows', () => {
  const body = [
    ['North', 10, 4, 12, 5],
    ['South', 20, 8, 22, 9],
  ];

  it('joins the names of merged cells with those below', async () => {
    const table = await tableOf(
      [['Region', 2024, null, 2025, null], [null, 'Revenue', 'Cost', 'Revenue', 'Cost'], ...body],
      '<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/><mergeCell ref="D1:E1"/></mergeCells>',
    );
    expect(table).toMatchObject({
      headerRows: 2,
      header: ['Region', '2024 / Revenue', '2024 / Cost', '2025 / Revenue', '2025 / Cost'],
      rowCount: 2,
    });
  });

  it('joins names that have gaps to their right', async () => {
    const table = await tableOf([
      [null, 'Plan', null, 'Actual', null],
      ['Region', 'Revenue', 'Cost', 'Revenue', 'Cost'],
      ...body,
    ]);
    expect(table).toMatchObject({
      headerRows: 2,
      header: ['Region', 'Plan / Revenue', 'Plan / Cost', 'Actual / Revenue', 'Actual / Cost'],
    });
  });

  it('may repeat few names below many groups', async () => {
    const groups = ['May', 'June', 'July', 'August'];
    const names = groups.flatMap((group) => [group, null]);
    const merges = groups.map((_, at) => `<mergeCell ref="${'BDFH'[at]}1:${'CEGI'[at]}1"/>`).join('');
    const table = await tableOf(
      [
        [null, ...names],
        ['Pit', ...groups.flatMap(() => ['Plan', 'Done'])],
        ['North', 1, 2, 3, 4, 5, 6, 7, 8],
        ['South', 1, 2, 3, 4, 5, 6, 7, 8],
      ],
      `<mergeCells>${merges}</mergeCells>`,
    );
    expect(table).toMatchObject({ headerRows: 2, rowCount: 2 });
    expect(table?.header.slice(0, 4)).toEqual(['Pit', 'May / Plan', 'May / Done', 'June / Plan']);
  });

  it('has years below a merged name, but no values below one', async () => {
    const merge = '<mergeCells><mergeCell ref="B1:C1"/></mergeCells>';
    const years = [
      ['Region', 'Sales', null],
      [null, 2024, 2025],
      ['North', 5, 6],
      ['South', 7, 8],
    ];
    expect(await tableOf(years, merge)).toMatchObject({
      header: ['Region', 'Sales / 2024', 'Sales / 2025'],
      rowCount: 2,
    });
    const grades = [
      ['Region', 'Grades', null],
      ['North', 'good', 'fair'],
      ['South', 'poor', 'good'],
    ];
    expect(await tableOf(grades, merge)).toMatchObject({ header: ['Region', 'Grades', 'Grades'], rowCount: 2 });
  });

  it('has years above the names, merged over them', async () => {
    const rows = [
      [null, '2025', null, '2026', null],
      ['Region', 'Plan', 'Actual', 'Plan', 'Actual'],
      ['North', 1, 2, 3, 4],
      ['South', 5, 6, 7, 8],
    ];
    const merges = '<mergeCells><mergeCell ref="B1:C1"/><mergeCell ref="D1:E1"/></mergeCells>';
    expect(await tableOf(rows, merges)).toMatchObject({
      header: ['Region', '2025 / Plan', '2025 / Actual', '2026 / Plan', '2026 / Actual'],
    });
  });

  it('does not take a title over all columns for a name', async () => {
    const table = await tableOf(
      [['Figures of the year'], ['Region', 'A', 'B', 'C', 'D'], ...body],
      '<mergeCells><mergeCell ref="A1:E1"/></mergeCells>',
    );
    expect(table).toMatchObject({ headerRows: 1, header: ['Region', 'A', 'B', 'C', 'D'] });
  });

  it('keeps a row of units apart from the names', async () => {
    const bytes = workbook([
      {
        rows: [
          ['Crop', 'Yield', 'Value'],
          [null, '1,000 t', 'EUR'],
          ['Rye', 5, 9],
          ['Oats', 4, 8],
        ],
      },
    ]);
    const [sheet] = await sheetsOf(bytes);
    expect(sheet?.tables).toMatchObject([
      { header: ['Crop', 'Yield', 'Value'], units: ['', '1,000 t', 'EUR'], rowCount: 2 },
    ]);
    expect(await documents.text(bytes, 'a.xlsx')).toContain('| Crop | Yield (1,000 t) | Value (EUR) |');
  });

  it('does not take the first row for units when a number is missing in it', async () => {
    const table = await tableOf([
      ['Crop', 'Yield', 'Value'],
      [null, 'n/a', 'n/a'],
      ['Rye', 5, 9],
      ['Oats', 4, 8],
    ]);
    expect(table?.rowCount).toBe(3);
  });
});

describe('the rows of a sheet', () => {
  it('are one table, whatever their number, and the text says which of them it shows', async () => {
    const rows = [['Code', 'Pieces'], ...Array.from({ length: 3_999 }, (_, n) => [`a${n}`, n])];
    const bytes = workbook([{ rows }]);
    const [sheet] = await sheetsOf(bytes);
    expect(sheet?.tables).toMatchObject([{ rowCount: 3_999, place: 'S1!A1:B4000' }]);
    const { parts } = await documents.read({ bytes, name: 'a.xlsx' });
    expect(parts[0]?.label).toBe('sheet S1, rows 1 to 61 of 4,000');
    expect(parts.at(-1)?.label).toMatch(/^sheet S1, rows 3,\d+ to 4,000 of 4,000$/);
    for (const { text } of parts) expect(text).toMatch(/^\| Code \| Pieces \|\n/);
  });

  it('go on behind a blank row and a group label', async () => {
    const table = await tableOf([['Item', 'Pieces'], ['Sieve', 4], [], ['Spare parts'], ['Belt', 1], [], ['Total', 5]]);
    expect(table?.rowCount).toBe(4);
  });

  it('end where another header stands over figures of its own', async () => {
    const [sheet] = await sheetsOf(
      workbook([
        {
          rows: [
            ['Item', 'Pieces'],
            ['Sieve', 4],
            ['Belt', 1],
            [],
            ['Hours'],
            ['Worker', 'Hours', 'Day'],
            ['Moss', 8, 3],
            ['Reed', 7, 3],
          ],
        },
      ]),
    );
    expect(sheet?.tables.map(({ header, rowCount }) => [header, rowCount])).toEqual([
      [['Item', 'Pieces'], 2],
      [['Worker', 'Hours', 'Day'], 2],
    ]);
    expect(sheet?.texts).toEqual([{ place: 'S1!A5', text: 'Hours' }]);
  });

  it('end where the header of other columns stands right below them', async () => {
    const pits = [
      ['Pit', 'Tonnes'],
      ['North', 12],
      ['South', 15],
    ];
    const staff = [
      ['Name', 'Role', 'Since', 'Wage'],
      ['Ann', 'Boss', 2019, 50.5],
      ['Bob', 'Clerk', 2020, 40.5],
    ];
    const hours = [
      ['Employee', 'Hours', 'Town'],
      ['Ann', 38, 'Leeds'],
      ['Bob', 40, 'York'],
    ];
    const costs = pits.map((row, at) => [...row, at === 0 ? 'Cost' : 100.5 * at]);
    expect(await tablesOf([...pits, ...staff])).toEqual([
      ['S1!A1:B3', ['Pit', 'Tonnes'], 2],
      ['S1!A4:D6', ['Name', 'Role', 'Since', 'Wage'], 2],
    ]);
    expect(await tablesOf([...costs, ...hours])).toEqual([
      ['S1!A1:C3', ['Pit', 'Tonnes', 'Cost'], 2],
      ['S1!A4:C6', ['Employee', 'Hours', 'Town'], 2],
    ]);
    const counted = [
      ['Part', 'Pieces', 'Counted on'],
      ['Hose', 40, { v: 46_000, f: DATE }],
      ['Clamp', 7, { v: 46_001, f: DATE }],
    ];
    const owed = [
      ['Supplier', 'Orders', 'Open sum'],
      ['Norvik', 12, 4310.5],
      ['Ferrum', 3, 10],
    ];
    expect(await tablesOf([...counted, ...owed])).toEqual([
      ['S1!A1:C3', ['Part', 'Pieces', 'Counted on'], 2],
      ['S1!A4:C6', ['Supplier', 'Orders', 'Open sum'], 2],
    ]);
  });

  it('do not end at words among figures', async () => {
    const note = (rows: MadeCell[][]) => tablesOf([['Item', 'Qty', 'Note'], ...rows]);
    const isWhole = [['S1!A1:C6', ['Item', 'Qty', 'Note'], 5]];
    const word = ['Gravel', 'pending', 'open'];
    expect(await note([['Sand', 1, 2], ['Stone', 3, 4], word, ['Clay', 5, 6], ['Marl', 7, 8]])).toEqual(isWhole);
    expect(await note([['Sand', 1], ['Stone', 3], word, ['Clay', 5, 'x'], ['Marl', 7, 'y']])).toEqual(isWhole);
    expect(await note([['Sand', 1, 'a'], ['Stone', 3, 4], word, ['Clay', 5, 'x'], ['Marl', 7, 'y']])).toEqual(isWhole);
    expect(
      await note([
        ['Sand', 1, 2],
        ['Stone', 3, 4],
        ['Gravel', 'pending'],
        ['Clay', 5],
        ['Marl', 7],
      ]),
    ).toEqual(isWhole);
  });

  it('end before footnotes', async () => {
    const [sheet] = await sheetsOf(
      workbook([{ rows: [['Item', 'Pieces'], ['Sieve', 4], ['Belt', 1], [], ['Counted on a rainy day.']] }]),
    );
    expect(sheet).toMatchObject({
      tables: [{ rowCount: 2 }],
      texts: [{ place: 'S1!A5', text: 'Counted on a rainy day.' }],
    });
  });

  it('end before a marked footnote, and before pairs that close the sheet', async () => {
    const rows = [
      ['Art', 'Text', 'Price'],
      ['A', 'Bolt', 1],
      ['B', 'Nut', 2],
      ['C', 'Pin', 3],
    ];
    expect(await tableOf([...rows, ['* provisional']])).toMatchObject({ rowCount: 3 });
    expect(await tableOf([...rows, ['provisional']])).toMatchObject({ rowCount: 4 });
    expect(await tableOf([...rows, [], ['Prepared by', 'Ann']])).toMatchObject({ rowCount: 3 });
    expect(await tableOf([...rows, [], ['D', 'Cap', 4]])).toMatchObject({ rowCount: 4 });
  });

  it('stand beside each other with an empty column between them', async () => {
    const rows = [
      ['Item', 'Qty', null, 'Name', 'Age'],
      ['Pen', 1, null, 'Ann', 30],
      ['Ink', 2, null, 'Bo', 40],
      [null, null, null, 'Cy', 50],
    ];
    const [sheet] = await sheetsOf(workbook([{ rows }]));
    expect(sheet?.tables.map(({ place, header, rowCount }) => [place, header, rowCount])).toEqual([
      ['S1!A1:B3', ['Item', 'Qty'], 2],
      ['S1!D1:E4', ['Name', 'Age'], 3],
    ]);
    // Where both sides go down to the same row, the empty column is taken for space within one table.
    expect((await sheetsOf(workbook([{ rows: rows.slice(0, 3) }])))[0]?.tables).toHaveLength(1);
  });

  it('repeat a merged label, but not a merged number', async () => {
    const table = await tableOf(
      [
        ['Region', 'Town', 'People'],
        ['North', 'Hull', 7],
        [null, 'York', null],
        ['South', 'Hove', 3],
      ],
      '<mergeCells><mergeCell ref="A2:A3"/><mergeCell ref="C2:C3"/></mergeCells>',
    );
    expect(values(table)).toEqual([
      ['North', 'Hull', 7],
      ['North', 'York', null],
      ['South', 'Hove', 3],
    ]);
  });
});

describe('a cell', () => {
  const cells = async (row: MadeCell[], properties = '') => {
    const names = row.map((_, at) => `Name ${'abcdefgh'[at]}`);
    const [sheet] = await sheetsOf(workbook([{ rows: [names, row, row] }], properties));
    return sheet?.tables[0]?.rows[0];
  };

  it('has its shown text, its value and its type', async () => {
    expect(
      await cells([
        'Sieve',
        4,
        { v: 46031, f: DATE },
        { v: 0.075, f: PERCENT },
        { v: 1234.5, f: EURO },
        true,
        { v: 12, f: WEIGHT },
      ]),
    ).toEqual([
      { text: 'Sieve', value: 'Sieve', type: 'text' },
      { text: '4', value: 4, type: 'number' },
      { text: '09.01.2026', value: '2026-01-09', type: 'date' },
      { text: '7.5 %', value: 0.075, type: 'percent' },
      { text: '1,234.50 €', value: 1234.5, type: 'currency', currency: 'EUR' },
      { text: 'TRUE', value: true, type: 'boolean' },
      { text: '12 kg', value: 12, type: 'number' },
    ]);
  });

  it('counts days from 1904 where the workbook says so', async () => {
    const row = [
      { v: 44569, f: DATE },
      { v: 44569.75, f: MOMENT },
    ];
    expect(await cells(row, '<workbookPr date1904="1"/>')).toMatchObject([
      { text: '09.01.2026', value: '2026-01-09' },
      { text: '09.01.2026 18:00', value: '2026-01-09T18:00:00' },
    ]);
  });

  it('ignores a format of ten thousand characters', async () => {
    expect(await cells([{ v: 7.5, f: HUGE }, 1])).toMatchObject([{ text: '7.5', value: 7.5, type: 'number' }, {}]);
  });

  it('of a CSV file is typed where its text can mean only one thing', async () => {
    const text = 'Code;Day;Price;Share;Open\n00712;2026-01-09;1.234,50;7,5 %;true\n0815;2026-01-10;2,00;10 %;false\n';
    const [sheet] = await sheetsOf(Buffer.from(text), 'a.csv');
    expect(values(sheet?.tables[0])?.[0]).toEqual(['00712', '2026-01-09', 1234.5, 0.075, true]);
    const [american] = await sheetsOf(Buffer.from('Code,Price\nA,"1,234.50"\nB,2.00\n'), 'a.csv');
    expect(values(american?.tables[0])).toEqual([
      ['A', 1234.5],
      ['B', 2],
    ]);
  });
});

/** The package writes no Row records: this inserts one ([MS-XLS] 2.4.221) with height 0 before the cells. */
function withHiddenRow(bytes: Buffer, row: number): Buffer {
  const file = xlsx.CFB.read(bytes, { type: 'buffer' });
  const stream = xlsx.CFB.find(file, '/Workbook');
  const content: Buffer = Buffer.from(stream.content);
  let at = 0;
  const [dimensions, record] = [0x0200, Buffer.alloc(20)];
  while (content.readUInt16LE(at) !== dimensions) at += 4 + content.readUInt16LE(at + 2);
  at += 4 + content.readUInt16LE(at + 2);
  record.writeUInt16LE(0x0208, 0);
  record.writeUInt16LE(16, 2);
  record.writeUInt16LE(row, 4);
  record.writeUInt16LE(0x20, 16);
  stream.content = Buffer.concat([content.subarray(0, at), record, content.subarray(at)]);
  stream.size = stream.content.length;
  return xlsx.CFB.write(file, { type: 'buffer' });
}

describe('other formats', () => {
  it('gives XLS the same types, merges and hidden sheets', async () => {
    const book = xlsx.utils.book_new();
    const sheet = xlsx.utils.aoa_to_sheet([
      ['Visits'],
      [],
      ['Day', 'Guests', 'Share'],
      [46031, 12, 0.5],
      [46032, 9, 0.25],
    ]);
    for (const [cell, format] of [
      ['A4', 'dd.mm.yyyy'],
      ['A5', 'dd.mm.yyyy'],
      ['C4', '0%'],
      ['C5', '0%'],
    ] as const)
      sheet[cell].z = format;
    sheet['!merges'] = [{ s: { r: 0, c: 0 }, e: { r: 0, c: 2 } }];
    xlsx.utils.book_append_sheet(book, sheet, 'Visits');
    xlsx.utils.book_append_sheet(
      book,
      xlsx.utils.aoa_to_sheet([
        ['Key', 'Value'],
        ['a', 1],
      ]),
      'Keys',
    );
    book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] };
    const bytes = xlsx.write(book, { type: 'buffer', bookType: 'biff8' });
    const [visits, keys] = await sheetsOf(bytes, 'a.xls');
    expect(visits?.tables[0]).toMatchObject({ header: ['Day', 'Guests', 'Share'], place: 'Visits!A3:C5' });
    expect(values(visits?.tables[0])).toEqual([
      ['2026-01-09', 12, 0.5],
      ['2026-01-10', 9, 0.25],
    ]);
    expect(visits?.tables[0]?.rows[0]?.[0]?.text).toBe('09.01.2026');
    expect(keys).toMatchObject({ name: 'Keys', hidden: true });
  });

  it('marks hidden rows and columns of XLS', async () => {
    const book = xlsx.utils.book_new();
    const sheet = xlsx.utils.aoa_to_sheet([
      ['Item', 'Pieces', 'Margin'],
      ['Sieve', 4, 31],
      ['Belt', 1, 32],
    ]);
    sheet['!cols'] = [{}, {}, { hidden: true }];
    xlsx.utils.book_append_sheet(book, sheet, 'S1');
    const bytes = withHiddenRow(xlsx.write(book, { type: 'buffer', bookType: 'biff8' }), 2);
    const { parts } = await documents.read({ bytes, name: 'a.xls' });
    expect(parts).toEqual([
      { page: 1, label: 'sheet S1', text: '| Item | Pieces |\n| --- | --- |\n| Sieve | 4 |' },
      {
        page: 1,
        label: 'sheet S1 (hidden)',
        hidden: true,
        text: '| Item | Pieces | Margin |\n| --- | --- | --- |\n|  |  | 31 |\n| Belt | 1 | 32 |',
      },
    ]);
    const [found] = await sheetsOf(bytes, 'a.xls');
    expect(found?.tables[0]).toMatchObject({ hiddenRows: [1], hiddenColumns: [2] });
  });

  it('marks hidden sheets, rows and columns of ODS', async () => {
    const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
    const row = (cells: string[], visibility = 'visible') =>
      `<table:table-row table:visibility="${visibility}">${cells.map(cell).join('')}</table:table-row>`;
    const columns =
      '<table:table-column table:number-columns-repeated="2"/><table:table-column table:visibility="collapse"/>';
    const rows = [row(['Item', 'Pieces', 'Margin']), row(['Sieve', '4', '31']), row(['Belt', '1', '32'], 'filter')];
    const bytes = zipOf([
      { name: 'mimetype', body: 'application/vnd.oasis.opendocument.spreadsheet', stored: true },
      {
        name: 'content.xml',
        body: `<office:document-content><office:automatic-styles><style:style style:name="ta2"><style:table-properties table:display="false"/></style:style></office:automatic-styles><office:body><office:spreadsheet><table:table table:name="A">${columns}${rows.join('')}</table:table><table:table table:name="B" table:style-name="ta2">${row(['Key'])}${row(['a'])}</table:table></office:spreadsheet></office:body></office:document-content>`,
      },
    ]);
    const { parts } = await documents.read({ bytes, name: 'a.ods' });
    expect(parts).toEqual([
      { page: 1, label: 'sheet A', text: '| Item | Pieces |\n| --- | --- |\n| Sieve | 4 |' },
      {
        page: 1,
        label: 'sheet A (hidden)',
        hidden: true,
        text: '| Item | Pieces | Margin |\n| --- | --- | --- |\n|  |  | 31 |\n| Belt | 1 | 32 |',
      },
      { page: 2, label: 'sheet B (hidden)', hidden: true, text: expect.stringContaining('Key') },
    ]);
  });

  it('counts days from 1904 in XLS, too', async () => {
    const book = xlsx.utils.book_new();
    const sheet = xlsx.utils.aoa_to_sheet([
      ['Day', 'Guests'],
      [44569, 12],
    ]);
    sheet.A2.z = 'dd.mm.yyyy';
    xlsx.utils.book_append_sheet(book, sheet, 'A');
    book.Workbook = { WBProps: { date1904: true } };
    const [read] = await sheetsOf(xlsx.write(book, { type: 'buffer', bookType: 'biff8' }), 'a.xls');
    expect(read?.tables[0]?.rows[0]?.[0]).toEqual({ text: '09.01.2026', value: '2026-01-09', type: 'date' });
  });

  it('gives ODS the types that are stored, merges, hidden rows and comments', async () => {
    const cell = (text: string, attributes = '', more = '') =>
      `<table:table-cell ${attributes}>${more}<text:p>${text}</text:p></table:table-cell>`;
    const row = (cells: string[], attributes = '') =>
      `<table:table-row ${attributes}>${cells.join('')}</table:table-row>`;
    const float = (value: number) => cell(`${value}`, `office:value-type="float" office:value="${value}"`);
    const note = '<office:annotation><dc:creator>Reed</dc:creator><text:p>Count again</text:p></office:annotation>';
    const bytes = odsOf(
      [
        row([cell('Hall'), cell('Day'), cell('Fee'), cell('Guests', '', note)]),
        row([
          cell('Main', 'table:number-rows-spanned="2"'),
          cell('9. Januar', 'office:value-type="date" office:date-value="2026-01-09"'),
          cell('5 kr', 'office:value-type="currency" office:value="5" office:currency="SEK"'),
          float(7),
        ]),
        row(
          [
            '<table:covered-table-cell/>',
            cell('10. Januar', 'office:value-type="date" office:date-value="2026-01-10"'),
            cell('6 kr', 'office:value-type="currency" office:value="6" office:currency="SEK"'),
            float(8),
          ],
          'table:visibility="collapse"',
        ),
      ].join(''),
    );
    const [sheet] = await sheetsOf(bytes, 'a.ods');
    expect(values(sheet?.tables[0])).toEqual([
      ['Main', '2026-01-09', 5, 7],
      ['Main', '2026-01-10', 6, 8],
    ]);
    expect(sheet?.tables[0]).toMatchObject({ hiddenRows: [1], rows: [[{}, {}, { currency: 'SEK' }, {}], {}] });
    expect(sheet?.comments).toEqual([{ place: 'A!D1', text: 'Reed: Count again' }]);
  });
});

describe('comments and hidden cells', () => {
  it('are read with their places and authors', async () => {
    const notes =
      '<comments><authors><author>Reed</author><author>tc={1}</author></authors><commentList><comment ref="B2" authorId="0"><text><r><t>Count </t></r><r><t>again</t></r></text></comment><comment ref="B3" authorId="1"><text><t>[Threaded comment] Your version of Excel allows you to read it</t></text></comment></commentList></comments>';
    const thread =
      '<ThreadedComments><threadedComment ref="B3" personId="p"><text>Is this right?</text></threadedComment></ThreadedComments>';
    const bytes = workbook([
      {
        rows: [
          ['Item', 'Pieces'],
          ['Sieve', 4],
          ['Belt', 1],
        ],
        relations: [
          { type: 'comments', file: 'c.xml', body: notes },
          { type: 'threadedComment', file: 't.xml', body: thread },
        ],
      },
    ]);
    const { parts } = await documents.read({ bytes, name: 'a.xlsx' });
    expect(parts[1]).toEqual({
      page: 1,
      label: 'sheet S1, comments',
      text: '[Comment at B3: Is this right?]\n[Comment at B2: Reed: Count again]',
    });
  });

  it('are marked: sheets, rows and columns', async () => {
    const rows = [
      ['Item', 'Pieces', 'Margin'],
      ['Sieve', 4, 31],
      ['Belt', 1, 32],
      ['Rope', 2, 33],
    ];
    const bytes = workbook([
      { rows, hiddenRows: [3], columns: '<cols><col min="3" max="3" hidden="1"/></cols>' },
      {
        rows: [
          ['Key', 'Value'],
          ['a', 1],
        ],
        state: 'veryHidden',
      },
    ]);
    const { parts } = await documents.read({ bytes, name: 'a.xlsx' });
    expect(parts).toEqual([
      { page: 1, label: 'sheet S1', text: '| Item | Pieces |\n| --- | --- |\n| Sieve | 4 |\n| Rope | 2 |' },
      {
        page: 1,
        label: 'sheet S1 (hidden)',
        hidden: true,
        text: '| Item | Pieces | Margin |\n| --- | --- | --- |\n|  |  | 31 |\n| Belt | 1 | 32 |\n|  |  | 33 |',
      },
      { page: 2, label: 'sheet S2 (hidden)', hidden: true, text: '| Key | Value |\n| --- | --- |\n| a | 1 |' },
    ]);
    const [first, second] = await sheetsOf(bytes);
    expect(first).toMatchObject({ hidden: false, tables: [{ hiddenRows: [1], hiddenColumns: [2], rowCount: 3 }] });
    expect(second?.hidden).toBe(true);
  });
});

describe('cells in which a person sees nothing', () => {
  const styles = `<styleSheet><numFmts><numFmt numFmtId="200" formatCode=";;;"/></numFmts>
    <fonts><font><sz val="11"/></font><font><sz val="11"/><color rgb="FFFFFFFF"/></font><font><sz val="1"/></font></fonts>
    <fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="solid"/></fill></fills>
    <cellXfs><xf/><xf fontId="1"/><xf fontId="1" fillId="1"/><xf fontId="2"/><xf numFmtId="200"/></cellXfs></styleSheet>`;
  const [WHITE, ON_COLOR, TINY, WITHOUT_SIGN] = [1, 2, 3, 4];
  const sheet = (more = '') => ({
    rows: [
      ['Item', 'Pieces'],
      ['Sieve', { v: 4, f: ON_COLOR }],
      ['Belt', { v: 91, f: WHITE }],
      ['Rope', { v: 92, f: TINY }],
      ['Nail', { v: 93, f: WITHOUT_SIGN }],
      [{ v: 94, f: WHITE }],
    ],
    more,
  });

  it('are kept apart: white, tiny, or of a format without a sign', async () => {
    const { parts } = await documents.read({ bytes: workbook([sheet()], '', styles), name: 'a.xlsx' });
    expect(parts).toEqual([
      {
        page: 1,
        label: 'sheet S1',
        text: '| Item | Pieces |\n| --- | --- |\n| Sieve | 4 |\n| Belt |  |\n| Rope |  |\n| Nail |  |',
      },
      {
        page: 1,
        label: 'sheet S1, cells (hidden)',
        text: '[At B3: 91]\n[At B4: 92]\n[At B5: 93]\n[At A6: 94]',
        hidden: true,
      },
    ]);
  });

  it('are not the white ones where the sheet may color them', async () => {
    const bytes = workbook([sheet('<conditionalFormatting sqref="A1:B9"/>')], '', styles);
    const { parts } = await documents.read({ bytes, name: 'a.xlsx' });
    expect(parts[0]?.text).toContain('| Belt | 91 |');
    expect(parts[1]?.text).toBe('[At B4: 92]\n[At B5: 93]');
  });
});

describe('a hostile workbook', { timeout: 60_000 }, () => {
  it('of millions of merged ranges is read', async () => {
    const merges = Array.from({ length: 2_000_000 }, (_, n) => `<mergeCell ref="A${n + 1}:XFD${n + 2}"/>`).join('');
    const table = await tableOf(
      [
        ['Item', 'Pieces'],
        ['Sieve', 4],
        ['Belt', 1],
      ],
      `<mergeCells>${merges}</mergeCells>`,
    );
    expect(table?.rows).toHaveLength(2);
  });

  it('of a merged range over every cell is read', async () => {
    const table = await tableOf(
      [
        ['Item', 'Pieces'],
        ['Sieve', 4],
      ],
      '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>',
    );
    expect(table?.header).toEqual(['Item', 'Pieces']);
  });

  it('whose rows each look like a new table is read', async () => {
    const rows = Array.from(
      { length: 30_000 },
      (_, n): MadeCell[] => [['Item', 'Pieces'], ['Sieve', 4], []][n % 3] ?? [],
    );
    const [sheet] = await sheetsOf(workbook([{ rows }]));
    expect(sheet?.tables.length).toBeLessThanOrEqual(400);
    expect(sheet?.tables.reduce((sum, { rowCount, headerRows }) => sum + rowCount + headerRows, 0)).toBe(20_000);
  });
});
