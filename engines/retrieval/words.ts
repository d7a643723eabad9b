/** Words of a text: tokenizing, case and accent folding, stemming, stop words. */

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
export const foldCode = (code: number): number => folds[code] ?? code;

export function fold(word: string): string {
  let folded = '';
  for (let at = 0; at < word.length; at++) folded += String.fromCharCode(foldCode(word.charCodeAt(at)));
  return folded;
}

/** Hashes the first two characters, which suffices to skip most words. */
export const gateOf = (first: number, second: number): number => (first * 31 + second) & 0xffff;

/** Calls `onWord` with the bounds and the gate of each word in [from, to), and returns the number of words. */
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

/** Folded words as the text writes them. */
export function asTyped(words: readonly string[], text: string): string[] {
  const typed = new Map(Array.from(text.normalize('NFC').matchAll(/[\p{L}\p{N}]+/gu), ([word]) => [fold(word), word]));
  return words.map((word) => typed.get(word) ?? word);
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

const wordList = (text: string): string[] => text.trim().split(/\s+/);

/** Such words of the languages in which figures are asked for: "van" is a vehicle in a question for one. */
export const FIGURE_STOP_WORDS: ReadonlySet<string> = new Set(
  wordList(`
    a an the this that these those and or but nor so if then else than as at by for from in into of off on onto out over
    to under up with within without about above after again against all also am any are aren be because been before
    being below between both can cannot could did didn do does doesn doing don down during each few further get gets
    got had has hasn have haven having he her here hers him his how however i im in is isn it its itself just let like ll
    may me might more most much must my no not now only other our ours own per please re s same shall she should some
    such t their theirs them there they through till too until us ve very was wasn we were what when where whether which
    while who whom whose why will won would you your yours yes
    am pm etc eg ie vs many long often far old big soon
    der die das den dem des furs ins ans aufs vors ums ein eine einen einem einer eines und oder aber ist sind war waren
    wird werden hat haben kann konnen konnten muss mussen mussten soll sollen sollten wollen wollten durfen
    nicht kein keine mit von vom zu zum zur im am an auf aus bei beim fur nach uber unter vor wie was wer wen
    wem wann wo warum welche welchem welchen welcher welches sich es er sie wir ihr ich auch nur noch als bis durch gegen ohne um viel viele
    le la les un une des du de d l et ou mais est sont etait a ont avec sans pour par sur sous dans en au aux ce cet
    cette ces que qui quoi quel quelle quels quelles quand comment combien pourquoi ne pas plus il elle ils elles nous
    vous je se sa son ses leur leurs
    el los las una unos unas y o pero es son era fue ha han con sin para por sobre entre en al del que quien quienes
    cual cuales cuando donde cuanto cuanta cuantos cuantas como no mas su sus lo se`),
);

/** Words that say nothing about what a prompt looks for. */
export const STOP_WORDS: ReadonlySet<string> = new Set([
  ...FIGURE_STOP_WORDS,
  ...wordList(`
    il lo gli i uno e ma sono con per tra fra nel nella che chi quale quali quando dove quanto quanta quanti come non piu
    gibt gibts gab het een van voor met zijn niet wat wie waar wanneer hoeveel welke hoe op te er dat die
    os as um uma e ou mas com sem para por em no na nos nas que quem qual quais quando onde quanto quantos como nao`),
]);

/** Words that say what to do, not what to look for. */
export const QUESTION_WORDS: ReadonlySet<string> = new Set(
  wordList(`
    tell give show find list name explain describe say says said state states stated mention mentions mentioned know
    want need like answer question questions document documents file files attached attachment attachments text texts
    information info detail details according exactly anything something everything someone anyone please based
    following thing things kind sort type summarize summarise summary overview compare comparison difference
    differences versus extract enumerate identify point points every
    dokument dokumente datei bitte nenne liste finde erklare fichier document veuillez liste donne trouve documento
    archivo lista dime encuentra`),
);

/** The words as a whole, not as parts of longer ones. */
export const WHOLE = (words: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'u');

/** Stands for words that were understood. It keeps the length, so that positions stay. */
const TAKEN = '¤';

/** The folded text of a question. What has been understood is taken out of it; what is left at the end was not. */
export class OpenText {
  text: string;
  constructor(folded: string) {
    this.text = folded;
  }
  take(pattern: RegExp): RegExpExecArray | undefined {
    const found = pattern.exec(this.text);
    if (!found) return undefined;
    this.blank(found.index, found[0].length);
    return found;
  }
  blank(at: number, length: number): void {
    this.text = `${this.text.slice(0, at)}${TAKEN.padEnd(length)}${this.text.slice(at + length)}`;
  }
}

/** The stems of words that ask, and name nothing. */
export const ASKING: ReadonlySet<string> = new Set([...QUESTION_WORDS].map(stem));

/** What a document must have beside the time that it is paid for: a column `Hours` holds no hourly rate. */
export const PAY_BY_TIME =
  /(?<!\p{L})(?:hourly|daily|weekly|monthly|annual|yearly) (?:rates?|salar(?:y|ies)|wages?|pay|bonus|fees?|charges?)(?!\p{L})/iu;
export const PAY: ReadonlySet<string> = new Set(
  'rate salary wage pay bonus fee charge satz lohn gehalt'.split(' ').map(stem),
);
