/** Finds the words of a text without making them: letters and digits, folded, and pairs of signs where no spaces are. */

const NOT_A_WORD = 0;
const WORD = 1;
const PAIRED = 2;

const LETTER_OR_DIGIT = /[\p{L}\p{N}\p{M}]/u;
/** Scripts that put no space between words: there, every pair of neighbours is taken for a word. */
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

/** Lower case and without accents, one sign for one sign. */
export const foldCode = (code: number): number => folds[code] ?? code;

export function fold(word: string): string {
  let folded = '';
  for (let at = 0; at < word.length; at++) folded += String.fromCharCode(foldCode(word.charCodeAt(at)));
  return folded;
}

/** A hash of the first two signs: enough to leave most words unread. */
export const gateOf = (first: number, second: number): number => (first * 31 + second) & 0xffff;

/** Calls `seen` with the bounds and the gate of each word in [from, to), and answers how many there were. */
export function scanWords(
  text: string,
  from: number,
  to: number,
  onWord: (start: number, end: number, gate: number, nth: number) => void,
): number {
  let count = 0;
  for (let at = from; at < to; ) {
    const kind = classes[text.charCodeAt(at)];
    if (kind === NOT_A_WORD) {
      at++;
      continue;
    }
    let end = at + 1;
    if (kind === PAIRED) end = Math.min(at + 2, to);
    else while (end < to && classes[text.charCodeAt(end)] === WORD) end++;
    const second = end > at + 1 ? foldCode(text.charCodeAt(at + 1)) : 0;
    onWord(at, end, gateOf(foldCode(text.charCodeAt(at)), second), count++);
    at = kind === PAIRED ? at + 1 : end;
  }
  return count;
}

export function wordsOf(text: string): string[] {
  const found: string[] = [];
  scanWords(text, 0, text.length, (start, end) => {
    found.push(fold(text.slice(start, end)));
  });
  return found;
}
