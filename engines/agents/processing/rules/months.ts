/** The names of months in the languages that dates are read in, by how they begin. */

/** English, German, French, Spanish, Italian, Dutch, Portuguese, Swedish, Danish and Polish. */
const NAMES: readonly (readonly string[])[] = [
  [
    'january',
    'januar',
    'jänner',
    'janvier',
    'enero',
    'gennaio',
    'januari',
    'janeiro',
    'stycznia',
    'jan',
    'ene',
    'janv',
  ],
  [
    'february',
    'februar',
    'février',
    'febrero',
    'febbraio',
    'februari',
    'feber',
    'fevereiro',
    'lutego',
    'feb',
    'févr',
    'fev',
  ],
  ['march', 'märz', 'mars', 'marzo', 'maart', 'março', 'marts', 'marca', 'mar', 'mär', 'mrt', 'mrz'],
  ['april', 'avril', 'abril', 'aprile', 'kwietnia', 'apr', 'avr', 'abr'],
  ['may', 'mai', 'mayo', 'maggio', 'mei', 'maio', 'maj', 'maja'],
  ['june', 'juni', 'juin', 'junio', 'giugno', 'junho', 'czerwca', 'jun'],
  ['july', 'juli', 'juillet', 'julio', 'luglio', 'julho', 'lipca', 'jul', 'juil'],
  ['august', 'août', 'agosto', 'augustus', 'augusti', 'sierpnia', 'aug', 'ago'],
  ['september', 'septembre', 'septiembre', 'settembre', 'setembro', 'września', 'sep', 'sept', 'set'],
  ['october', 'oktober', 'octobre', 'octubre', 'ottobre', 'outubro', 'października', 'oct', 'okt', 'out', 'ott'],
  ['november', 'novembre', 'noviembre', 'novembro', 'listopada', 'nov'],
  ['december', 'dezember', 'décembre', 'diciembre', 'dicembre', 'dezembro', 'grudnia', 'dec', 'dez', 'déc', 'dic'],
];

const NUMBERS = new Map(NAMES.flatMap((names, at) => names.map((name): [string, number] => [name, at + 1])));

/** The longest first, or `jan` would hide `januar`. */
export const MONTH = [...NUMBERS.keys()].sort((a, b) => b.length - a.length).join('|');

export const monthOf = (name: string): number => NUMBERS.get(name.toLowerCase().replace(/\.$/, '')) ?? 0;
