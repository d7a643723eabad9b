/** The numbers, units, dates and periods of a statement, in five languages, in a form that can be compared. */
import { calculate } from '../../../engines/calculator/calculate.ts';
import { fold } from '../../../engines/retrieval/words.ts';
import { definedFields } from '../../../shared/core/optional-fields.ts';
import { type ClaimLanguage, languageOf } from './language.ts';

export type ClaimFigure = {
  /** More than one where the notation is ambiguous, such as 1.204 in a text of unknown language. */
  values: number[];
  unit: string | undefined;
  isApproximate: boolean;
  /** The time that it is for, as in `900 kWh a day`. */
  rate?: string;
  /** Where the number stands in the text. */
  at: number;
  end: number;
};

/** Words that multiply the number before them. `billion` depends on the language. */
const SCALES: [RegExp, number][] = [
  [/^(?:thousand|tausend|tsd|mille|mila|k)$/, 1e3],
  [/^(?:millions?|millionen|mio|mn|millones|millon|milioni|milione)$/, 1e6],
  [/^(?:bn|milliards?|milliarden?|mrd|miliardi|miliardo)$/, 1e9],
  [/^(?:trillions?|tn|billones|bilioni|billionen)$/, 1e12],
];

/** Words end where no letter or digit follows. */
const UNITS = (
  [
    [
      'percentage points?|prozentpunkten?|prozentpunkte?s?|points? de pourcentage|puntos? porcentual(?:es)?|punt[oi] percentual[ei]|pp',
      'percentage points',
    ],
    ['basis points?|basispunkten?|points? de base|puntos? basicos?|punt[oi] base|bps?', 'basis points'],
    [/^(?:%|(?:per ?cent|prozent|pour ?cent|por ciento|per cento)(?![\p{L}\p{N}]))/u, '%'],
    [/^(?:€|(?:eur|euros?)(?![\p{L}\p{N}]))/u, 'EUR'],
    [/^(?:us-?\$|\$|(?:usd|us-dollars?|dollars?|dolares|dolar|dollari|dollaro)(?![\p{L}\p{N}]))/u, 'USD'],
    [/^(?:£|(?:gbp|pounds?|pfund|livres?|libras?|sterline|sterlina)(?![\p{L}\p{N}]))/u, 'GBP'],
    [/^(?:¥|(?:jpy|yens?)(?![\p{L}\p{N}]))/u, 'JPY'],
    ['chf|(?:swiss )?francs?|franken|francos?|franchi', 'CHF'],
    ['pln|zloty\\w*', 'PLN'],
    ['sek|nok|dkk', 'kronor'],
    ['cents?|ct|centimes?|centimos?|centesim[oi]', 'cents'],
    ['tonnes?|tons?|tonnen|toneladas?|tonnellat[ae]|t', 't'],
    ['kilos?|kilograms?|kilogramm|kg', 'kg'],
    ['kilomet(?:re|er|ro)s?|kilometern|chilometri|km', 'km'],
    ['(?:square met(?:re|er)s?|quadratmetern?|met(?:re|ro)s? (?:carre|cuadrado)s?|metri quadr[ai]|sqm|m[²2])', 'm²'],
    ['met(?:re|er)s?|metern|metros?|metri', 'metres'],
    ['lit(?:re|er)s?|litern|litros?|litri', 'litres'],
    ['kwh|kilowatt[ -]?hours?|kilowattstunden', 'kWh'],
    ['mwh|megawatt[ -]?hours?|megawattstunden', 'MWh'],
    ['gwh|gigawatt[ -]?hours?|gigawattstunden', 'GWh'],
    ['twh|terawatt[ -]?hours?|terawattstunden', 'TWh'],
    ['mw|megawatts?', 'MW'],
    ['gw|gigawatts?', 'GW'],
    ['units?|einheiten|unites?|unidades|unita', 'units'],
    ['gallons?|gallonen|galones|gallon[ei]', 'gallons'],
    ['miles?|meilen?|millas?|migli[ao]', 'miles'],
    ['acres?|acri', 'acres'],
    ['hectares?|hektar|hectareas?|ettar[io]', 'hectares'],
    ['f(?:oo|ee)t', 'feet'],
    ['kw|kilowatts?', 'kW'],
    ['crowns?|kronen?|kronor|kroner|couronnes?|coronas?|corone', 'kronor'],
    ['barrels?|fass|barils?|barriles|barili', 'barrels'],
    ['minutes?|minuten|minutos?|minut[oi]', 'minutes'],
    ['hours?|stunden?|heures?|horas?|or[ae]', 'hours'],
    ['days?|tagen?|tage|jours?|dias?|giorn[oi]', 'days'],
    ['weeks?|wochen?|semaines?|semanas?|settiman[ae]', 'weeks'],
    ['months?|monaten?|monate|mois|meses|mes|mes[ei]', 'months'],
    ['years?|jahren?|jahre|ans|annees?|anos?|ann[oi]', 'years'],
  ] as [RegExp | string, string][]
).map(
  ([form, unit]) =>
    [typeof form === 'string' ? new RegExp(`^(?:${form})(?![\\p{L}\\p{N}])`, 'u') : form, unit] as const,
);

/** `a day`, `pro Tag`, `par jour`, `al giorno`, and the adverb in its place. */
const RATES = [
  ['hour', 'hour|stunde|heure|hora|ora', 'hourly|stundlich\\w*'],
  ['day', 'day|tag|jour|dia|giorno', 'daily|taglich\\w*'],
  ['week', 'week|woche|semaine|semana|settimana', 'weekly|wochentlich\\w*'],
  ['month', 'month|monat|mois|mes|mese', 'monthly|monatlich\\w*'],
  ['year', 'year|jahr|an|annee|ano|anno', 'annually|jahrlich\\w*'],
].map(
  ([rate = '', noun, adverb]) =>
    [
      rate,
      new RegExp(
        `^\\s*(?:(?:per|each|every|a|an|pro|je|im|am|par|por|al|all.)\\s*(?:${noun})|${adverb})(?!\\p{L})`,
        'u',
      ),
    ] as const,
);

const rateAt = (text: string): string | undefined => RATES.find(([, pattern]) => pattern.test(text))?.[0];

const NUMBER = /(?<![\p{L}\p{N}.,])\d{1,3}(?:[  ’']\d{3})+(?:[.,]\d+)?|(?<![\p{L}\p{N}])\d+(?:[.,]\d+)*/gu;

/** Numbers that texts write as words. The word for one is an article in most languages, so it is left out. */
const WORDS: Record<string, number> = Object.fromEntries(
  [
    'zero null cero',
    '',
    'two zwei deux dos due',
    'three drei trois tres tre',
    'four vier quatre cuatro quattro',
    'five funf cinq cinco cinque',
    'six sechs seis sei',
    'seven sieben sept siete sette',
    'eight acht huit ocho otto',
    'nine neun neuf nueve nove',
    'ten zehn dix diez dieci',
    'eleven elf onze once undici',
    'twelve zwolf douze doce dodici',
  ].flatMap((words, value) => words.split(' ').map((word) => [word, value] as const)),
);

const APPROXIMATE =
  /(?:about|around|roughly|nearly|almost|approximately|some|close to|rund|etwa|fast|knapp|circa|ca\.?|environ|pres de|quelque|alrededor de|cerca de|casi|unos|unas|quasi)\s*(?:eur|usd|gbp|chf|[€$£¥])?\s*$/u;

const CURRENCY_BEFORE = /(us-?\$|[€$£¥]|(?<![\p{L}])(?:eur|usd|gbp|jpy|chf|pln|sek|nok|dkk))\s*$/u;

/** Reads the notation by its language: a comma before three digits is a decimal mark in none but English-free texts. */
function valuesOf(written: string, language: ClaimLanguage | undefined): number[] {
  const text = written.replaceAll(/[  ’']/g, '');
  const english = Number(text.replaceAll(',', ''));
  const continental = Number(text.replaceAll('.', '').replace(',', '.'));
  const isGrouped = (mark: string) => new RegExp(`^\\d{1,3}(?:\\${mark}\\d{3})+$`).test(text);
  const hasBoth = text.includes('.') && text.includes(',');
  if (hasBoth) return [text.lastIndexOf('.') > text.lastIndexOf(',') ? english : continental];
  // 6,5 and 6.5 are decimal in every language; only three digits behind one mark may be a group.
  if (text.includes(',') && !isGrouped(',')) return [continental];
  if (text.includes('.') && !isGrouped('.')) return [Number(text)];
  if (!/[.,]/.test(text)) return [english];
  if (language === 'en') return [english];
  if (language !== undefined) return [continental];
  return [...new Set([english, continental])];
}

/** A year stands alone; it is a date, not a figure. */
const isYear = (written: string, unit: string | undefined): boolean =>
  unit === undefined && /^(?:19|20|21)\d\d$/.test(written);

/** `850 EUR in 2025 and 790 EUR in 2024`: a year before `and` has no unit. */
const ALSO = /^\s*(?:and|und|et|y|e)\s*$/u;
const JOINED = /^\s*(?:-|–|and|to|or|bis|und|oder|auf|a|et|ou|y|o|e)\s*$/u;

export function figuresIn(whole: string, language: ClaimLanguage | undefined): ClaimFigure[] {
  const text = fold(whole);
  const words = [...text.matchAll(/(?<![\p{L}\p{N}-])\p{L}{3,6}(?![\p{L}\p{N}-])/gu)].flatMap(({ 0: word, index }) =>
    Object.hasOwn(WORDS, word) ? [{ written: word, values: [WORDS[word] ?? 0], at: index }] : [],
  );
  const digits = [...text.matchAll(NUMBER)].map(({ 0: written, index }) => ({
    written,
    values: valuesOf(written, language),
    at: index,
  }));
  const periods = periodSpans(text);
  const found = [...words, ...digits]
    .sort((a, b) => a.at - b.at)
    .filter(({ at }) => !periods.some(({ from, to }) => at >= from && at < to))
    .map(({ written, values, at }) => {
      const { scale, unit, end } = after(text, at + written.length, language);
      const before = CURRENCY_BEFORE.exec(text.slice(Math.max(0, at - 8), at))?.[1];
      const own = unit ?? (before === undefined ? undefined : unitAt(before)?.unit);
      const isApproximate = APPROXIMATE.test(text.slice(Math.max(0, at - 40), at));
      return {
        written,
        values: values.map((value) => value * scale),
        scale,
        unit: own,
        isApproximate,
        at,
        end,
        ...definedFields({ rate: rateAt(text.slice(end, end + 30)) }),
      };
    });
  // In `from 5 to 7 per cent` and `2 or 3 million`, both have what only the last one names.
  for (let nth = found.length - 2; nth >= 0; nth--) {
    const [one, next] = [found[nth], found[nth + 1]];
    if (!one || !next || one.unit !== undefined) continue;
    const between = text.slice(one.end, next.at).replace(CURRENCY_BEFORE, '');
    if (!JOINED.test(between) || (isYear(one.written, undefined) && ALSO.test(between))) continue;
    one.unit = next.unit;
    if (one.scale === 1 && next.scale > 1) one.values = one.values.map((value) => value * next.scale);
  }
  return found
    .filter(({ written, unit }) => !isYear(written, unit))
    .map(({ written: _, scale: __, ...figure }) => figure);
}

function after(text: string, from: number, language: ClaimLanguage | undefined) {
  let end = from;
  let scale = 1;
  const skip = () => {
    end += /^[\s -]{0,2}/.exec(text.slice(end))?.[0].length ?? 0;
  };
  for (let steps = 0; steps < 2; steps++) {
    const start = end;
    skip();
    const word = /^\p{L}+/u.exec(text.slice(end))?.[0] ?? '';
    const factor = scaleOf(word, language);
    if (factor === undefined) {
      end = start;
      break;
    }
    scale *= factor;
    end += word.length;
    // `3 Mio. Euro`: the dot of the abbreviation ends no sentence if a unit follows.
    if (text[end] === '.' && unitAt(text.slice(end + 1, end + 41).trimStart())) end++;
  }
  const scaled = end;
  skip();
  // `millions d'euros`, `millones de euros`, `milioni di euro`
  end += /^(?:de|d.|di|of)\s*(?=eur|dol|livr|lib|ster|fran|yen|ton|bar)/u.exec(text.slice(end))?.[0].length ?? 0;
  const unit = unitAt(text.slice(end, end + 40));
  return unit ? { scale, unit: unit.unit, end: end + unit.length } : { scale, unit: undefined, end: scaled };
}

function scaleOf(word: string, language: ClaimLanguage | undefined): number | undefined {
  if (/^billions?$/.test(word)) return language === 'fr' || language === 'de' ? 1e12 : 1e9;
  return word === '' ? undefined : SCALES.find(([pattern]) => pattern.test(word))?.[1];
}

function unitAt(text: string): { unit: string; length: number } | undefined {
  for (const [pattern, unit] of UNITS) {
    const match = pattern.exec(text);
    if (match) return { unit, length: match[0].length };
  }
  return undefined;
}

const NEAR = 0.05;

/** True if both say the same number. An approximate claim may be rounded. */
export function isSameFigure(claim: ClaimFigure, source: ClaimFigure): boolean {
  const near = claim.isApproximate ? NEAR : 1e-9;
  return claim.values.some((own) =>
    source.values.some((value) => Math.abs(own - value) <= near * Math.max(Math.abs(own), Math.abs(value))),
  );
}

const MONTHS = [
  'january|januar|janvier|enero|gennaio',
  'february|februar|fevrier|febrero|febbraio',
  'march|marz|marzo',
  'april|avril|abril|aprile',
  'mayo|maggio',
  'june|juni|juin|junio|giugno',
  'july|juli|juillet|julio|luglio',
  'august|aout|agosto',
  'september|septembre|septiembre|settembre',
  'october|oktober|octobre|octubre|ottobre',
  'november|novembre|noviembre',
  'december|dezember|decembre|diciembre|dicembre',
].map((names) => new RegExp(`(?<![\\p{L}])(?:${names})(?![\\p{L}])`, 'gu'));
/** `May`, `mai` and `mars` are also other words: they are months beside a number or behind a preposition. */
const MAY =
  /\b(?:in|since|by|until|from|of|last|this|early|late|mid|im|seit|bis|anfang|ende|en|de|depuis|fin|debut)[\s-]ma[iy]\b|\d\.?\s+ma[iy]\b|\bma[iy]\s+\d/gu;
const MARS = /\b(?:en|de|depuis|fin|debut)\s+mars\b|\d\s+mars\b|\bmars\s+\d/gu;

const QUARTERS = [
  'first|erste[ns]?|ersten|premier|primer|primo|1st|1er|1\\.',
  'second|zweite[ns]?|deuxieme|segundo|secondo|2nd|2e|2\\.',
  'third|dritte[ns]?|troisieme|tercer|terzo|3rd|3e|3\\.',
  'fourth|vierte[ns]?|quatrieme|cuarto|quarto|4th|4e|4\\.',
].map(
  (names, at) =>
    new RegExp(
      `(?<![\\p{L}\\p{N}])(?:(?:${names})\\s+(?:fiscal\\s+)?(?:quarter|quartal\\w*|trimestre)|q${at + 1})(?![\\p{L}\\p{N}])`,
      'gu',
    ),
);
const HALVES = [
  'first|erste[ns]?|premier|primer|primo|1\\.',
  'second|zweite[ns]?|deuxieme|second|segundo|secondo|2\\.',
].map((names) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${names})\\s+(?:half|halbjahr\\w*|semestre)(?![\\p{L}])`, 'gu'));
const YEAR = /(?<![\p{L}\p{N}.,])(?:19|20|21)\d\d(?![\p{L}\p{N}]|[.,]\d|\s*(?:%|€))/gu;

type Span = { name: string; from: number; to: number };

const spans = (text: string, pattern: RegExp, name: string): Span[] =>
  [...text.matchAll(pattern)].map(({ 0: match, index }) => ({ name, from: index, to: index + match.length }));

const periodSpans = (text: string): Span[] => [
  ...QUARTERS.flatMap((pattern, at) => spans(text, pattern, `quarter ${at + 1}`)),
  ...HALVES.flatMap((pattern, at) => spans(text, pattern, `half ${at + 1}`)),
];

const SEASONS = [
  'spring|fruhjahr|fruhling|printemps|primavera',
  'summer|sommer|ete|verano|estate',
  'autumn|herbst|automne|otono|autunno',
  'winter|hiver|invierno|inverno',
].map((names) => new RegExp(`(?<!\\p{L})(?:${names})\\s+(?:(?:of|de|del)\\s+)?(?:19|20|21)\\d\\d`, 'u'));

/** The years, months, quarters, halves and seasons of a text, each by one name in all languages. */
export function periodsIn(whole: string): Set<string> {
  const text = fold(whole);
  const months = MONTHS.flatMap((pattern, at) => (text.match(pattern) ? [`month ${at + 1}`] : []));
  return new Set([
    ...periodSpans(text).map(({ name }) => name),
    ...months,
    ...SEASONS.flatMap((pattern, at) => (pattern.test(text) ? [`season ${at + 1}`] : [])),
    ...(text.match(MAY) ? ['month 5'] : []),
    ...(text.match(MARS) ? ['month 3'] : []),
    ...(text.match(YEAR) ?? []).map((year) => `year ${year}`),
  ]);
}

export type NotedFigure = {
  /** What it measures; absent for a figure of a quote, whose text says it. */
  label?: string;
  /** With its sign and scale word; null if the notation can be read in two ways. */
  value: number | null;
  /** As the document writes it. */
  text: string;
  unit: string | null;
  period: string | null;
  document: number;
};

/** Its notation is ambiguous where the language is unknown. */
export const numberOf = ({ values }: ClaimFigure, sign: number): number | null =>
  values.length === 1 ? sign * (values[0] ?? 0) : null;

export const signAt = (text: string, at: number): number =>
  /(?<![\p{L}\p{N}])[-−][€$£¥]?$/u.test(text.slice(0, at)) ? -1 : 1;

export const textOf = (text: string, { at, end }: ClaimFigure): string => text.slice(at, end).trim();

/** The figures of a quote that have a unit. Its period is that of the figure only if it has no other figure. */
export function figuresOfQuote(text: string, document: number): NotedFigure[] {
  const all = figuresIn(text, languageOf(text));
  const period = all.length === 1 ? periodOf(text) : undefined;
  return all.flatMap((one) =>
    one.unit === undefined
      ? []
      : [
          {
            value: numberOf(one, signAt(text, one.at)),
            text: textOf(text, one),
            unit: one.unit,
            period: period ?? null,
            document,
          },
        ],
  );
}

const PARTS: Record<string, string> = { month: '-', quarter: '-Q', half: '-H' };

/** The one period that a text names, such as `2025`, `2025-03` or `2025-Q1`. */
export function periodOf(text: string): string | undefined {
  const all = [...periodsIn(text)];
  const years = all.flatMap((name) => /^year (\d+)$/.exec(name)?.[1] ?? []);
  const parts = all.flatMap((name) => {
    const [kind = '', nth = ''] = name.split(' ');
    return PARTS[kind] ? [PARTS[kind] + nth.padStart(kind === 'month' ? 2 : 1, '0')] : [];
  });
  return years.length === 1 && parts.length < 2 ? `${years[0]}${parts[0] ?? ''}` : undefined;
}

/** `scale` is 1e6 where the operands are written in millions, `unit` that of the result where the operands have one. */
export type ComputedFigure = { formula: string; value: number; unit: string | undefined; scale: number };

const MAX_FORMULA = 200;
const LITERAL = /\d+(?:\.\d+)?/g;
const PERCENTAGE = /\*\s*100\s*\)*\s*$/;

/**
 * What follows from figures of the quotes by a formula such as `640 - 598`. Undefined if one of its numbers does not stand
 * there, beside the 100 of a percentage. The result is computed here, whatever a model says it is.
 */
export function computedFigure(formula: string, known: readonly ClaimFigure[]): ComputedFigure | undefined {
  if (!isFormula(formula)) return undefined;
  const isPercentage = PERCENTAGE.test(formula);
  const operands = (formula.replace(isPercentage ? PERCENTAGE : '', '').match(LITERAL) ?? []).map(Number);
  for (const scale of [1, ...SCALES.map(([, factor]) => factor)]) {
    const found = operands.map((operand) =>
      known.find(({ values }) => values.some((value) => isEqual(value, operand * scale))),
    );
    if (found.length < 2 || !found.every((one) => one !== undefined)) continue;
    const calculated = calculate(formula);
    const value = 'error' in calculated ? Number.NaN : Number(calculated.result);
    if (!Number.isFinite(value)) return undefined;
    const isRatio = /[*/]/.test(formula);
    return {
      formula,
      value: isRatio ? value : value * scale,
      unit: unitOf(found, { isPercentage, isRatio }),
      scale: isRatio ? 1 : scale,
    };
  }
  return undefined;
}

const isFormula = (text: string): boolean =>
  text.length <= MAX_FORMULA && /^[\d.\s()+*/-]+$/.test(text) && /\d\D*[-+*/]\D*\d/.test(text);

const isEqual = (one: number, other: number): boolean => Math.abs(one - other) <= 1e-9 * Math.abs(other);

/** The difference of two percentages is one of percentage points. */
function unitOf(
  operands: readonly ClaimFigure[],
  { isPercentage, isRatio }: { isPercentage: boolean; isRatio: boolean },
) {
  if (isRatio) return isPercentage ? '%' : undefined;
  const units = new Set(operands.map(({ unit }) => unit));
  const [unit] = units;
  return units.size > 1 ? undefined : unit === '%' ? 'percentage points' : unit;
}
