/** A light stemmer for English: brings the forms of a word together and stays well clear of being clever. */

/** Ending, what takes its place, and how many letters must be left before it. First that fits. */
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

/** Takes a folded word; words of other scripts, with digits, or shorter than four letters stay as they are. */
export function stem(word: string): string {
  if (word.length < 4 || !PLAIN.test(word)) return word;
  const single = singular(word);
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

/** A last `e`, a doubled consonant and `y` for `i` are what two forms of one word most often differ in. */
function tidy(word: string): string {
  const short = word.length > 3 && word.endsWith('e') ? word.slice(0, -1) : word;
  return short.replace(UNDOUBLED, '$1').replace(/([^aeiou])y$/, '$1i');
}
