/** The offline model compares two columns of a table, and reads columns that hold the year in which something happened. */
import { afterAll, describe, expect, it } from 'vitest';
import { writeXlsx } from '../../engines/outputs/workbook.ts';
import { openAgent } from '../agents/setup.ts';

const at = openAgent();
afterAll(() => at.close());

async function asked(prompt: string, text: string, name = 't.csv'): Promise<string> {
  const fileId = await at.storeText(name, text);
  return (await at.run({ prompt, fileIds: [fileId] })).text?.replace(/\n\n_Written by[\s\S]*$/, '') ?? '';
}

const ARRESTS =
  'Offense,Total,Male,Female\nFraud,173.7,98.4,75.3\nRobbery,102.1,90.0,12.1\nEmbezzlement,14.6,7.2,7.4\n';
const STATES = `State,Region,OECD,Poverty
Chile,America,2010,11.0
Israel,Asia,2010,18.5
Norway,Europe,1961,9.1
Spain,Europe,1961,17.4
Peru,America,,20.2
`;

describe('two columns of one row', () => {
  it.each([
    [
      'How many women were arrested for fraud?',
      /The sum of Female is \*\*75\.3\*\*[\s\S]*Here “women” is the column Female/,
    ],
    [
      'How many more men than women were arrested for robbery?',
      /^The difference is \*\*77\.9\*\*: Male is 90, Female is 12\.1/,
    ],
    ['Were more males or females arrested for robbery?', /^The difference is \*\*77\.9\*\*/],
    [
      'Were more men or more women arrested for embezzlement, and what is the difference?',
      /^The difference is \*\*0\.2\*\*: Male is 7\.2, Female is 7\.4/,
    ],
  ])('%s', async (prompt, answer) => expect(await asked(prompt, ARRESTS, 'arrests.csv')).toMatch(answer));
});

describe('a column of years', () => {
  it.each([
    ['How many states joined the OECD in 2010?', /^\*\*2\*\* rows of t\.csv with OECD = 2010/],
    ['Which states joined the OECD in 1961?', /OECD = 1961:\n\n- Norway[^\n]*\n- Spain[^\n]*(?!\n-)/],
    ['How many states joined the OECD before 1970?', /^\*\*2\*\* rows of t\.csv with OECD under 1970/],
  ])('%s', async (prompt, answer) => expect(await asked(prompt, STATES)).toMatch(answer));
});

it('leaves out what is said between commas, and says so', async () => {
  const answer = await asked('In how many states, counting Peru as one, is the poverty above 17?', STATES);
  expect(answer).toMatch(/^\*\*3\*\* rows[\s\S]*“, counting Peru as one,” was left out/);
});

it('quotes the sentence that counts what no table does', async () => {
  const report = `# Arrests

The figures are reported by 12,910 agencies of all states. Some agencies report late.

| Offense | Total |
|---|---|
| Fraud | 173 |
| Robbery | 102 |
`;
  expect(await asked('How many agencies reported the figures?', report, 'r.md')).toMatch(/^> .*12,910 agencies/);
  expect(await asked('How many judges reported the figures?', report, 'r.md')).not.toMatch(/^>/);
});

it('looks up the values of a table among very many', async () => {
  const other = (nth: number) =>
    `## Part ${nth}\n\n| Name of the form of part ${nth} | Where it is sent in part ${nth} | Remark on part ${nth} |\n|---|---|---|\n| A${nth} | B${nth} | C${nth} |\n`;
  const others = Array.from({ length: 45 }, (_, nth) => other(nth + 1)).join('\n');
  const table = `## Allowances

| Payroll Period | One Withholding Allowance |
|---|---|
| Weekly . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . | 75.00 |
| Monthly . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . | 325.00 |
| period) | 15.00 |
`;
  const answer = await asked(
    'How much is one withholding allowance for a monthly payroll period?',
    `${others}\n${table}`,
    'tax.md',
  );
  expect(answer).toMatch(/is \*\*325\*\*, over 1 row with Payroll Period = Monthly\./);
});

it('adds up no total whose name ends in points', async () => {
  const table =
    '| Item | Cost |\n|---|---|\n| Rent . . . . . . | 100 |\n| Power . . . . . | 40 |\n| Total . . . . . | 140 |\n';
  expect(await asked('What is the total cost?', table, 'costs.md')).toMatch(/\*\*140\*\*, over 2 rows/);
});

it('knows what the rows of a sheet are from its name', async () => {
  const bytes = writeXlsx([
    {
      name: 'Cabbage and kale',
      rows: [
        ['Country', 'Exports (t)'],
        ['Spain', '120'],
        ['Poland', '310'],
      ],
    },
    {
      name: 'Notes',
      rows: [
        ['Note', 'Text'],
        ['1', 'Estimates'],
      ],
    },
  ]);
  const fileIds = [await at.store('trade.xlsx', bytes)];
  const { text } = await at.run({ prompt: 'Which country exports the most cabbage?', fileIds });
  expect(text).toMatch(/Poland/);
  expect(text).not.toMatch(/I cannot|Check this/);
});

it('takes the values that a heading lists for conditions', async () => {
  const dues = 'Member,Payment (open/paid),Fee\nAnn,open,20\nBen,paid,30\nCara,open,40\n';
  expect(await asked('How many members are open?', dues)).toMatch(/^\*\*2\*\* .*= open/);
  expect(await asked('What is the total fee of those who paid?', dues)).toMatch(/\*\*30\*\*|^I cannot/);
});
