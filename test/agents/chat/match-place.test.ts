/** What a cited place means in a document. */
import { describe, expect, it } from 'vitest';
import { matchPlace, type PlacePart } from '../../../agents/chat/match-place.ts';
import { processorMs } from '../../support/machine-speed.ts';

const part = (place: string, text = `Text of ${place}.`): PlacePart => ({ place, text });
const textsAt = (parts: PlacePart[], place: string) =>
  matchPlace(parts, place)?.stretches.map(({ part: at, from, to }) => parts[at]?.text.slice(from, to).trim());
const partsAt = (parts: PlacePart[], place: string) => matchPlace(parts, place)?.stretches.map(({ part: at }) => at);

const PAGES = Array.from({ length: 14 }, (_, at) => part(`page ${at + 1}`));

describe('a place by its label', () => {
  it.each([
    ['page 3', [2]],
    ['Page 3', [2]],
    ['p. 3', [2]],
    ['pages 3-5', [2, 3, 4]],
    ['pages 3–5', [2, 3, 4]],
    ['pp. 3 to 5', [2, 3, 4]],
    ['pages 3, 5 and 7', [2, 4, 6]],
    ['page 3, page 5', [2, 4]],
    ['page 3; page 5', [2, 4]],
    ['page 3 of 14', [2]],
    ['page 1', [0]],
    ['page 15', undefined],
    ['slide 3', undefined],
    ['', undefined],
  ])('of pages: %s', (place, expected) => expect(partsAt(PAGES, place)).toEqual(expected));

  const SHEETS = [
    part('sheet Costs, rows 1 to 60 of 1,300'),
    part('sheet Costs, rows 61 to 1,300 of 1,300'),
    part('sheet Costs, comments'),
    part('sheet Income'),
    { ...part('sheet Income (hidden)'), hidden: true as const },
  ];
  it.each([
    ['sheet Costs', [0, 1, 2]],
    ['Costs', [0, 1, 2]],
    ['sheet “Costs”', [0, 1, 2]],
    ['sheet Costs, rows 10 to 20', [0]],
    ['sheet Costs, rows 50-70', [0, 1]],
    ['sheet Costs, rows 1,200 to 1,250', [1]],
    ['Costs!B4:F40', [0]],
    ["'Costs'!$B$59:$F$62", [0, 1]],
    ['sheet Costs, cell B70', [1]],
    ['Costs!B2000', undefined],
    ['Income!B4', [3, 4]],
    ['sheet Income, row 7', [3, 4]],
    ['sheet Cost', undefined],
  ])('of sheets: %s', (place, expected) => expect(partsAt(SHEETS, place)).toEqual(expected));

  const SECTIONS = [
    'section Lease',
    'section 4. Deposit',
    'section 4.1 Amount',
    'section 41. Law',
    'section Lease (2)',
  ];
  it.each([
    ['section 4', [1, 2]],
    ['section 4. Deposit', [1]],
    ['4. Deposit', [1]],
    ['section 41', [3]],
    ['section Lease', [0]],
    ['section Lease (2)', [4]],
    ['section 5', undefined],
    ['page 4', undefined],
  ])('of sections: %s', (place, expected) =>
    expect(
      partsAt(
        SECTIONS.map((label) => part(label)),
        place,
      ),
    ).toEqual(expected),
  );

  it('gives the wanted lines of a text, and says which part they stand in', () => {
    const text = [part('lines 1-3', 'a\nb\nc'), part('lines 4-6', 'd\ne\nf')];
    expect(textsAt(text, 'lines 2-5')).toEqual(['b\nc', 'd\ne']);
    expect(textsAt(text, 'line 6')).toEqual(['f']);
    expect(textsAt(text, 'lines 7-9')).toBeUndefined();
    expect(matchPlace(text, 'line 6')?.place).toBe('lines 4-6');
  });
});

describe('a place by a heading', () => {
  const LEASE = [
    part('page 1', '# Lease\n\n## 3. Rent\n\nThe rent is 900.\n\n## 4. Deposit\n\nThe tenant pays 1,800.'),
    part('page 2', 'It is held by a bank.\n\n## 5. Repairs\n\nThe tenant paints.'),
  ];
  const deposit = ['## 4. Deposit\n\nThe tenant pays 1,800.', 'It is held by a bank.'];

  it.each(['section 4', 'clause 4', '4. Deposit', 'section 4. Deposit', '§ 4', 'clause 4, Deposit'])(
    'goes on to the next heading, also across a page: %s',
    (place) => {
      const stretches = textsAt(LEASE, place);
      expect(stretches).toEqual(deposit);
      expect(matchPlace(LEASE, place)?.place).toMatch(/^page 1, 4\. Deposit/);
    },
  );

  it('is narrowed by the page before it, and does not exist on another one', () => {
    expect(textsAt(LEASE, 'page 2, section 4')).toEqual(deposit.slice(1));
    expect(textsAt(LEASE, 'page 1, section 5')).toBeUndefined();
  });

  it('tells what of a place names nothing', () => {
    expect(matchPlace(LEASE, 'page 2, first paragraph')).toMatchObject({
      place: 'page 2',
      unmatched: ['first paragraph'],
    });
    expect(matchPlace(LEASE, 'page 2')?.unmatched).toEqual([]);
    expect(matchPlace(LEASE, 'section 12. Term')).toBeUndefined();
    expect(matchPlace(LEASE, 'section 4. Rent')).toBeUndefined();
  });

  it('has the word of its number, if both say it', () => {
    const parts = [part('page 1', '# Schedule 4\n\nKeys.\n\n# Article IV\n\nNotices.\n\n# Article 5\n\nLaw.')];
    expect(textsAt(parts, 'schedule 4')?.[0]).toMatch(/^# Schedule 4\n\nKeys/);
    expect(textsAt(parts, 'article IV')?.[0]).toMatch(/^# Article IV\n\nNotices/);
    expect(textsAt(parts, 'article 4')).toBeUndefined();
    expect(textsAt(parts, 'clause 5')).toBeUndefined();
  });

  it('ends at the next number of its kind, and is not the number of a page', () => {
    const parts = [
      part(
        'page 1',
        '# Item 7. Discussion\n\nSales:\n\n1. rose,\n2. fell.\n\nItem 8. Statements and data of the group.',
      ),
      part('page 2', '7\n\n# Next\n\nItem 9. None.'),
    ];
    expect(textsAt(parts, 'item 7')).toEqual(['# Item 7. Discussion\n\nSales:\n\n1. rose,\n2. fell.']);
    expect(textsAt(parts, 'item 9')).toEqual(['Item 9. None.']);
  });

  it('may be a paragraph that begins with a number', () => {
    const parts = [
      part('page 1', 'The parties agree:\n\n1. The tenant pays,\n2. the owner repairs,\n3. the law is that of Norway.'),
    ];
    expect(textsAt(parts, 'clause 2')).toEqual(['2. the owner repairs,']);
    expect(textsAt(parts, 'clause 4')).toBeUndefined();
  });
});

it('reads hostile text and places in time that grows with their length', () => {
  const hostile = (times: number) => [part('page 1', '# 1.1.1\n\n1. a\n\n'.repeat(1_000 * times))];
  const costOf = (times: number) => processorMs(() => matchPlace(hostile(times), 'section 9, '.repeat(200)));
  costOf(1);
  const [small, large] = [costOf(2), costOf(20)];
  expect(large / small).toBeLessThan(40);
});

it('reads a label that is a long list of numbers at once', () => {
  const list = `page ${'1,'.repeat(60)}x`;
  const parts = [part(`section ${list}`, 'Text.'), part('page 1', 'Text.')];
  expect(processorMs(() => matchPlace(parts, list))).toBeLessThan(200);
  expect(matchPlace(parts, 'pages 1, 5 and 1,234')?.place).toBe('page 1');
});
