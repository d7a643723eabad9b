/** Whether words stand in a text, whatever its white space and marks, and the text's own words where they do. */
import { plainText } from '../../model/extractive/plain-text.ts';

/** What tells: letters, figures, and signs that change what a figure says. */
const TELLING = /[\p{L}\p{N}\p{M}\p{Sc}%‰]/u;

export type Quotable = { find(quote: string): string | undefined };

type Bare = { bare: string; from: number[]; to: number[] };

/** Apart by one space; a minus in front of a figure stays. */
function bareOf(text: string): Bare {
  let bare = '';
  const from: number[] = [];
  const to: number[] = [];
  let at = 0;
  for (const sign of text) {
    const next = text.charAt(at + sign.length);
    const isMinus = /[-−]/.test(sign) && /\d/.test(next) && !/[\p{L}\p{N}]/u.test(text.charAt(at - 1));
    const put = TELLING.test(sign) ? sign : isMinus ? '-' : ' ';
    if (put !== ' ' || (bare !== '' && !bare.endsWith(' '))) {
      bare += put;
      for (const _ of put.split('')) {
        from.push(at);
        to.push(at + sign.length);
      }
    }
    at += sign.length;
  }
  return { bare, from, to };
}

const MOST_QUOTE = 600;

export function quotable(whole: string): Quotable {
  const text = whole.normalize('NFC');
  const { bare, from, to } = bareOf(text);
  return {
    find(quote) {
      const wanted = bareOf(quote.normalize('NFC')).bare.trim();
      if (!isTelling(wanted) || quote.length > MOST_QUOTE * 2) return undefined;
      const found = ` ${bare} `.indexOf(` ${wanted} `);
      if (found < 0) return undefined;
      const start = from[found] ?? 0;
      const end = to[found + wanted.length - 1] ?? start;
      const closed = /^[.!?…)"”’]{1,3}/.exec(text.slice(end))?.[0] ?? '';
      return plainText(text.slice(start, end + closed.length)).slice(0, MOST_QUOTE);
    },
  };
}

const LEAST_WORDS = 4;
const LEAST_CHARACTERS = 12;

/** A word or two stand in every text. */
const isTelling = (bare: string): boolean =>
  bare.split(' ').length >= LEAST_WORDS ||
  (bare.length >= LEAST_CHARACTERS && !/^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek} ]+$/u.test(bare));
