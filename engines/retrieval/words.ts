/** Words of a text: tokenizing, case and accent folding, stemming, stop words. */
import stopWords from './stop-words.json' with { type: 'json' };

/**
 * Character classes. Words are scanned without allocating strings; in unspaced scripts, character pairs count as words.
 */
const NOT_A_WORD = 0;
const WORD = 1;
const PAIRED = 2;

const LETTER_OR_DIGIT = /[\p{L}\p{N}\p{M}]/u;
/** Scripts without spaces between words. Every pair of adjacent characters counts as a word. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

const { classes, folds } = buildTables();

function buildTables() {
  const classes = new Uint8Array(65_536);
  const folds = new Uint16Array(65_536);
  for (let code = 0; code < 65_536; code++) {
    const sign = String.fromCharCode(code);
    const surrogate = code >= 0xd800 && code <= 0xdfff;
    const word = surrogate || LETTER_OR_DIGIT.test(sign);
    classes[code] = word ? (!surrogate && UNSPACED.test(sign) ? PAIRED : WORD) : NOT_A_WORD;
    const folded = word && !surrogate ? sign.normalize('NFD').charAt(0).toLowerCase() : sign;
    folds[code] = folded.length === 1 ? folded.charCodeAt(0) : code;
  }
  return { classes, folds };
}

/** Lower-cases and removes accents; one character maps to one character. */
const foldCode = (code: number): number => folds[code] ?? code;

export function fold(word: string): string {
  let folded = '';
  for (let at = 0; at < word.length; at++) folded += String.fromCharCode(foldCode(word.charCodeAt(at)));
  return folded;
}

/** The words of a text, folded; in scripts without spaces, each pair of adjacent characters. */
export function indexedWords(text: string): string[] {
  const words: string[] = [];
  for (let at = 0; at < text.length; ) {
    const kind = classes[text.charCodeAt(at)];
    if (kind === NOT_A_WORD) {
      at++;
      continue;
    }
    let end = at + 1;
    if (kind === PAIRED) end = Math.min(at + 2, text.length);
    else while (end < text.length && classes[text.charCodeAt(end)] === WORD) end++;
    words.push(fold(text.slice(at, end)));
    at = kind === PAIRED ? at + 1 : end;
  }
  return words;
}

/** The ending, its replacement, and the minimum number of letters before it. The first match applies. */
const ENDINGS: [ending: string, replacement: string, letters: number][] = [
  ['ization', '', 4],
  ['isation', '', 4],
  ['ational', 'at', 3],
  ['fulness', 'ful', 3],
  ['ability', '', 3],
  ['ements', '', 4],
  ['ations', '', 5],
  ['ement', '', 4],
  ['ation', '', 5],
  ['ments', '', 4],
  ['ators', '', 4],
  ['ances', '', 4],
  ['ences', '', 4],
  ['ating', '', 4],
  ['ated', '', 4],
  ['ment', '', 4],
  ['ator', '', 4],
  ['ance', '', 4],
  ['ence', '', 4],
  ['able', '', 4],
  ['ible', '', 4],
  ['ness', '', 5],
  ['tion', 't', 4],
  ['sion', 's', 3],
  ['ally', '', 4],
  ['ings', '', 3],
  ['ized', '', 4],
  ['ised', '', 4],
  ['izes', '', 4],
  ['ises', '', 4],
  ['ize', '', 4],
  ['ise', '', 4],
  ['ing', '', 3],
  ['ied', 'y', 2],
  ['ate', '', 4],
  ['ion', '', 5],
  ['ers', '', 4],
  ['en', '', 3],
  ['ed', '', 3],
  ['er', '', 4],
  ['or', '', 5],
  ['al', '', 4],
  ['ly', '', 3],
];

const UNDOUBLED = /([^aeious])\1$/;
const PLAIN = /^[a-z]+$/;
const FOUNDERS = new Set(['founded', 'founder', 'founding']);

/**
 * A light English stemmer that unites the forms of a word. It expects a folded word; words in other scripts, with
 * digits, or shorter than four letters stay as they are.
 */
export function stem(word: string): string {
  if (word.length < 4 || !PLAIN.test(word)) return word;
  const single = singular(word);
  // Unlike `found`, these are not forms of `find`.
  if (FOUNDERS.has(single)) return 'founder';
  for (const [ending, replacement, letters] of ENDINGS) {
    if (single.length - ending.length >= letters && single.endsWith(ending)) {
      return tidy(single.slice(0, -ending.length) + replacement);
    }
  }
  return tidy(single);
}

function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/(?:sses|shes|ches|xes|zes)$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

/**
 * Removes the most common differences between two forms of a word: a final `e`, a doubled consonant, and `y` for `i`.
 */
function tidy(word: string): string {
  const short = word.length > 3 && word.endsWith('e') ? word.slice(0, -1) : word;
  return short.replace(UNDOUBLED, '$1').replace(/([^aeiou])y$/, '$1i');
}

/** The most frequent words of seven languages, folded. They say nothing about what a text is about. */
export const STOP_WORDS: ReadonlySet<string> = new Set(Object.values(stopWords).flat());
