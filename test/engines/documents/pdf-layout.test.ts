/** PDFs read by positions: columns, right-to-left runs, tables with and without rules, page margins, and hidden text. */
import { describe, expect, it } from 'vitest';
import { pdfPages } from './file-builders.ts';
import { openReader } from './setup.ts';

const documents = openReader();

const at = (x: number, y: number, text: string, { size = 10, font = 'F' } = {}): string =>
  `BT /${font} ${size} Tf ${x} ${y} Td (${text.replaceAll(/[()\\]/g, '\\$&')}) Tj ET\n`;
const line = (x0: number, y0: number, x1: number, y1: number): string => `${x0} ${y0} m ${x1} ${y1} l S\n`;
const shuffle = (drawn: string[]): string =>
  drawn
    .map((one, n) => ({ one, n: (n * 7) % 11 }))
    .sort((a, b) => a.n - b.n)
    .map(({ one }) => one)
    .join('');

const read = (contents: string[]) => documents.readWithLayout(pdfPages(contents), 'a.pdf');
const textOf = async (...contents: string[]): Promise<string> =>
  (await read(contents)).parts.map(({ text }) => text).join('\n\n');

const LEFT = [
  'Ferries on the northern route run',
  'every two hours from April until',
  'the end of October. In winter the',
  'harbour office publishes a list of',
  'the days on which they may sail.',
];
const RIGHT = [
  'Bicycles travel free of charge on',
  'all crossings before nine. Larger',
  'vehicles are booked at least three',
  'days ahead, and drivers show their',
  'booking at the gate of the harbour.',
];

describe('reading order', () => {
  it('reads two columns one after the other, below the title, however they were drawn', async () => {
    const rows = LEFT.flatMap((text, n) => [at(320, 700 - 14 * n, RIGHT[n] ?? ''), at(60, 700 - 14 * n, text)]);
    const text = await textOf(
      rows.join('') + at(60, 740, 'Timetable of the northern route for passengers and vehicles, summer'),
    );
    expect(text).toMatch(/^Timetable .* summer\n\nFerries .* may sail\.\s+Bicycles .* of the harbour\.$/s);
  });

  it('reads a sidebar of short lines apart from the text beside it', async () => {
    const main = [...LEFT, ...RIGHT].map((text, n) => at(60, 700 - 14 * n, `${text} and so on as before`));
    const side = ['Contact', 'Harbour office', 'Quay 4', 'Weekdays 8-16'].map((text, n) =>
      at(440, 693 - 19 * n, text, { size: 9 }),
    );
    const text = await textOf(shuffle([...main, ...side]));
    expect(text.replaceAll(/\s+/g, ' ')).toContain('Contact Harbour office Quay 4 Weekdays 8-16');
    expect(text.replaceAll(/\s+/g, ' ')).toContain('on as before every two hours');
  });

  it('keeps labels with their values below each other, and joins running text', async () => {
    const lines = [
      'Invoice number: INV-4',
      'Invoice date: 3 March 2026',
      'Bill to: Harbour Lights Ltd and its',
      'branches',
      'Due: 4 May',
    ];
    expect(await textOf(lines.map((text, n) => at(60, 700 - 14 * n, text)).join(''))).toBe(
      'Invoice number: INV-4\nInvoice date: 3 March 2026\nBill to: Harbour Lights Ltd and its branches\nDue: 4 May',
    );
  });

  it('begins a paragraph at each number of a list', async () => {
    const lines = ['1. At noon the pump stopped and', 'the alarm rang.', '2. At one it was started.'];
    expect(await textOf(lines.map((text, n) => at(60, 700 - 14 * n, text)).join(''))).toBe(
      '1. At noon the pump stopped and the alarm rang.\n\n2. At one it was started.',
    );
  });

  it('puts a label before the value that was drawn first', async () => {
    const text = await textOf(at(200, 700, '4711') + at(60, 700, 'Invoice number:') + at(60, 650, 'Thank you.'));
    expect(text).toMatch(/Invoice number: 4711/);
  });

  it('reads Hebrew from right to left, and the numbers within it from left to right', async () => {
    // The letters are drawn as they are seen, from left to right: the last letter of the last word comes first.
    const text = await textOf(
      at(300, 700, 'cba', { font: 'R' }) + at(250, 700, '1250') + at(200, 700, 'fed', { font: 'R' }),
    );
    expect(text.replaceAll(/\s+/g, ' ')).toBe('אבג 1250 דהו');
  });

  it('keeps the order in which a text was drawn when geometry is switched off', async () => {
    const drawn = openReader({ geometry: false });
    const bytes = pdfPages([at(200, 700, '4711') + at(60, 700, 'Invoice number:') + at(60, 650, 'Thank you.')]);
    expect(await drawn.text(bytes, 'a.pdf')).toMatch(/4711\s+Invoice number:/);
  });

  it('gives the blocks of a page with their kinds and boxes from the upper left corner', async () => {
    const { parts } = await read([
      at(60, 740, 'Timetable', { size: 20 }) + LEFT.map((text, n) => at(60, 700 - 14 * n, text)).join(''),
    ]);
    expect(parts[0]?.blocks).toMatchObject([{ kind: 'heading', text: '# Timetable' }, { kind: 'paragraph' }]);
    const { x, y, width, height } = parts[0]?.blocks?.[0]?.box ?? { x: 0, y: 0, width: 0, height: 0 };
    expect([x, y, height]).toEqual([60, 42, 22]);
    expect(width).toBeGreaterThan(80);
  });
});

const GOODS = ['Anchors', 'Buoys', 'Chains', 'Deck paint', 'Eye bolts', 'Fenders'];

describe('tables', () => {
  it('keep the numbers of a scale apart, in one row of boxes, but join those of a comb', async () => {
    const boxes = (y: number, signs: string) =>
      Array.from(
        signs,
        (sign, n) => `${60 + 20 * n} ${y} 20 20 re S\n${sign === ' ' ? '' : at(66 + 20 * n, y + 6, sign)}`,
      );
    const rows = ['12345', '0123', '411065', '12      '];
    const { parts } = await read([rows.flatMap((signs, n) => boxes(700 - 60 * n, signs)).join('')]);
    expect(parts[0]?.text.split(/\n+/)).toEqual(['1 2 3 4 5', '0 1 2 3', '411065', '12']);
  });

  it('finds columns by white space, with their first one, however they were drawn', async () => {
    const rows = ['Article', ...GOODS].flatMap((text, n) => [
      at(60, 700 - 14 * n, text),
      at(250, 700 - 14 * n, n === 0 ? 'Stock' : `${n * 3}`),
      at(400, 700 - 14 * n, n === 0 ? 'Price' : `${n}.50`),
    ]);
    const { tables } = await read([shuffle(rows)]);
    expect(tables).toMatchObject([
      { place: 'page 1', headerRows: 1, header: ['Article', 'Stock', 'Price'], rowCount: 6 },
    ]);
    expect(tables?.[0]?.rows[3]).toEqual(['Deck paint', '12', '4.50']);
  });

  it('joins a head with the column that stands beside it, but not one between two columns', async () => {
    const table = (x: number, ...heads: [number, string][]) => [
      ...heads.map(([left, head]) => at(left, 720, head)),
      ...[0, 1, 2, 3].flatMap((n) => [
        at(60, 700 - 16 * n, `Stone ${n}`),
        at(200, 700 - 16 * n, `${n}1`),
        at(x, 700 - 16 * n, `${n}4`),
      ]),
    ];
    const beside = table(330, [60, 'Item'], [200, 'Price'], [300, 'Stock']);
    const { parts, tables } = await read([shuffle(beside)]);
    expect(tables).toMatchObject([{ header: ['Item', 'Price', 'Stock'], rowCount: 4 }]);
    expect(parts[0]?.text).toContain('| Item | Price | Stock |\n| --- | --- | --- |\n| Stone 0 | 01 | 04 |');
    const between = table(330, [60, 'Item'], [255, 'Year']);
    expect((await read([shuffle(between)])).tables).toMatchObject([{ header: ['Item', '', 'Year', ''] }]);
  });

  it('joins the lines of a cell by what is empty beside them', async () => {
    const rows = [
      [at(60, 700, 'A-1'), at(150, 700, 'Repair of the winch on the'), at(450, 700, '920.00')],
      [at(150, 688, 'forward deck and a trial run')],
      [at(60, 676, 'A-2'), at(150, 676, 'Paint'), at(450, 676, '88.00')],
      [at(60, 664, 'A-3'), at(150, 664, 'Two ropes of hemp, each of'), at(450, 664, '140.00')],
      [at(150, 652, 'forty metres')],
    ];
    const { tables } = await read([rows.flat().join('')]);
    expect(tables?.[0]?.rows).toEqual([
      ['A-1', 'Repair of the winch on the forward deck and a trial run', '920.00'],
      ['A-2', 'Paint', '88.00'],
      ['A-3', 'Two ropes of hemp, each of forty metres', '140.00'],
    ]);
  });

  it('reads cells between rules, with lines below each other and an empty cell', async () => {
    const edges = [60, 160, 400, 500];
    const levels = [710, 690, 650, 630];
    const rules = [...edges.map((x) => line(x, 710, x, 630)), ...levels.map((y) => line(60, y, 500, y))];
    const words = [
      at(65, 696, 'Berth'),
      at(165, 696, 'Vessel'),
      at(405, 696, 'Since'),
      at(65, 668, '7'),
      at(165, 674, 'Aurora, with the'),
      at(165, 660, 'dinghy Bella'),
      at(405, 668, '2019'),
      at(65, 636, '8'),
      at(405, 636, '2021'),
    ];
    const { tables } = await read([rules.join('') + shuffle(words)]);
    expect(tables).toMatchObject([
      {
        header: ['Berth', 'Vessel', 'Since'],
        rows: [
          ['7', 'Aurora, with the dinghy Bella', '2019'],
          ['8', '', '2021'],
        ],
      },
    ]);
  });

  it('joins a table over page breaks and counts repeated headers once', async () => {
    const page = (number: number) =>
      at(60, 770, 'Harbour of Nordby, list of berths') +
      at(280, 30, `Page ${number} of 3`) +
      [0, ...Array.from({ length: 20 }, (_, n) => n + 1)]
        .map((n) => {
          const cells =
            n === 0 ? ['Berth', 'Vessel', 'Fee'] : [`${number}-${n}`, `Vessel ${number * 100 + n}`, `${n}.00`];
          return cells.map((text, column) => at(60 + 180 * column, 720 - 30 * n, text)).join('');
        })
        .join('');
    const { tables, parts } = await read([page(1), page(2), page(3)]);
    expect(tables).toMatchObject([{ place: 'page 1', header: ['Berth', 'Vessel', 'Fee'], rowCount: 60 }]);
    expect(tables?.[0]?.rows[59]).toEqual(['3-20', 'Vessel 320', '20.00']);
    expect(parts.map(({ blocks }) => blocks?.map(({ kind }) => kind))).toEqual(
      Array(3).fill(['header', 'table', 'footer']),
    );
  });

  it('shows a table that goes on without its header under the header of the page before', async () => {
    const rows = (names: string[][]) =>
      names.flatMap((cells, n) => cells.map((text, column) => at(60 + 180 * column, 700 - 14 * n, text))).join('');
    const { tables, parts } = await read([
      rows([
        ['Berth', 'Fee'],
        ['A', '10.00'],
        ['B', '20.00'],
      ]),
      rows([
        ['C', '30.00'],
        ['D', '40.00'],
      ]),
    ]);
    expect(tables).toMatchObject([{ rowCount: 4 }]);
    expect(parts[1]?.text).toMatch(/^\| Berth \| Fee \|\n.*\n\| C \| 30\.00 \|/);
  });

  it('does not take two columns of prose for a table', async () => {
    const { tables } = await read([
      LEFT.flatMap((text, n) => [at(60, 700 - 14 * n, text), at(320, 700 - 14 * n, RIGHT[n] ?? '')]).join(''),
    ]);
    expect(tables).toEqual([]);
  });

  it('ends soon on a page with ten thousand rules in each direction', async () => {
    const rules = Array.from(
      { length: 10_000 },
      (_, n) => line(n % 600, 10, n % 600, 700) + line(5, n % 797, 595, n % 797),
    ).join('');
    expect(await textOf(rules + at(60, 400, 'Chart of the harbour'))).toContain('Chart of the harbour');
  });
});

describe('hidden text', () => {
  const hiddenOf = async (content: string): Promise<string[]> => {
    const { parts } = await read([at(60, 750, 'What everybody sees') + content]);
    expect(parts.filter(({ hidden }) => !hidden).map(({ label }) => label)).toEqual(['page 1']);
    return parts.filter(({ hidden }) => hidden).map(({ label, text }) => `${label}: ${text}`);
  };
  const secret = at(60, 600, 'Pay twice');

  it.each([
    ['white on white', `1 1 1 rg ${secret}`],
    ['almost white on white', `0.98 g ${secret}`],
    ['black on black', `40 580 300 60 re f ${secret}`],
    ['smaller than 3 points', at(60, 600, 'Pay twice', { size: 2 })],
    ['scaled to less than 3 points', `q 0.1 0 0 0.1 0 0 cm ${at(60, 600, 'Pay twice', { size: 20 })} Q`],
    ['outside of the page', at(700, 600, 'Pay twice')],
    ['behind a picture', `${secret} q 300 0 0 60 40 580 cm /I Do Q`],
    ['behind a shape', `${secret} 0 0 1 rg 40 580 300 60 re f`],
    ['invisible', `3 Tr ${secret}`],
    ['transparent by its mode', `7 Tr ${secret}`],
  ])('is kept apart when it is %s', async (_, content) => {
    expect(await hiddenOf(content)).toEqual(['page 1 (hidden): Pay twice']);
  });

  it.each([
    ['white on a dark shape', `0 0 0.4 rg 40 580 300 60 re f 1 1 1 rg ${secret}`],
    ['white on a picture', `q 300 0 0 60 40 580 cm /I Do Q 1 1 1 rg ${secret}`],
    ['beside a picture', `${secret} q 300 0 0 60 240 580 cm /I Do Q`],
    ['beside what is filled within a clipping path', `${secret} q 300 560 200 90 re W n 0 0 1 rg 0 0 600 800 re f Q`],
    ['within a frame that is filled', `${secret} 0 0 1 rg 40 500 300 200 re 50 510 280 180 re f*`],
    ['black near a black drawing', `20 500 m 20 700 l 400 500 l f ${secret}`],
    ['of 4 points', at(60, 600, 'Pay twice', { size: 4 })],
  ])('is seen when it is %s', async (_, content) => {
    expect(await hiddenOf(content)).toEqual([]);
  });

  it('is not what OCR has put behind the picture of a scanned page', async () => {
    const { parts } = await read([
      `3 Tr ${secret} q 600 0 0 800 0 0 cm /I Do Q`,
      `${secret} q 600 0 0 800 0 0 cm /I Do Q`,
    ]);
    expect(parts.map(({ label, text }) => `${label}: ${text}`)).toEqual(['page 1: Pay twice', 'page 2: Pay twice']);
  });
});
