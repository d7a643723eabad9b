/** Queries over the tables of documents: exact, one at a time, and ended when they run too long. */
import { afterAll, describe, expect, it } from 'vitest';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import { writeXlsx } from '../../../engines/outputs/workbook.ts';

const documents = openDocuments(readerFilesFromCheckout());
afterAll(() => documents.close());

type File = { name: string; text?: string; bytes?: Uint8Array; parts?: { label: string; text: string }[] };

const run = (sql: string | undefined, ...files: File[]) => runFor('tests', sql, ...files);
const runFor = (organization: string, sql: string | undefined, ...files: File[]) =>
  documents.query(
    async () => ({
      files: files.map(({ name, text = '', bytes, parts }) =>
        parts ? { name, parts } : { name, bytes: bytes ?? Buffer.from(text) },
      ),
      sql,
    }),
    { organization },
  );
const rows = async (sql: string, ...files: File[]) => {
  const { result, error } = await run(sql, ...files);
  return error ?? result?.rows;
};

const bills: File = {
  name: 'bills.csv',
  text: 'Day,Payee,Amount (EUR),Share\n2026-01-05,Öl AG,0.10,5 %\n2026-02-05,Berg,0.20,10 %\n2026-02-07,Berg,"1,000.30",85 %\nTotal,,"1,000.60",100 %\n',
};

it('describes tables by columns with plain names and types', async () => {
  const { tables } = await run(undefined, bills);
  expect(tables).toEqual([
    {
      table: 't1',
      file: 1,
      name: 'bills.csv',
      place: 'A1:D5',
      rows: 4,
      columns: [
        { column: 'day', heading: 'Day', type: 'date' },
        { column: 'payee', heading: 'Payee', type: 'text' },
        { column: 'amount_eur', heading: 'Amount (EUR)', type: 'number' },
        { column: 'share', heading: 'Share', type: 'number' },
      ],
    },
  ]);
});

describe('threads', () => {
  /** The number of threads that the queries open. */
  async function opened(queries: () => Promise<unknown>): Promise<number> {
    let threads = 0;
    const count = () => threads++;
    process.on('worker', count);
    await queries();
    process.off('worker', count);
    return threads;
  }

  it('describe tables for all organizations, and run the statements of one', async () => {
    await run(undefined, bills);
    expect(await opened(() => runFor('other', undefined, bills))).toBe(0);
    expect(await opened(() => runFor('a', 'SELECT 1', bills))).toBe(1);
    expect(await opened(() => runFor('a', 'SELECT sum(amount_eur) FROM t1', bills))).toBe(0);
    expect(await opened(() => runFor('b', 'SELECT 1', bills))).toBe(1);
    expect(await opened(() => run(undefined, bills))).toBe(0);
  });

  it('are not used again after a statement that failed', async () => {
    await runFor('c', 'SELECT 1', bills);
    expect(await opened(() => runFor('c', 'SELECT nothing', bills))).toBe(0);
    expect(await opened(() => runFor('c', 'SELECT 1', bills))).toBe(1);
  });

  it('of at most two organizations wait for a next statement', async () => {
    for (const organization of ['d', 'e', 'f']) await runFor(organization, 'SELECT 1', bills);
    expect(await opened(() => runFor('f', 'SELECT 1', bills))).toBe(0);
    expect(await opened(() => runFor('e', 'SELECT 1', bills))).toBe(0);
    expect(await opened(() => runFor('d', 'SELECT 1', bills))).toBe(1);
  });

  it('give the memory of each statement back to SQLite', async () => {
    // Sorted in 50 of the 128 MB, and left after its first rows.
    const many = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5000)';
    const large = `${many} SELECT x, printf('%.*c', 10000, 'x') AS wide FROM c ORDER BY 2, 1`;
    const count = await opened(async () => {
      for (let n = 0; n < 6; n++)
        expect(await runFor('g', large, bills)).toMatchObject({ result: { truncated: true } });
    });
    expect(count).toBe(1);
  });
});

it('takes a first row of amounts for a row, not for names of columns, unless it has years', async () => {
  const text = '| Bo | 1,200.50 |\n| --- | --- |\n| Ada | 80.10 |\n\n| Town | 2024 |\n| --- | --- |\n| Kiel | 12 |\n';
  const { tables } = await run('SELECT 1', { name: 'a.pdf', parts: [{ label: 'page 1', text }] });
  expect(tables.map(({ rows, columns }) => [rows, ...columns.map(({ heading }) => heading)])).toEqual([
    [2, '', ''],
    [1, 'Town', '2024'],
  ]);
});

describe('calculates', () => {
  it.each([
    ['SELECT sum(amount_eur) FROM t1 WHERE NOT is_total', [[1000.6]]],
    ["SELECT avg(amount_eur), count(*) FROM t1 WHERE payee = 'Berg'", [[500.25, 2]]],
    ['SELECT sum(amount_eur * 3) FROM t1 WHERE row <= 2', [[0.9]]],
    [
      'SELECT payee, sum(amount_eur) FROM t1 WHERE is_total = 0 GROUP BY payee ORDER BY 2 DESC',
      [
        ['Berg', 1000.5],
        ['Öl AG', 0.1],
      ],
    ],
    ["SELECT day, amount_eur_text FROM t1 WHERE day >= '2026-02-06'", [['2026-02-07', '1,000.30']]],
    ["SELECT payee FROM t1 WHERE fold(payee) LIKE 'ol%'", [['Öl AG']]],
    ['SELECT share FROM t1 WHERE row = 1', [[0.05]]],
    [
      'WITH x AS (SELECT max(amount_eur) m FROM t1 WHERE NOT is_total) SELECT day FROM t1, x WHERE amount_eur = m',
      [['2026-02-07']],
    ],
    ['SELECT sum(amount_eur) OVER (ORDER BY row) FROM t1 LIMIT 2', [[0.1], [0.3]]],
  ])('%s', async (sql, expected) => expect(await rows(sql, bills)).toEqual(expected));

  it('sums more digits than a number holds', async () => {
    const text = `n\tk\n${'9007199254740.99\ta\n'.repeat(3)}`;
    expect(await rows('SELECT sum(n) FROM t1', { name: 'n.tsv', text })).toEqual([['27021597764222.97']]);
  });

  it('joins the tables of two files', async () => {
    const other: File = {
      name: 'payees.md',
      parts: [{ label: 'page 2', text: 'Text.\n\n| Payee | City |\n| --- | --- |\n| Berg | Kiel |' }],
    };
    const { result } = await run(
      'SELECT city, sum(a.amount_eur) FROM t1 a JOIN t2 b ON a.payee = b.payee GROUP BY city',
      bills,
      other,
    );
    expect(result?.rows).toEqual([['Kiel', 1000.5]]);
    expect(result?.used).toEqual([
      { table: 't1', file: 1, name: 'bills.csv', place: 'A1:D5', rows: [2, 3], count: 2 },
      { table: 't2', file: 2, name: 'payees.md', place: 'page 2', rows: [1], count: 1 },
    ]);
  });

  it('uses the types of a workbook, and leaves out what it hides', async () => {
    const bytes = writeXlsx([
      {
        name: 'A',
        rows: [
          ['When', 'How much'],
          [
            { type: 'date', value: '2026-03-04' },
            { type: 'currency', value: '0.1', currency: 'EUR' },
          ],
        ],
      },
    ]);
    expect(await rows('SELECT * FROM t1', { name: 'a.xlsx', bytes })).toEqual([
      [1, 0, '2026-03-04', '2026-03-04', 0.1, '0.10 EUR'],
    ]);
  });

  it('reads days and decimals by their whole column, and no day that may be another', async () => {
    const text = 'a;b;c\n03/04/2026;1.234,50;03/04/2026\n25/04/2026;0,5;04/05/2026\n';
    expect(await rows('SELECT a, b, c FROM t1', { name: 'x.csv', text })).toEqual([
      ['2026-04-03', 1234.5, '03/04/2026'],
      ['2026-04-25', 0.5, '04/05/2026'],
    ]);
  });
});

it('reads years of two digits behind a day and a month of two, and no numbers of chapters', async () => {
  const text = 'a;b\n13.06.24;1.2.10\n05.07.2024;1.2.11\n01.02.99;1.2.12\n';
  expect(await rows('SELECT a, b FROM t1', { name: 'x.csv', text })).toEqual([
    ['2024-06-13', '1.2.10'],
    ['2024-07-05', '1.2.11'],
    ['1999-02-01', '1.2.12'],
  ]);
});

describe('a table that goes on from sheet to sheet', () => {
  const sheet = (name: string, ...cells: string[][]) => ({ name, rows: [['Day', 'Show', 'Take'], ...cells] });
  const book = (...sheets: ReturnType<typeof sheet>[]): File => ({ name: 'shows.xlsx', bytes: writeXlsx(sheets) });
  const spring = sheet(
    'Spring 2024',
    ['2024-03-01', 'Lantern', '10'],
    ['2024-03-02', 'Lantern', '20'],
    ['Total', '', '30'],
  );
  const autumn = sheet('Autumn 2024', ['2024-09-01', 'Harbour', '40'], ['2024-09-02', 'Harbour', '']);

  it('is one more table, whose rows are named by their sheets', async () => {
    const { tables, result } = await run(
      'SELECT sum(take), count(*) FROM t3 WHERE is_total = 0 AND take > 10',
      book(spring, autumn),
    );
    expect(tables.map(({ table, place, rows: count, parts }) => ({ table, place, count, parts }))).toEqual([
      { table: 't1', place: "'Spring 2024'!A1:C4", count: 3, parts: undefined },
      { table: 't2', place: "'Autumn 2024'!A1:C3", count: 2, parts: undefined },
      { table: 't3', place: 'Spring 2024 and Autumn 2024', count: 5, parts: ['t1', 't2'] },
    ]);
    expect(tables[2]?.columns.at(-1)).toEqual({ column: 'sheet', heading: 'Sheet', type: 'text' });
    expect(result).toMatchObject({
      rows: [[60, 2]],
      recomputed: true,
      used: [
        { table: 't1', rows: [2], count: 1 },
        { table: 't2', rows: [1], count: 1 },
      ],
    });
  });

  it('keeps the text of days and what sheet a row is of', async () => {
    expect(await rows('SELECT row, day, day_text, sheet FROM t3 WHERE row > 3', book(spring, autumn))).toEqual([
      [4, '2024-09-01', '2024-09-01', 'Autumn 2024'],
      [5, '2024-09-02', '2024-09-02', 'Autumn 2024'],
    ]);
  });

  it.each<[string, File]>([
    [
      'a thing that stands once in each',
      book(
        sheet('2023', ['North', 'a', '1'], ['South', 'b', '2']),
        sheet('2024', ['North', 'a', '3'], ['South', 'b', '4']),
      ),
    ],
    ['names that differ in a word', book({ ...spring, name: 'Budget 2024' }, { ...autumn, name: 'Actual 2024' })],
    ['a sheet of the whole year', book({ ...spring, name: 'Jan' }, { ...autumn, name: '2024' })],
    [
      'more of them than are read',
      book(
        ...Array.from({ length: 53 }, (_, at) =>
          sheet(`Week ${at + 1}`, [`2024-01-01`, `Show ${at}`, '1'], ['2024-01-02', `Play ${at}`, '2']),
        ),
      ),
    ],
    ['words that begin like a month', book({ ...spring, name: 'Marketing' }, { ...autumn, name: 'Maintenance' })],
    ['scenarios', book({ ...spring, name: 'Scenario 1' }, { ...autumn, name: 'Scenario 2' })],
    [
      'one thing in each month',
      book(
        {
          name: 'Jan',
          rows: [
            ['Team', 'Role', 'Staff'],
            ['IT', 'Lead', '1'],
            ['IT', 'Dev', '5'],
          ],
        },
        {
          name: 'Feb',
          rows: [
            ['Team', 'Role', 'Staff'],
            ['IT', 'Lead', '1'],
            ['IT', 'Tester', '6'],
          ],
        },
      ),
    ],
    ['versions', book({ ...spring, name: 'v1' }, { ...autumn, name: 'v2' })],
    ['names without a period', book({ ...spring, name: 'Income' }, { ...autumn, name: 'Expenses' })],
    [
      'other headings',
      book(spring, {
        name: 'Autumn 2024',
        rows: [
          ['Day', 'Show', 'Loss'],
          ['2024-09-01', 'x', '4'],
        ],
      }),
    ],
    ['other types', book(spring, sheet('Autumn 2024', ['2024-09-01', 'x', 'full'], ['2024-09-02', 'y', 'half']))],
  ])('but not with %s', async (_, file) =>
    expect((await run(undefined, file)).tables.filter(({ parts }) => parts)).toEqual([]),
  );
});

describe('names the rows behind a figure', () => {
  const long: File = {
    name: 'long.csv',
    text: `n,k\n${Array.from({ length: 120 }, (_, at) => `${at},${at % 2}\n`).join('')}`,
  };

  it('the first 50 and the count, and confirms the figure from them', async () => {
    const { result } = await run("SELECT sum(n), count(*), avg(n), min(n), max(n) FROM t1 WHERE k = '1' -- odd", long);
    expect(result).toMatchObject({ rows: [[3600, 60, 60, 1, 119]], recomputed: true });
    expect(result?.used?.[0]?.count).toBe(60);
    expect(result?.used?.[0]?.rows).toEqual(Array.from({ length: 50 }, (_, at) => 2 * at + 2));
  });

  it.each([
    [
      'SELECT k, sum(n), count(*) FROM t1 GROUP BY k',
      [
        [0, 3540, 60],
        [1, 3600, 60],
      ],
    ],
    [
      "SELECT iif(k, 'odd', 'even') AS kind, max(n) AS most FROM t1 WHERE n < 10 GROUP BY kind ORDER BY most DESC",
      [
        ['odd', 9],
        ['even', 8],
      ],
    ],
    ['SELECT avg(n) AS mean, k FROM t1 GROUP BY 2 HAVING mean > 59 LIMIT 1;', [[60, 1]]],
    [
      'SELECT n % 3, k, min(n) FROM t1 GROUP BY k, n % 3 LIMIT 2',
      [
        [0, 0, 0],
        [1, 0, 4],
      ],
    ],
  ])('of each group, whose figures it confirms: %s', async (sql, expected) => {
    const { result, error } = await run(sql, long);
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ rows: expected, recomputed: true });
  });

  it.each([
    'SELECT sum(n) FROM t1 GROUP BY k',
    'SELECT k, n, sum(n) FROM t1 GROUP BY k',
    'SELECT k, sum(n) / count(*) FROM t1 GROUP BY k',
    'SELECT upper(k) AS k, sum(n) FROM t1 GROUP BY k',
    'SELECT k, count(DISTINCT n) FROM t1 GROUP BY k',
    'SELECT k FROM t1 GROUP BY k',
  ])('and says of no other figure that it is confirmed: %s', async (sql) => {
    const { result, error } = await run(sql, long);
    expect(error).toBeUndefined();
    expect(result?.used?.[0]?.count).toBe(120);
    expect(result).not.toHaveProperty('recomputed');
  });

  it('but not of what it cannot see through', async () => {
    expect((await run('SELECT sum(n) FROM (SELECT n FROM t1)', long)).result).toEqual({
      columns: ['sum(n)'],
      rows: [[7140]],
    });
    expect((await run('SELECT n FROM t1 UNION SELECT k FROM t1', long)).result?.used).toBeUndefined();
  });
});

describe('refuses', () => {
  it.each([
    ['DELETE FROM t1', /Only one SELECT/],
    ["ATTACH '/etc/passwd' AS x", /Only one SELECT/],
    ['PRAGMA query_only=OFF', /Only one SELECT/],
    ['/* SELECT */ DROP TABLE t1', /Only one SELECT/],
    ['SELECT 1; DROP TABLE t1', /Only one statement/],
    ['WITH a AS (SELECT 1) DELETE FROM t1', /readonly/],
    ["SELECT load_extension('x')", /no such function/],
    ["SELECT readfile('/etc/passwd')", /no such function/],
    ['SELECT zeroblob(1000000000)', /memory|too big/],
    ['SELECT nowhere FROM t1', /no such column/],
    [`SELECT ${'('.repeat(5_000)}1${')'.repeat(5_000)}`, /./],
    [`SELECT '${'x'.repeat(20_000)}'`, /at most/],
    ['', /Only one SELECT/],
  ])('%.60s', async (sql, error) =>
    expect(await run(sql, bills)).toMatchObject({ error: expect.stringMatching(error) }),
  );

  it('more than 10,000 rows and a million characters, and says so', async () => {
    const many = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 20000) SELECT x FROM c';
    const { result } = await run(many, bills);
    expect([result?.rows.length, result?.truncated]).toEqual([10_000, true]);
    const wide = (await run(many.replace('SELECT x FROM', "SELECT printf('%.*c', 9000, 'x') FROM"), bills)).result;
    expect(wide?.rows.length).toBe(111);
    expect(wide?.truncated).toBe(true);
  });
});

it('ends an endless statement, and the next one runs', async () => {
  const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';
  await expect(run(endless, bills)).rejects.toMatchObject({ reason: 'tooSlow' });
  expect(await rows('SELECT count(*) FROM t1', bills)).toEqual([[4]]);
}, 20_000);
