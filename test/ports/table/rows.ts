/** Rows: one partition in byte order, page by page, with no row lost or repeated. */
import { expect, it } from 'vitest';
import { cursorOf } from '../../../shared/core/cursor.ts';
import { fill, inByteOrder, inPages, insertRow, MINUTE, type Opened, pagesOf, present, times } from './harness.ts';

const ODD = ['%', '_', '\\', "'", '%25', '😀', '\u{ffff}', '\u{10ffff}', '\u{d7ff}', '\u{ff5e}', '\0', '~', 'ä', '#'];

export function rowsCases(opened: Opened): void {
  const keysOf = async (prefix: string, o: { newestFirst?: boolean } = {}, pk = 'P') =>
    (await opened().table.rows(pk, prefix, { limit: 1_000, ...o })).rows.map((row) => row.sk);

  it('answers whole rows', async () => {
    const { table, clock } = opened();
    const listed = { list: 'L', at: 1, id: 'a', state: 's', type: 't', priority: 1 };
    const full = { pk: 'P', sk: 'a', value: { n: [1] }, listed, dueAt: 5, expiresAt: clock.now() + MINUTE };
    const row = await insertRow(table, full);
    expect(await table.rows('P', '', { limit: 10 })).toEqual({ rows: [row] });
  });

  it('answers nothing, and no next page, where nothing is', async () => {
    const { table } = opened();
    await fill(table, 'P', ['a']);
    expect(await table.rows('Q', '', { limit: 10 })).toEqual({ rows: [] });
    expect(await table.rows('P', 'b', { limit: 10 })).toEqual({ rows: [] });
  });

  it('takes the prefix by the letter', async () => {
    await fill(opened().table, 'P', ['A', 'A#1', 'A#12', 'A~', 'AB', 'B', 'a', 'a#1', ' A']);
    expect(await keysOf('A')).toEqual(['A', 'A#1', 'A#12', 'AB', 'A~']);
    expect(await keysOf('A#1')).toEqual(['A#1', 'A#12']);
    expect(await keysOf('a#')).toEqual(['a#1']);
    expect(await keysOf('A#123')).toEqual([]);
  });

  it('keeps to the partition', async () => {
    const { table } = opened();
    await fill(table, 'P', ['a']);
    await fill(table, 'PP', ['b']);
    await fill(table, 'O', ['c']);
    expect(await keysOf('')).toEqual(['a']);
  });

  it.each(ODD)('takes %j in a prefix for no more than itself', async (odd) => {
    const sortKeys = ['x', 'xy', 'xyz', ...ODD.flatMap((character) => [`x${character}`, `x${character}1`, character])];
    await fill(opened().table, 'P', sortKeys);
    const expected = inByteOrder(sortKeys.filter((sk) => sk.startsWith(`x${odd}`)));
    expect(await keysOf(`x${odd}`)).toEqual(expected);
    expect(await keysOf(`x${odd}`, { newestFirst: true })).toEqual(expected.reverse());
  });

  it('sorts by bytes, so characters beyond the first plane come after all others', async () => {
    const sortKeys = [
      'a',
      'B',
      'é',
      '\u{7f}',
      '\u{80}',
      '\u{7ff}',
      '\u{800}',
      '\u{d7ff}',
      '\u{e000}',
      '～',
      '\u{ffff}',
      '😀',
      '𐀀',
      '\u{10ffff}',
    ];
    await fill(
      opened().table,
      'P',
      sortKeys.flatMap((sk) => [sk, `${sk}1`]),
    );
    const expected = inByteOrder(sortKeys.flatMap((sk) => [sk, `${sk}1`]));
    expect(await keysOf('')).toEqual(expected);
    expect(await keysOf('', { newestFirst: true })).toEqual(expected.reverse());
    expect(expected.indexOf('😀')).toBeLessThan(expected.indexOf('～'));
  });

  it('sorts a text before all that it begins, digits as text', async () => {
    await fill(opened().table, 'P', ['10', '9', '1', '09', '100']);
    expect(await keysOf('')).toEqual(['09', '1', '10', '100', '9']);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('pages both ways by %i, with none lost or repeated', async (limit) => {
    const { table } = opened();
    const sortKeys = ['A', 'A#1', 'A#2', 'A#😀', 'A#～', 'A~', 'AA'];
    await fill(table, 'P', [...sortKeys, '@', 'B', 'a']);
    const sorted = inByteOrder(sortKeys);
    for (const newestFirst of [false, true]) {
      const pages = await pagesOf((after) => table.rows('P', 'A', { ...after, limit, newestFirst }));
      const expected = inPages(newestFirst ? sorted.toReversed() : sorted, limit);
      expect(pages.map((page) => page.map((row) => row.sk))).toEqual(expected);
    }
  });

  it('has no next page when the last page is exactly full', async () => {
    const { table } = opened();
    await fill(table, 'P', ['a', 'b', 'c', 'd', 'e']);
    const first = await table.rows('P', '', { limit: 3 });
    expect(first.next).toBeTypeOf('string');
    const second = await table.rows('P', '', { limit: 2, after: present(first.next) });
    expect(second.rows.map((row) => row.sk)).toEqual(['d', 'e']);
    expect(second).not.toHaveProperty('next');
  });

  it('goes on where the page ended, also when that row is gone and others have come', async () => {
    const { table } = opened();
    const [, b] = await fill(table, 'P', ['a', 'b', 'd']);
    const { next } = await table.rows('P', '', { limit: 2 });
    await table.remove(present(b));
    await fill(table, 'P', ['aa', 'c']);
    const nextPage = await table.rows('P', '', { limit: 10, after: present(next) });
    expect(nextPage.rows.map((row) => row.sk)).toEqual(['c', 'd']);
  });

  it('leaves expired rows out and still fills the pages', async () => {
    const { table, clock } = opened();
    const names = times(60, (n) => String(n).padStart(2, '0'));
    const expiresAt = clock.now() + MINUTE;
    const isKept = (n: number) => n % 6 === 5;
    await Promise.all(
      names.map((sk, n) => insertRow(table, { pk: 'P', sk, value: 1, ...(isKept(n) ? {} : { expiresAt }) })),
    );
    clock.pass(MINUTE);
    const unexpired = names.filter((_, n) => isKept(n));
    for (const newestFirst of [false, true]) {
      const pages = await pagesOf((after) => table.rows('P', '', { ...after, limit: 4, newestFirst }));
      const expected = inPages(newestFirst ? unexpired.toReversed() : unexpired, 4);
      expect(pages.map((page) => page.map((row) => row.sk))).toEqual(expected);
    }
  });

  it('has no next page when only expired rows would follow', async () => {
    const { table, clock } = opened();
    await fill(table, 'P', ['a', 'b']);
    await insertRow(table, { pk: 'P', sk: 'c', value: 1, expiresAt: clock.now() + 1 });
    clock.pass(1);
    expect(await table.rows('P', '', { limit: 2 })).not.toHaveProperty('next');
  });

  it('reads more than a megabyte in one page', async () => {
    const { table } = opened();
    const names = times(8, String);
    for (const sk of names) await insertRow(table, { pk: 'P', sk, value: 'x'.repeat(300_000) });
    const { rows } = await table.rows<string>('P', '', { limit: 100 });
    expect(rows.map((row) => [row.sk, row.value.length])).toEqual(names.map((sk) => [sk, 300_000]));
  });

  it.each([
    ['no text at all', ''],
    ['no base64url', 'not a cursor!'],
    ['bytes that are no text', '_w'],
    ['padding after a good one', `${cursorOf('A#1')}=`],
    ['another prefix', cursorOf('B#1')],
    ['a shorter text than the prefix', cursorOf('A')],
    ['more bytes than a key has', cursorOf(`A#${'x'.repeat(1_100)}`)],
  ])('refuses a page address that is %s', async (_, after) => {
    const { table } = opened();
    await fill(table, 'P', ['A#1', 'A#2']);
    await expect(table.rows('P', 'A#', { limit: 1, after })).rejects.toMatchObject({ code: 'badCursor' });
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses a limit of %d', async (limit) => {
    const { table } = opened();
    await expect(table.rows('P', '', { limit })).rejects.toThrow(RangeError);
    await expect(table.listed('L', { limit })).rejects.toThrow(RangeError);
    await expect(table.due(0, 1, limit)).rejects.toThrow(RangeError);
  });
}
