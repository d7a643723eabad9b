/** Invented names, so that no model and no reader knows an answer beforehand. The same number gives the same name. */

const STARTS = [
  'Vel',
  'Mar',
  'Ost',
  'Kir',
  'Lom',
  'Tar',
  'Bren',
  'Sil',
  'Dor',
  'Fen',
  'Gal',
  'Hov',
  'Jas',
  'Nor',
  'Pel',
];
const MIDDLES = ['da', 'ne', 'li', 'ro', 'ska', 'ti', 'vo', 'ma', 'be', 'ju', 'ki'];
const ENDS = ['haven', 'mark', 'berg', 'ton', 'stad', 'via', 'nau', 'brook', 'lund', 'port', 'dale', 'wick', 'mere'];
const FIRST = ['Maren', 'Tobias', 'Ilka', 'Rurik', 'Salome', 'Edvin', 'Oriane', 'Kasimir', 'Lioba', 'Vidar', 'Nerea'];
const LAST = [
  'Oosterlijk',
  'Vandrey',
  'Kolbenstein',
  'Aramburo',
  'Tessaro',
  'Lindqvorn',
  'Brazeau',
  'Szolnay',
  'Imhoven',
];

const pick = (list: readonly string[], at: number): string => list[at % list.length] ?? '';

/** Different for the first 2,145 numbers, as the lengths of the lists have no common divisor. */
export const placeName = (at: number): string => pick(STARTS, at) + pick(MIDDLES, at) + pick(ENDS, at);

/** Different for the first 99 numbers. */
export const personName = (at: number): string => `${pick(FIRST, at)} ${pick(LAST, at)}`;

export const HOSTS: readonly string[] = Array.from(
  { length: 60 },
  (_, at) => `${['www', 'news', 'data'][at % 3]}.${placeName(at + 500).toLowerCase()}.org`,
);
