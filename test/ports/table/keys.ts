/** Keys: any text within the size limit, and numbers that every table can order. */
import { expect, it } from 'vitest';
import { insertRow, type Opened } from './harness.ts';

const ODD = [
  '#',
  '/',
  ' ',
  '  ',
  '😀',
  '"',
  "'",
  '\\',
  '\0',
  'a\0b',
  '%',
  '?',
  '.',
  '..',
  '\n',
  '\u{ffff}',
  'é',
  'e\u0301',
  'É',
];

const WRONG: [string, { pk: string; sk: string }][] = [
  ['an empty pk', { pk: '', sk: 'S' }],
  ['an empty sk', { pk: 'P', sk: '' }],
  ['a pk of 2,049 bytes', { pk: 'p'.repeat(2_049), sk: 'S' }],
  ['an sk of 1,025 bytes', { pk: 'P', sk: 's'.repeat(1_025) }],
  ['a pk of few characters but many bytes', { pk: '€'.repeat(700), sk: 'S' }],
  ['an sk of few characters but many bytes', { pk: 'P', sk: '😀'.repeat(257) }],
  ['half a character in pk', { pk: 'P\ud800', sk: 'S' }],
  ['half a character in sk', { pk: 'P', sk: '\udc00S' }],
];

const listed = { list: 'L', at: 1, id: 'a', state: 's', type: 't', priority: 1 };

const WRONG_NUMBERS = [Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, 2 ** 53];

export function keyCases(opened: Opened): void {
  it('keeps keys apart that differ in any character', async () => {
    const { table } = opened();
    const keys = ODD.flatMap((odd) => [
      { pk: odd, sk: 'S' },
      { pk: 'P', sk: odd },
      { pk: `${odd}P`, sk: `S${odd}` },
    ]);
    for (const key of keys) await insertRow(table, { ...key, value: key });
    const rows = await table.getMany(keys);
    expect(rows.map((row) => row?.value)).toEqual(keys);
    for (const row of rows) expect(row && (await table.remove(row))).toBe(true);
  });

  it('takes the longest keys', async () => {
    const { table } = opened();
    const key = { pk: 'é'.repeat(1_024), sk: '😀'.repeat(256) };
    const row = await insertRow(table, { ...key, value: 1, dueAt: 1 });
    expect(await table.get(key)).toEqual(row);
    expect(await table.rows(key.pk, key.sk, { limit: 1 })).toEqual({ rows: [row] });
  });

  it.each(WRONG)('refuses %s', async (_, key) => {
    const { table } = opened();
    const stored = { ...key, version: 'v' };
    await expect(table.get(key)).rejects.toThrow(RangeError);
    await expect(table.getMany([key])).rejects.toThrow(RangeError);
    await expect(table.insert({ ...key, value: 1 })).rejects.toThrow(RangeError);
    await expect(table.replace(stored, { value: 1 })).rejects.toThrow(RangeError);
    await expect(table.remove(stored)).rejects.toThrow(RangeError);
    await expect(table.spend(key, { by: { a: 1 }, atMost: {}, expiresAt: 1 })).rejects.toThrow(RangeError);
  });

  it.each([
    ['an empty name', { list: '' }],
    ['a name that is too long', { list: 'l'.repeat(2_049) }],
    ['an id that is too long', { id: 'i'.repeat(1_024) }],
    ...WRONG_NUMBERS.map((at): [string, object] => [`the instant ${at}`, { at }]),
    ['an end before 1970', { endedAt: -1 }],
    ['no number as priority', { priority: Number.NaN }],
  ])('refuses a place in a list with %s', async (_, wrong) => {
    const { table } = opened();
    const draft = { pk: 'P', sk: 'S', value: 1, listed: { ...listed, ...wrong } };
    await expect(table.insert(draft)).rejects.toThrow(RangeError);
    expect(await table.get(draft)).toBeUndefined();
  });

  it.each(WRONG_NUMBERS)('refuses %d as a due time or an expiry', async (at) => {
    const { table } = opened();
    const row = await insertRow(table, { pk: 'P', sk: 'S', value: 1 });
    await expect(table.insert({ pk: 'P', sk: 'S2', value: 1, dueAt: at })).rejects.toThrow(RangeError);
    await expect(table.insert({ pk: 'P', sk: 'S2', value: 1, expiresAt: at })).rejects.toThrow(RangeError);
    await expect(table.replace(row, { value: 2, dueAt: at })).rejects.toThrow(RangeError);
    await expect(table.replace(row, { value: 2, expiresAt: at })).rejects.toThrow(RangeError);
    expect(await table.rows('P', '', { limit: 9 })).toEqual({ rows: [row] });
  });
}
