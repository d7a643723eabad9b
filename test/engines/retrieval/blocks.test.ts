/** How a text is split into blocks for search. */
import { expect, test } from 'vitest';
import { type TextBlock, walkBlocks } from '../../../engines/retrieval/blocks.ts';
import { headingsOf } from '../../../engines/retrieval/passages.ts';

function blocksOf(text: string, code = false): TextBlock[] {
  const blocks: TextBlock[] = [];
  walkBlocks({ text, code }, (block) => blocks.push(block));
  return blocks;
}

const blockTexts = (text: string, code = false) =>
  blocksOf(text, code).map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`);

test('distinguishes headings, paragraphs, items, rows and pairs', () => {
  const text = '# Title\nOne\ntwo.\n\n- a\n- b\n  more\n\n| H |\n|---|\n| 1 |\n\nName: Ann\nAge: 5';
  expect(blockTexts(text)).toEqual([
    'heading: Title',
    'prose: One\ntwo.',
    'item: a'.replace('a', '- a'),
    'item: - b\n  more',
    'row: | 1 |',
    'pair: Name: Ann',
    'pair: Age: 5',
  ]);
});

test('reads a labelled number in capitals as no heading', () =>
  expect(blockTexts('SECTION 2: PAY\n\nTTY: 9426 9315\n\nEmail: a@b.example')).toEqual([
    'heading: SECTION 2: PAY',
    'pair: TTY: 9426 9315',
    'pair: Email: a@b.example',
  ]));

test('reads a short line right above a long one as a heading, but none of an address or a paragraph', () => {
  const long = 'Monday to Friday the hall is open from 10:00 to 22:30, on weekends until 20:00.';
  const headings = (text: string) => blockTexts(text).filter((one) => one.startsWith('heading'));
  expect(headings(`Welcome\n\nOpening hours\n${long}\n\nShoes\n${long}`)).toEqual([
    'heading: Welcome',
    'heading: Opening hours',
    'heading: Shoes',
  ]);
  const others = [
    'Hotel Miramar\nCalle Mayor 5\n28001 Madrid',
    `The hall, which is old\n${long}`,
    `It is\nopen ${long}`,
  ];
  for (const text of others) expect(headings(`${long}\n\n${text}`), text).toEqual([]);
});

test('ends a value with its sentence, unless the value continues', () => {
  expect(blockTexts('Payment: 30 % in advance.\nThe warranty is five years.\n\nPlace: Hall 3,\nby the gate')).toEqual([
    'pair: Payment: 30 % in advance.',
    'prose: The warranty is five years.',
    'pair: Place: Hall 3,\nby the gate',
  ]);
});

test('reads headings of plain text: underlined, in capitals, numbered, or alone on a short line', () => {
  const text =
    'Title\n=====\n\nPART ONE\nText of it.\n\n2. Upkeep\n\nText again.\n\n  3. Patents.\n\n  A patent.\n\n4. Bring a pen, please.\n\nOpening hours\n\nNine to five.';
  expect(blockTexts(text).filter((one) => one.startsWith('heading'))).toEqual([
    'heading: Title',
    'heading: PART ONE',
    'heading: 2. Upkeep',
    'heading: 3. Patents.',
    'heading: Opening hours',
  ]);
});

test('gives a row its header and an item its introduction', () => {
  const text = 'You must:\n\n- pay\n- leave\n\n| A | B |\n|---|---|\n| 1 | 2 |';
  const leads = blocksOf(text).map(({ lead }) => lead && text.slice(lead.start, lead.end));
  expect(leads).toEqual([undefined, 'You must:', 'You must:', '| A | B |']);
});

test('returns the headings above a block, the nearest first', () => {
  const last = blocksOf('# One\n\n## Two\n\n# Three\n\n## Four\n\nText here.').at(-1);
  expect(last && headingsOf(last)).toEqual(['Four', 'Three']);
});

test('keeps code together, and its indentation', () => {
  expect(blockTexts('a = 1\nif a:\n    b()\n    c()\n\nd()', true)).toEqual([
    'code: a = 1\nif a:\n    b()\n    c()',
    'code: d()',
  ]);
  expect(blockTexts('Text.\n\n\u0060\u0060\u0060js\n# x\n\u0060\u0060\u0060\n\nMore.')).toEqual([
    'prose: Text.',
    'code: # x',
    'prose: More.',
  ]);
});

test('loses no text, however small its pieces are', () => {
  const text = '- a1\n'.repeat(40_000);
  const read = blocksOf(text).reduce(
    (sum, { start, end }) => sum + text.slice(start, end).replace(/\s/g, '').length,
    0,
  );
  expect(read).toBe(text.replace(/\s/g, '').length);
});
