/** Percentages, in texts and in columns of tables. */

import { NUMBER, plainNumber } from './amounts.ts';
import { anyWord, isWholeNumber, NUMBER_WORDS } from './number-words.ts';
import { matchesOf, type Rule, type RuleMatch, withoutOverlaps } from './rule.ts';
import { tablesIn } from './tables.ts';

const WORD = 'per ?cent|prozent|pour ?cent|por ?ciento|por ?cento|per ?cento|procent|v\\. ?H\\.|pct\\.?';
const IN_TEXT = new RegExp(
  `(?<![\\p{L}\\d.,-])(?<sign>[-−])?(?:(?<number>${NUMBER})|(?<word>${anyWord(NUMBER_WORDS)}))(?:[ \\u00a0\\u202f]?%|[ \\u00a0-](?:${WORD})(?!\\p{L}))`,
  'giu',
);
const HEAD = new RegExp(`%|\\b(?:in )?(?:${WORD})(?!\\p{L})`, 'iu');
const PERCENT_CELL = new RegExp(`^[-−]?(?:${NUMBER})$`, 'u');

/** Finds percentages and writes them as `7.9%`. */
export const percentages: Rule = (text) =>
  withoutOverlaps([
    ...matchesOf(IN_TEXT, text, ({ sign, number, word = '' }, { index, 0: written }) => {
      if (word !== '' && !isWholeNumber(text, index, index + written.length)) return undefined;
      const plain = number === undefined ? NUMBER_WORDS.get(word.toLowerCase())?.toString() : plainShare(number);
      return plain === undefined ? undefined : shareOf(plain, sign !== undefined);
    }),
    ...percentagesInColumns(text),
  ]);

/** A separator before three digits is a decimal point here: percentages are not written with thousands separators. */
const plainShare = (number: string): string | undefined =>
  /^\d+[.,]\d+$/.test(number) ? number.replace(',', '.') : plainNumber(number);

const shareOf = (plain: string, isLess: boolean) => ({ value: `${isLess ? '-' : ''}${Number(plain)}%` });

const percentagesInColumns = (text: string): RuleMatch[] =>
  tablesIn(text).flatMap(({ head, rows }) => {
    const isShare = head.cells.map((cell) => HEAD.test(cell.text));
    return rows.flatMap(({ cells }) =>
      cells.flatMap(({ text: cell, start, end }, at): RuleMatch[] => {
        const plain = isShare[at] && PERCENT_CELL.test(cell) ? plainShare(cell.replace(/^[-−]/, '')) : undefined;
        return plain === undefined ? [] : [{ start, end, ...shareOf(plain, /^[-−]/.test(cell)) }];
      }),
    );
  });
