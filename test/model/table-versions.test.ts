/** The offline model reads two versions of a table side by side, where the question names both. */
import { afterAll, describe, expect, it } from 'vitest';
import { writeXlsx } from '../../engines/outputs/workbook.ts';
import { openAgent } from '../agents/setup.ts';

const at = openAgent();
afterAll(() => at.close());

const DEPOTS = {
  'depots FY23.csv': 'Depot,Region,Deliveries,Late\nHull,North,1200,40\nLuton,South,900,30\nTelford,West,500,5\n',
  'depots FY24.csv': 'Depot,Region,Deliveries,Late\nHull,North,1350,31\nLuton,South,840,33\nCorby,West,700,9\n',
};
const PRICES = {
  'prices_2025.csv': 'Item,Price,Stock\nLamp,12.50,40\nDesk,180.00,4\nShelf,60.00,9\nRug,33.00,7\n',
  'prices_2026.csv': 'Item,Price,Stock\nLamp,13.20,35\nDesk,172.00,6\nShelf,66.00,3\nMirror,25.00,11\n',
};

async function asked(prompt: string, files: Record<string, string>): Promise<string> {
  const fileIds = await Promise.all(Object.entries(files).map(([name, text]) => at.storeText(name, text)));
  return (await at.run({ prompt, fileIds })).text?.replace(/\n\n_Written by[\s\S]*$/, '') ?? '';
}

describe('names of files', () => {
  it.each([
    ['How many deliveries did Hull make in FY23 and in FY24?', /Deliveries FY23: 1200, Deliveries FY24: 1350/],
    ['How many more deliveries did Hull make in FY24 than in FY23?', /\*\*150\*\*, over 1 row with Depot = Hull/],
    ['By how much did the deliveries of Luton fall from FY23 to FY24?', /\*\*60\*\*, over 1 row with Depot = Luton/],
    ['Which depot had the biggest increase in deliveries from FY23 to FY24?', /Depot: Hull, .*FY23: 150,/],
    ['Which depots had fewer deliveries in FY24 than in FY23?', /:\n\n- Luton, 60, 900, 840/],
    ['How many depots had more deliveries in FY24 than in FY23?', /^\*\*1\*\* row of/],
    [
      'Did the deliveries of Hull rise from FY23 to FY24, and what were they in each year?',
      /\*\*150\*\*[\s\S]*Deliveries FY23: 1200, Deliveries FY24: 1350/,
    ],
    ['How many deliveries did Hull make in FY24?', /\*\*1350\*\*, over 1 row/],
  ])('%s', async (prompt, answer) => expect(await asked(prompt, DEPOTS)).toMatch(answer));

  it('names both files as sources', async () => {
    const answer = await asked('How many deliveries did Hull make in FY23 and in FY24?', DEPOTS);
    expect(answer).toMatch(/\[1\] depots FY23\.csv, .*row 1 [\s\S]*\[2\] depots FY24\.csv, .*row 1 /);
  });
});

describe('years', () => {
  it.each([
    ['Which item had the biggest price increase from 2025 to 2026?', /\n- Shelf: \*\*\+6\*\*/],
    ['How many items have a higher price in 2026 than in 2025?', /^\*\*2\*\* rows/],
    ['Did the price of the desk go up from 2025 to 2026, and what was it in each year?', /\*\*-8\*\*, from 180 to 172/],
    ['Which items are in the 2025 list but not in the 2026 list?', /is not in prices_2026\.csv:\n\n- Rug, 33\.00, 7/],
    ['Um wie viel ist der Preis von Shelf von 2025 auf 2026 gestiegen?', /\*\*\+6\*\*, from 60 to 66/],
  ])('%s', async (prompt, answer) => expect(await asked(prompt, PRICES)).toMatch(answer));

  it('is compared with a budget of the same form', async () => {
    const answer = await asked('What is the difference between budget and actual travel for Sales?', {
      'budget.csv': 'Department,Rent,Travel\nSales,500,900\nIT,400,300\n',
      'actual.csv': 'Department,Rent,Travel\nSales,500,1100\nIT,400,250\n',
    });
    expect(answer).toMatch(/^The difference is \*\*200\*\*: Travel budget is 900, Travel actual is 1100/);
  });

  it('of two sheets', async () => {
    const sheet = (name: string, rows: string[][]) => ({ name, rows: [['Product', 'Units'], ...rows] });
    const bytes = writeXlsx([
      sheet('2025', [
        ['Honey', '120'],
        ['Wax', '30'],
      ]),
      sheet('2026', [
        ['Honey', '140'],
        ['Wax', '22'],
        ['Mead', '9'],
      ]),
    ]);
    const fileIds = [await at.store('shop.xlsx', bytes)];
    const { text } = await at.run({ prompt: 'Which product sold fewer units in 2026 than in 2025?', fileIds });
    expect(text).toMatch(/:\n\n- Wax, 8, 30, 22/);
  });
});

describe('sums over all rows', () => {
  // Telford and Corby, the rug and the mirror stand in one of the two only.
  it.each([
    ['What were the total deliveries in FY23 and FY24?', DEPOTS],
    ['By how much did the total price rise from 2025 to 2026?', PRICES],
    // No figure of one of the two is the biggest rise.
    ['Which item has the biggest price hike from 2025 to 2026?', PRICES],
    ['What is the average price in 2025 and in 2026?', PRICES],
  ])('are refused: %s', async (prompt, files) => expect(await asked(prompt, files)).toMatch(/^I cannot count/));

  it('are one figure for each year of one table', async () => {
    const answer = await asked('How many units were sold in 2025 and in 2026?', {
      'wide.csv': 'Product,Units 2025,Units 2026\nHoney,120,140\nWax,30,22\n',
    });
    expect(answer).toMatch(/Units 2025 is \*\*150\*\*[\s\S]*Units 2026 is \*\*162\*\*/);
  });
});
