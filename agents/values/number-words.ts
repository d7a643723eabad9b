/** Numbers in the words of several languages. */

const wordList = (words: string): string[] => words.split(' ');
type Counting = { small: string[]; tens: string[]; joined: (ten: string, unit: string) => string[] };
/** The words of each language for 1 to 19 and for 20, 30 and so on, and how it joins a ten and a unit. */
const COUNTING: readonly Counting[] = [
  {
    small: wordList(
      'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    ),
    tens: wordList('twenty thirty forty fifty sixty seventy eighty ninety'),
    joined: (ten, unit) => [`${ten}-${unit}`, `${ten} ${unit}`],
  },
  {
    small: wordList(
      'ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
    ),
    tens: wordList('zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'),
    joined: (ten, unit) => [`${unit}und${ten}`],
  },
  {
    small: wordList(
      'un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf',
    ),
    tens: wordList('vingt trente quarante cinquante soixante'),
    joined: (ten, unit) => [`${ten}-${unit}`, `${ten} et ${unit}`],
  },
  {
    small: wordList(
      'un dos tres cuatro cinco seis siete ocho nueve diez - doce trece catorce quince dieciséis diecisiete dieciocho diecinueve',
    ),
    tens: wordList('veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa'),
    joined: (ten, unit) => [ten === 'veinte' ? `veinti${unit}` : `${ten} y ${unit}`],
  },
];
/** Numbers in English, German, French and Spanish words, in lower case; the words for one are articles, too. `once` is left out, which English has as well. */
export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...COUNTING.flatMap(({ small, tens, joined }) => [
    ...small.map((word, at): [string, number] => [word, at + 1]),
    ...tens.flatMap((ten, at): [string, number][] => [
      [ten, (at + 2) * 10],
      ...small
        .slice(0, 9)
        .flatMap((unit, more) => joined(ten, unit).map((word): [string, number] => [word, (at + 2) * 10 + more + 1])),
    ]),
  ]).filter(([word]) => word !== '-'),
  ['hundred', 100],
  ['one hundred', 100],
  ['a hundred', 100],
  ['hundert', 100],
  ['einhundert', 100],
  ['cien', 100],
]);
/** A pattern of these words, the longest first. */
export const anyWord = (words: ReadonlyMap<string, number>): string =>
  [...words.keys()].sort((a, b) => b.length - a.length).join('|');

const LARGE =
  '(?:ein)?hundert|hundred|tausend|thousand|millions?|cents?|mille|cientos?|\\p{L}{3,5}cientos|quinientos|mil|quatre|vingts?|soixante';
const FRACTION = 'komma|virgule|coma|point|halb\\p{L}*|half|demi|medio';
const MORE = `${anyWord(NUMBER_WORDS)}|${LARGE}|${FRACTION}`;
const NUMBER_BEFORE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:(?:${MORE})[ -]+|(?:${LARGE})[ -](?:and|und|et|y)[ -]+)$`,
  'iu',
);
const NUMBER_BEHIND = new RegExp(
  `^[ -]+(?:${MORE}|(?:and|und|et|y)[ -](?:an? |une? )?(?:${FRACTION}))(?![\\p{L}\\p{N}])`,
  'iu',
);
const PIECE = new RegExp(`(?:${MORE})(?:und)?`, 'iuy');
/** Whether a word is several numbers in words, such as `hundertfünfzig`; it is read piece by piece, without a second try. */
export function isJoinedNumber(word: string): boolean {
  let pieces = 0;
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < word.length) {
    if (!PIECE.test(word)) return false;
    pieces++;
  }
  return pieces > 1;
}

const AROUND = 40;
/** Whether a number in words is a whole one: "eighty" is a part of "one hundred and eighty", and "five" of "two point five". */
export const isWholeNumber = (text: string, start: number, end: number): boolean =>
  !NUMBER_BEFORE.test(text.slice(Math.max(0, start - AROUND), start)) &&
  !NUMBER_BEHIND.test(text.slice(end, end + AROUND));
