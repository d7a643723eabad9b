/** What code reads in an answer: its sentences with the places they cite, and what stands there. */
import { describe, expect, it } from 'vitest';
import { statementsIn } from '../../../agents/chat/rules/answer-statements.ts';
import { comparedAnswer } from '../../../agents/chat/rules/compared-answer.ts';
import type { ToolResult } from '../../../agents/chat/tool-results.ts';

const NAMES = ['lease.pdf', 'Costs, final.xlsx'];

const NAMED = { files: NAMES, otherNames: ['summary.xlsx'] };

const read = (answer: string) =>
  statementsIn(answer, NAMED).map(({ text, citations }) => [
    text,
    citations.map(({ files: [file], place }) => [file, place]),
  ]);

describe('the statements of an answer', () => {
  it.each([
    ['before the full stop', 'The rent is 900 [lease.pdf, page 3]. It is fair.'],
    ['behind the full stop', 'The rent is 900. [lease.pdf, page 3] It is fair.'],
  ])('have the places that are cited %s', (_, answer) => {
    expect(read(answer)).toEqual([['The rent is 900.', [[0, 'page 3']]]]);
  });

  it('have several places, of names with commas too, and of the same file behind a semicolon', () => {
    const answer = 'Both say 900 [lease.pdf, page 3; page 5; Costs, final.xlsx, sheet Costs].';
    const places = [
      [0, 'page 3'],
      [0, 'page 5'],
      [1, 'sheet Costs'],
    ];
    expect(read(answer)).toEqual([['Both say 900.', places]]);
  });

  it('cite a file that is not there, and nothing where brackets hold no name', () => {
    expect(read('It was 25 [old-lease.pdf, page 4].')).toEqual([['It was 25.', [[undefined, 'page 4']]]]);
    for (const brackets of [
      '[sic]',
      '[1]',
      '[see below, page 4]',
      '[summary.xlsx]',
      '[Node.js, 2030]',
      '[lease.pdf, page 3](https://a.example)',
    ])
      expect(read(`It was 25 ${brackets}.`).map(([, citations]) => citations)).toEqual([[]]);
  });

  it('are rows with the heads of their columns, and items with what introduces them', () => {
    const table = 'Costs of 2030\n\n| Item | EUR |\n| --- | --- |\n| Rent [lease.pdf, page 3] | 900 |';
    expect(statementsIn(table, NAMED)).toMatchObject([
      { text: 'Costs of 2030' },
      { text: 'Item: Rent; EUR: 900', context: 'Costs of 2030', citations: [{ files: [0] }] },
    ]);
    const list = '## Money\n\nThe tenant pays:\n\n1. 900 a month\n2. 18,000 once';
    expect(statementsIn(list, NAMED)).toMatchObject([
      { text: '900 a month', context: 'Money … The tenant pays:' },
      { text: '18,000 once' },
    ]);
  });

  it('are whole where an abbreviation stands in brackets', () => {
    const item = '- Pfand: 46,50 EUR (15 × 3,10 EUR, 19 % USt.); mit USt. 55,34 EUR [lease.pdf, page 2].';
    expect(read(item)).toEqual([['Pfand: 46,50 EUR (15 × 3,10 EUR, 19 % USt.); mit USt. 55,34 EUR.', [[0, 'page 2']]]]);
  });

  it.each([
    ['a line of its own', 'The rent is 900. [lease.pdf, page 3]\n\nThat is all.'],
    ['a bold line', '**The rent is 900 [lease.pdf, page 3].**\n\nThat is all.'],
    ['a loose list', '- The rent is 900 [lease.pdf, page 3]\n\n- Nothing else'],
    ['a heading', '## The rent is 900 [lease.pdf, page 3]\n\nThat is all.'],
    ['a fenced text', '```\nThe rent is 900 [lease.pdf, page 3]\n```'],
  ])('stand in %s as well', (_, answer) => {
    expect(read(answer)).toEqual([[expect.stringMatching(/^The rent is 900\.?$/), [[0, 'page 3']]]]);
  });

  it('name all files of one name, and whole names with a semicolon', () => {
    const names = { files: ['a; b.pdf', 'bill.pdf', 'Bill.pdf'], otherNames: [] };
    const [statement] = statementsIn('It is 9 [bill.pdf, page 1; a; b.pdf, page 2].', names);
    expect(statement?.citations).toMatchObject([
      { files: [1, 2], place: 'page 1' },
      { files: [0], place: 'page 2' },
    ]);
  });

  it('are only sentences with a figure or a place', () => {
    expect(read('Dear reader,\n\nit is a lease.\n\n## 2. Parties\n\nIt is signed [lease.pdf, page 9].')).toEqual([
      ['It is signed.', [[0, 'page 9']]],
    ]);
  });
});

const TABLE = '| In GBP thousand | 2029 | 2030 |\n| --- | --- | --- |\n| Repairs | 14.5 | 16.2 |';
const CALM = 'The sea is calm at the quay. '.repeat(150);

const LEASE = {
  name: 'lease.pdf',
  isFile: true,
  parts: [
    { label: 'page 1', text: 'Lease of a bakery\n\nThe rent is £900 a month.' },
    { label: 'page 2', text: `${TABLE}\n\n${CALM}` },
    { label: 'page 3', text: 'The key is kept by the porter.\n\nNobody else has one.' },
  ],
};

function weigh(answer: string, toolResults: ToolResult[] = []) {
  const {
    statements: [statement],
  } = comparedAnswer({
    savedNames: [],
    sources: [LEASE],
    toolResults,
    texts: [{ where: 'the answer', text: answer }],
  });
  return statement;
}

describe('what code says of a statement', () => {
  it('shows what stands at the cited place, with the head of its table', () => {
    const statement = weigh('Repairs came to 16.2 thousand pounds in 2030 [lease.pdf, page 2].');
    expect(statement).toMatchObject({ missing: [], unfounded: [], isUncited: false, files: [0] });
    expect(statement?.quotes).toEqual([
      expect.objectContaining({
        source: 'lease.pdf, page 2',
        text: '| Repairs | 14.5 | 16.2 |',
        head: expect.stringContaining('2029 | 2030'),
      }),
    ]);
  });

  it('shows a short place whole, also where no word of the statement stands there', () => {
    const statement = weigh('Der Schlüssel liegt beim Pförtner [lease.pdf, page 3].');
    expect(statement?.quotes.map(({ text }) => text)).toEqual([
      'The key is kept by the porter.\n\nNobody else has one.',
    ]);
  });

  it('names the figures that do not stand at the cited place, also if they stand at another', () => {
    expect(weigh('The rent is £900 [lease.pdf, page 2].')?.unfounded).toEqual(['£900']);
    expect(weigh('The rent is £900 [lease.pdf, page 1].')?.unfounded).toEqual([]);
  });

  it('finds a figure whose decimals are written otherwise', () => {
    const parts = [{ label: 'page 1', text: 'The price of a crate is 3,1000 euros.\n\nIn all it is 46,50 euros.' }];
    const {
      statements: [statement],
    } = comparedAnswer({
      savedNames: [],
      sources: [{ name: 'bill.pdf', isFile: true, parts }],
      toolResults: [],
      texts: [{ where: 'the answer', text: 'The price is 3,10 each [bill.pdf, page 1].' }],
    });
    expect(statement?.unfounded).toEqual([]);
    expect(statement?.quotes[0]?.text).toContain('3,1000');
  });

  it('names places that do not exist', () => {
    expect(weigh('The rent is £900 [lease.pdf, page 7].')?.missing).toEqual(['lease.pdf, page 7']);
    expect(weigh('The rent is £900 [other.pdf, page 1].')?.missing).toEqual(['other.pdf, page 1']);
  });

  it('takes the place of the paragraph for a sentence without one, and else the nearest of all', () => {
    const {
      statements: [first],
    } = comparedAnswer({
      savedNames: [],
      sources: [LEASE],
      toolResults: [],
      texts: [{ where: 'the answer', text: 'It is 900. So it says [lease.pdf, page 2].' }],
    });
    expect(first).toMatchObject({ isUncited: false, unfounded: ['900'] });
    const uncited = weigh('The rent is £900 a month.');
    expect(uncited).toMatchObject({ isUncited: true, unfounded: [] });
    expect(uncited?.quotes).toEqual([expect.objectContaining({ source: 'lease.pdf, page 1' })]);
  });

  it('takes a figure that no file has from the request or the result of an earlier step', () => {
    const request = { name: 'the request', isFile: false, parts: [{ label: '', text: 'We pay 1,250 at most.' }] };
    const text = 'The rent of £900 is below 1,250 [lease.pdf, page 1].';
    const {
      statements: [statement],
    } = comparedAnswer({
      savedNames: [],
      sources: [LEASE, request],
      toolResults: [],
      texts: [{ where: 'the answer', text }],
    });
    expect(statement?.unfounded).toEqual([]);
    expect(statement?.quotes.map(({ source }) => source)).toEqual(['lease.pdf, page 1', 'the request']);
  });

  it('takes what was calculated or queried, and shows how', () => {
    const calculated = { tool: 'calculate', input: 'change(14.5, 16.2)', output: '11.724137931' } as const;
    const statement = weigh('Repairs rose by 11.7 % [lease.pdf, page 2].', [calculated]);
    expect(statement?.unfounded).toEqual([]);
    expect(statement?.quotes.map(({ text }) => text)).toEqual([
      '| Repairs | 14.5 | 16.2 |',
      'change(14.5, 16.2) = 11.724137931',
    ]);
    const day = { tool: 'calculate', input: '2030-01-31 + 3 months', output: '{"result":"2030-04-30"}' } as const;
    const tenant = weigh('The rent is £900 a month [lease.pdf, page 1].', [day]);
    expect(tenant?.quotes.map(({ source }) => source)).toEqual(['lease.pdf, page 1']);
    const queried = { tool: 'query_table', input: 'SELECT sum(x) FROM t1', output: '[{"sum":30.7}]' } as const;
    expect(weigh('Repairs came to 30.7 in all [lease.pdf, page 2].', [queried])?.unfounded).toEqual([]);
    expect(weigh('Repairs came to 31.7 in all [lease.pdf, page 2].', [queried])?.unfounded).toEqual(['31.7']);
  });
});
