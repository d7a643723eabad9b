/** The little language of the files of labels: phrases as people write labels, made a pattern of. */

/** Lists that a phrase names in braces. `patterns` are patterns already, which recognize misread letters. */
type Lists = { words?: Readonly<Record<string, readonly string[]>>; patterns?: Readonly<Record<string, string>> };

/**
 * The pattern of any of the phrases:
 * - `gross|net weight` is `gross weight` or `net weight`
 * - `date of [the] invoice` is that with or without `the`
 * - `expir*` begins with these letters, `*steuer` ends with them, `*` is any word
 * - `{tax}` is one of the words of that list
 * - `...` is whatever stands in at most 24 characters between two words
 */
export const phrasesPattern = (phrases: readonly string[], lists: Lists = {}): string =>
  `(?:${phrases.map((phrase) => phrasePattern(phrase, lists)).join('|')})`;

/** Matches any of the phrases as whole words. */
export const phrasesIn = (phrases: readonly string[], lists?: Lists): RegExp =>
  new RegExp(`(?<!\\p{L})${phrasesPattern(phrases, lists)}(?!\\p{L})`, 'iu');

const PART = /\[[^\]]+\]|[^ ]+/g;

function phrasePattern(phrase: string, lists: Lists): string {
  let pattern = '';
  let space = '';
  for (const [part] of phrase.matchAll(PART)) {
    if (part === '...') {
      pattern += '(?: .{0,22})? ';
      space = '';
    } else if (part.startsWith('[')) {
      const optional = wordsPattern(part.slice(1, -1), lists);
      pattern += space === '' ? `(?:${optional} )?` : `(?: ${optional})?`;
    } else {
      pattern += space + alternatives(part, lists);
      space = ' ';
    }
  }
  return pattern;
}

const wordsPattern = (text: string, lists: Lists): string =>
  text
    .split(' ')
    .map((word) => alternatives(word, lists))
    .join(' ');

const alternatives = (text: string, lists: Lists): string => {
  const patterns = text.split('|').map((word) => wordPattern(word, lists));
  return patterns.length === 1 ? (patterns[0] ?? '') : `(?:${patterns.join('|')})`;
};

function wordPattern(word: string, lists: Lists): string {
  if (word === '*') return '\\p{L}+';
  return word
    .split(/(\{[^}]+\})/)
    .map((piece) => (piece.startsWith('{') ? listPattern(piece.slice(1, -1), lists) : letters(piece)))
    .join('');
}

function listPattern(name: string, lists: Lists): string {
  const words = lists.words?.[name];
  return lists.patterns?.[name] ?? phrasesPattern(words ?? [], lists);
}

/** Programs without umlauts write `ae` for `ä`, and text recognition `a`. */
const UMLAUTS: Readonly<Record<string, string>> = { ä: '(?:ä|ae?)', ö: '(?:ö|oe?)', ü: '(?:ü|ue?)' };

const letters = (text: string): string =>
  text
    .replaceAll(/[$()+.?[\\\]^]/g, '\\$&')
    .replaceAll('*', '\\p{L}*')
    .replaceAll("'", "['’]")
    .replaceAll(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter);
