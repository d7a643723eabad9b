/** Values: any JSON up to the size of one row is returned unchanged. */
import { expect, it } from 'vitest';
import { insertRow, key, type Opened, present } from './harness.ts';

const KB = 1_024;

const VALUES: [string, unknown][] = [
  ['nothing', null],
  ['a truth', false],
  ['nought', 0],
  ['big numbers', [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 1.7976931348623157e308, 5e-324]],
  ['fractions', [0.1, 0.1 + 0.2, -1.5, 1e21, 1e-7, 123_456_789.123_456_79]],
  ['empty text', ''],
  ['empty things', { list: [], fields: {}, text: '', deep: [[], {}, [[]]] }],
  ['text of many scripts', 'Grüße, 你好, שלום, 👩‍👩‍👧‍👦, e\u0301 is not é'],
  ['NUL and other controls', 'a\0b\u0001\u001f\u007f\u0080\r\n\t\u2028\u2029\ufeff'],
  ['lone surrogates', ['\ud800', 'a\udc00b', '\udfff\ud800']],
  ['the last characters', '\ufffd\uffff\u{10ffff}'],
  ['quotes and slashes', `"'\\/\`$\{x}<script>`],
  ['text that looks like other things', ['null', '1', '{"a":1}', 'true', '']],
  ['odd names', { '': 1, ' ': 2, 'a.b': 3, $ref: 4, '😀': 5, constructor: 6, pk: 7, v: 8 }],
  ['names in their order', { z: 1, a: 2, m: { y: 1, b: 2 } }],
  ['deep nesting', JSON.parse(`${'['.repeat(200)}1${']'.repeat(200)}`)],
  ['many entries', Array.from({ length: 10_000 }, (_, n) => n)],
];

const tooLarge = { name: 'Problem', code: 'tooLarge' };

export function valueCases(opened: Opened): void {
  it.each(VALUES)('keeps %s', async (_, value) => {
    const { table } = opened();
    const row = await insertRow(table, { ...key, value });
    expect((await table.get(key))?.value).toStrictEqual(value);
    await table.replace(row, { value: [value] });
    const [many] = await table.getMany([key]);
    expect(many?.value).toStrictEqual([value]);
    expect(JSON.stringify(many?.value)).toBe(JSON.stringify([value]));
  });

  it('keeps a value of 390 KB', async () => {
    const { table } = opened();
    const text = 'é'.repeat((390 * KB) / 2);
    const row = await insertRow(table, { ...key, value: text });
    expect((await table.get<string>(key))?.value === text).toBe(true);
    const next = 'y'.repeat(390 * KB);
    await table.replace(row, { value: next });
    expect((await table.get<string>(key))?.value === next).toBe(true);
  });

  it.each([
    ['characters', 'x'.repeat(400 * KB)],
    ['bytes in fewer characters', '€'.repeat(140 * KB)],
    ['bytes once it is JSON', '\0'.repeat(70 * KB)],
    ['bytes in many small parts', Array.from({ length: 60_000 }, (_, n) => `${n}`)],
  ])('refuses to insert more than 400 KB of %s', async (_, value) => {
    const { table } = opened();
    await expect(table.insert({ ...key, value })).rejects.toMatchObject(tooLarge);
    expect(await table.get(key)).toBeUndefined();
  });

  it('refuses to replace by more than 400 KB, and changes nothing', async () => {
    const { table } = opened();
    const row = await insertRow(table, { ...key, value: 'small', dueAt: 1 });
    await expect(table.replace(row, { value: '€'.repeat(140 * KB) })).rejects.toMatchObject(tooLarge);
    expect(await table.get(key)).toEqual(row);
    expect(await table.replace(row, { value: 'next' })).toBeDefined();
  });

  it('counts the key with the value', async () => {
    const { table } = opened();
    const longKey = { pk: 'p'.repeat(2_000), sk: 's'.repeat(1_000) };
    const value = 'x'.repeat(398 * KB);
    await expect(table.insert({ ...longKey, value })).rejects.toMatchObject(tooLarge);
    expect(await table.insert({ ...key, value })).toBeDefined();
  });

  it('refuses a value that JSON cannot hold', async () => {
    const { table } = opened();
    await expect(table.insert({ ...key, value: undefined })).rejects.toThrow(TypeError);
    const row = await insertRow(table, { ...key, value: 1 });
    await expect(table.replace(row, { value: undefined })).rejects.toThrow(TypeError);
    expect(present(await table.get(key))).toEqual(row);
  });
}
