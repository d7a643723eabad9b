/** Reads the days, the periods and the small numbers of a question, in English, German, French and Spanish. Its patterns read folded text. */
import { type OpenText, WHOLE } from '../../../retrieval/words.ts';

const NUMBER_WORDS =
  'one two three four five six seven eight nine ten|- zwei drei vier funf sechs sieben acht neun zehn|- deux trois quatre cinq six sept huit neuf dix|- dos tres cuatro cinco seis siete ocho nueve diez'
    .split('|')
    .map((line) => line.split(' '));
export const numberOf = (word: string): number =>
  Number(word) || Math.max(0, ...NUMBER_WORDS.map((words) => words.indexOf(word))) + 1;
export const SMALL = `\\d{1,2}|${NUMBER_WORDS.flat()
  .filter((word) => word !== '-' && word !== 'one')
  .join('|')}`;

const MONTH =
  'jan(?:uary|uar|vier)?|enero|feb(?:ruary|ruar|rero)?|fevrier|mar(?:ch|s|zo)?|marz|apr(?:il)?|avril|abril|mayo?|mai|june?|juni|juin|junio|july?|juli|juillet|julio|aug(?:ust)?|aout|agosto|sept?(?:ember|embre|iembre)?|o[ck]t(?:ober|obre|ubre)?|nov(?:ember|embre|iembre)?|de[cz](?:ember|embre)?|diciembre';
const YEAR = '(?:19|20)\\d\\d';

export const IN_PERIOD = WHOLE(`(?:in|on|during|im|am|en) (?:${MONTH}|${YEAR})`);

/** A period by the beginnings of ISO days; without a year, by months alone. */
export type Period = { sign: '=' | '<' | '<=' | '>' | '>='; start: string; hasYear: boolean; said: string };

const MONTHS = [
  'jan|ene',
  'feb|fev',
  'mar|mrz',
  'apr|avr|abr',
  'ma[iy]',
  'jun|juin',
  'jul|juil',
  'aug|aou|ago',
  'sep',
  'oct|okt',
  'nov',
  'de[cz]|dic',
];

const DAY = `(?:\\d{1,2}(?:st|nd|rd|th|\\.|er)? (?:of |de )?)?(?:${MONTH})\\.?(?: \\d{1,2}(?:st|nd|rd|th)?(?![\\d.,]*\\d))?,?(?: (?:del? |of )?${YEAR})?|${YEAR}(?:-\\d\\d(?:-\\d\\d)?)?|\\d{1,2}\\.\\d{1,2}\\.${YEAR}`;
const START =
  '(?:the |dem |den |der |le |la |el |du )?(?:mois de |month of |start of |beginning of |anfang |beginn |debut |debut de |(?:calendar )?year (?:of )?|jahre?s? |annee |ano )?';

const SIGNED: [RegExp, Period['sign']][] = [
  [WHOLE(`(?:before|earlier than|vor|avant|antes de(?:l)?) ${START}(${DAY})`), '<'],
  [WHOLE(`(?:until|till|up to|through|bis(?: zum)?|jusqu['’ ]?(?:en|au|a)|hasta) ${START}(${DAY})`), '<='],
  [WHOLE(`(?:since|starting|from|seit|ab|depuis|a partir de|desde) ${START}(${DAY})`), '>='],
  [WHOLE(`(?:after|later than|nach|apres|despues de(?:l)?) ${START}(${DAY})`), '>'],
  [WHOLE(`(?:in|on|of|during|for|im|am|vom|von|fur|en|au|de|del|dans|pour|para|durante|el|le) ${START}(${DAY})`), '='],
  [
    WHOLE(
      `(?:over|across|throughout|uber|pendant|sur) (?:the |das |l.)?(?:(?:whole|entire|full|ganze|gesamte) )?(?:year|jahr|annee|ano) (?:of )?(${YEAR})`,
    ),
    '=',
  ],
  [WHOLE(`((?:${MONTH}) ${YEAR}|${YEAR}(?:-\\d\\d){0,2})`), '='],
];

const RANGE = WHOLE(
  `(?:between|from|zwischen|von|vom|entre|du|de|del) ${START}(${DAY}) (?:and|to|until|through|und|auf|bis(?: zum)?|et|au|a|y|al|hasta) ${START}(${DAY})`,
);
/** "From 9 to 15 June" and "June 9-15": both days have the month, and the year, of one of them. "9 and 15 June" are two days. */
const TO = '(?: ?[-–] ?| (?:to|until|through|bis(?: zum)?|au|a|al|hasta) )(?:the |dem |le |el )?';
const AND = ' (?:and|und|et|y) (?:the |dem |le |el )?';
const NTH_DAY = '\\d{1,2}(?:st|nd|rd|th|\\.|er)?';
const OF_MONTH = `(?: (?:${MONTH})\\.?(?:,?(?: del?| of)? ${YEAR})?|\\d{1,2}\\.${YEAR})`;
const DAYS_OF_MONTH = WHOLE(
  `(?:(?:between|zwischen|entre) (?:the |dem |le |el )?(${NTH_DAY})${AND}(${NTH_DAY})|(?:(?:from|on|von|vom|am|du|de|del) )?(?:the |dem |le |el )?(?<![\\d.,-])(${NTH_DAY})${TO}(${NTH_DAY}))(?: de)?(${OF_MONTH})`,
);
const MONTH_WITH_DAYS = WHOLE(
  `(?:(?:from|on|in) )?((?:${MONTH})\\.?) (${NTH_DAY})${TO}(${NTH_DAY})(?![\\d.,]*\\d)(,? ${YEAR})?`,
);
function takeDaysOfMonth(open: OpenText): Period[] {
  const [found, from = '', to = '', first = from, last = to, of = ''] = open.take(DAYS_OF_MONTH) ?? [];
  if (found) return [period(`${first}${of}`, '>='), period(`${last}${of}`, '<=')];
  const [, name = '', begin = '', end = '', year = ''] = open.take(MONTH_WITH_DAYS) ?? [];
  return name === '' ? [] : [period(`${begin} ${name}${year}`, '>='), period(`${end} ${name}${year}`, '<=')];
}

const QUARTER = WHOLE(
  `(?:in |during |im |en |au |dans |for |el |le |the )*(?:(first|1st|second|2nd|third|3rd|fourth|4th|last|erste[nms]?|zweite[nms]?|dritte[nms]?|vierte[nms]?|letzte[nms]?|premier|deuxieme|troisieme|quatrieme|dernier|primer|segundo|tercer|cuarto|ultimo) (quarter|half|quartal|halbjahr|trimestre|semestre)|q([1-4]))(?: of| de| des| von)? (${YEAR})|(?:in |during |im |en |au )?(?:the )?q([1-4])(?! ?\\p{L})`,
);

const NTH = [
  'first|1st|erst|prem|prim',
  'second|2nd|zweit|deux|segu',
  'third|3rd|dritt|trois|terc',
  'fourth|4th|viert|quat|cuar',
];

function takeQuarter(open: OpenText): Period[] {
  const found = open.take(QUARTER);
  if (!found) return [];
  const [said, nth = '', part = '', numbered = '', year, alone = ''] = found;
  const number = numbered || alone;
  const months = /^(?:half|halb|sem)/.test(part) ? 6 : 3;
  const named = NTH.findIndex((words) => new RegExp(`^(?:${words})`).test(nth)) + 1;
  const last = (Number(number) || named || 12 / months) * months;
  if (last > 12) return [];
  const month = (at: number) => isoDay(year, String(at));
  return [
    { sign: '>=', start: month(last - months + 1), hasYear: year !== undefined, said },
    { sign: '<=', start: month(last), hasYear: year !== undefined, said },
  ];
}

/** "For the five years" beside their first and last day says nothing more. */
const LENGTH = WHOLE(
  `(?:for|over|during|in|across|uber|fur|in|sur|pendant|dans|durante|en) (?:the |die |den |les |los )?(?:${SMALL}) (?:years?|months?|quarters?|weeks?|jahren?|monaten?|quartalen?|wochen?|ans|annees|mois|trimestres|semaines|anos|meses|semanas)`,
);

const MAX_PERIODS = 3;

export function takePeriods(open: OpenText): Period[] {
  const quarter = takeQuarter(open);
  if (quarter.length > 0) return quarter;
  const range = open.take(RANGE);
  if (range) {
    open.take(LENGTH);
    const [, from = '', to = ''] = range;
    const [, year = ''] = new RegExp(`(${YEAR})`).exec(to) ?? [];
    const first = new RegExp(YEAR).test(from) ? from : `${from} ${year}`.trim();
    return [period(first, '>='), period(to, '<=')];
  }
  const days = takeDaysOfMonth(open);
  if (days.length > 0) return days;
  const all: Period[] = [];
  while (all.length < MAX_PERIODS) {
    const next = nextPeriod(open);
    if (!next) return all;
    all.push(next);
  }
  return all;
}

function nextPeriod(open: OpenText): Period | undefined {
  for (const [pattern, sign] of SIGNED) {
    const found = open.take(pattern);
    if (found) return period(found[1] ?? '', sign);
  }
  return undefined;
}

function period(said: string, sign: Period['sign']): Period {
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(said);
  if (dotted) return { sign, start: isoDay(dotted[3], dotted[2], dotted[1]), hasYear: true, said };
  if (/^\d{4}/.test(said)) return { sign, start: said, hasYear: true, said };
  const [, year] = new RegExp(`(${YEAR})$`).exec(said) ?? [];
  const [name = ''] = new RegExp(`(?:${MONTH})`).exec(said) ?? [];
  const month = String(MONTHS.findIndex((names) => new RegExp(`^(?:${names})`).test(name)) + 1);
  const [day] = /(?<!\d)\d{1,2}(?!\d)/.exec(said) ?? [];
  return { sign, start: isoDay(year, month, day), hasYear: year !== undefined, said };
}

const isoDay = (...parts: (string | undefined)[]): string =>
  parts.flatMap((part) => (part === undefined ? [] : [part.padStart(2, '0')])).join('-');

const WEEKDAY =
  /^(?:sun|mon|tues|wednes|thurs|fri|satur)days?$|^(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?$|^(?:lun|mar|mercre|jeu|vendre|same)di$|^dimanche$|^(?:lunes|martes|miercoles|jueves|viernes|sabado|domingo)s?$/;
/** How tables shorten a weekday: "Sun" for Sunday. */
export const shortDays = (word: string): string[] =>
  WEEKDAY.test(word) ? [2, 3, 4, 5].map((length) => word.slice(0, length)) : [];
