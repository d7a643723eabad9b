/** Shares of a hundred, as `7.9%`. */
import { tablesIn } from './markdown-tables.ts';
import { apart, matchesOf, type Rule, type RuleMatch } from './match.ts';
import { NUMBER, plainNumber, SPELLED_NUMBER, spelledNumber } from './numbers.ts';

const WORD = 'per ?cent|prozent|pour ?cent|por ?ciento|por ?cento|per ?cento|procent|v\\. ?H\\.|pct\\.?';
const IN_TEXT = new RegExp(
  `(?<![\\p{L}\\d.,-])(?<sign>[-−])?(?:(?<number>${NUMBER})|(?<word>${SPELLED_NUMBER}))(?:[ \\u00a0\\u202f]?%|[ \\u00a0-](?:${WORD})(?!\\p{L}))`,
  'giu',
);
const HEAD = new RegExp(`%|\\b(?:in )?(?:${WORD})(?!\\p{L})`, 'iu');
const PERCENT_CELL = new RegExp(`^[-−]?(?:${NUMBER})$`, 'u');

export const percentages: Rule = (text) =>
  apart([
    ...matchesOf(IN_TEXT, text, ({ sign, number, word = '' }) => {
      const plain = number === undefined ? spelledNumber(word) : plainShare(number);
      return plain === undefined ? undefined : shareOf(plain, sign !== undefined);
    }),
    ...percentagesInColumns(text),
  ]);

/** Three places are places here: nobody writes thousands of per cents with a mark. */
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
