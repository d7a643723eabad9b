/** A chart as data: the input type, the bounded and cleaned chart that is drawn, its scale and number formats, and its description in words. */

export type ChartSeries = {
  name: string;
  /** One value for each label of x. Null leaves a gap. */
  values: (number | null)[];
};

export type Chart = {
  kind: 'line' | 'bar';
  title: string;
  /** The unit of the values, such as `EUR` or `% of GDP`. */
  unit?: string;
  x: { labels: string[] };
  series: ChartSeries[];
  /** A description of where the values come from. */
  source?: string;
};

/**
 * Further series and points are left out, with a remark under the chart. Lines with many points are drawn by their
 * extremes.
 */
const MAX_SERIES = 12;
export const MAX_POINTS = 5_000;

/** A chart ready to be drawn: bounded, every value a number or null, every text one plain line. */
export type TidySeries = { name: string; values: (number | null)[] };

export type TidyChart = {
  kind: Chart['kind'];
  title: string;
  unit: string;
  labels: string[];
  series: TidySeries[];
  source: string;
  /** Tells readers what was left out. */
  remark: string;
};

/** Larger values do not occur in practice, and the arithmetic of scales would overflow. */
const LARGEST = 1e100;
const MAX_LABEL = 120;
const MAX_TITLE = 300;

export function tidyChart(chart: Chart): TidyChart {
  const labels = chart.x.labels.slice(0, MAX_POINTS);
  const series = chart.series.slice(0, MAX_SERIES).map(({ name, values }, at) => ({
    name: cleanLabel(name, MAX_LABEL) || `Series ${at + 1}`,
    values: labels.map((_, index) => usableValue(values[index])),
  }));
  return {
    kind: chart.kind,
    title: cleanLabel(chart.title, MAX_TITLE),
    unit: cleanLabel(chart.unit ?? '', MAX_LABEL),
    labels: labels.map((label) => cleanLabel(label, MAX_LABEL)),
    series,
    source: cleanLabel(chart.source ?? '', MAX_TITLE),
    remark: remarkOf(chart),
  };
}

function usableValue(value: number | null | undefined): number | null {
  if (typeof value !== 'number' || !(Math.abs(value) <= LARGEST)) return null;
  return Math.abs(value) < 1 / LARGEST ? 0 : value;
}

/** Removes line breaks, control characters and characters that change the text direction. */
export const cleanLabel = (text: string, max: number): string =>
  Array.from(
    text
      .normalize('NFC')
      .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zs}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim(),
  )
    .slice(0, max)
    .join('');

function remarkOf({ x, series }: Chart): string {
  const parts = [
    ...(series.length > MAX_SERIES ? [`the first ${MAX_SERIES} of ${series.length} series`] : []),
    ...(x.labels.length > MAX_POINTS ? [`the first ${MAX_POINTS} of ${x.labels.length} points`] : []),
  ];
  return parts.length > 0 ? `Shown are ${parts.join(' and ')}.` : '';
}

export const valuesOf = ({ series }: TidyChart): number[] =>
  series.flatMap(({ values }) => values.filter((value) => value !== null));

const en = {
  kinds: { line: 'Line chart', bar: 'Bar chart' },
  untitled: 'without a title',
  unit: (unit: string) => `, in ${unit}`,
  points: (count: number, from: string, to: string) => `${count} points from ${from} to ${to}.`,
  noValues: 'no values',
  range: (from: string, to: string, low: string, high: string) =>
    `from ${from} to ${to}, lowest ${low}, highest ${high}`,
  source: 'Source',
};
const WORDS: Record<string, typeof en> & { en: typeof en } = {
  en,
  de: {
    kinds: { line: 'Liniendiagramm', bar: 'Balkendiagramm' },
    untitled: 'ohne Titel',
    unit: (unit) => `, in ${unit}`,
    points: (count, from, to) => `${count} Punkte von ${from} bis ${to}.`,
    noValues: 'keine Werte',
    range: (from, to, low, high) => `von ${from} auf ${to}, am niedrigsten ${low}, am höchsten ${high}`,
    source: 'Quelle',
  },
  fr: {
    kinds: { line: 'Courbe', bar: 'Diagramme en barres' },
    untitled: 'sans titre',
    unit: (unit) => `, en ${unit}`,
    points: (count, from, to) => `${count} points de ${from} à ${to}.`,
    noValues: 'aucune valeur',
    range: (from, to, low, high) => `de ${from} à ${to}, au plus bas ${low}, au plus haut ${high}`,
    source: 'Source',
  },
  es: {
    kinds: { line: 'Gráfico de líneas', bar: 'Gráfico de barras' },
    untitled: 'sin título',
    unit: (unit) => `, en ${unit}`,
    points: (count, from, to) => `${count} puntos de ${from} a ${to}.`,
    noValues: 'sin valores',
    range: (from, to, low, high) => `de ${from} a ${to}, mínimo ${low}, máximo ${high}`,
    source: 'Fuente',
  },
  it: {
    kinds: { line: 'Grafico a linee', bar: 'Grafico a barre' },
    untitled: 'senza titolo',
    unit: (unit) => `, in ${unit}`,
    points: (count, from, to) => `${count} punti da ${from} a ${to}.`,
    noValues: 'nessun valore',
    range: (from, to, low, high) => `da ${from} a ${to}, minimo ${low}, massimo ${high}`,
    source: 'Fonte',
  },
};

/** The words of a language such as `de-AT`, or the English ones. */
export const wordsFor = <T>(translations: Record<string, T> & { en: T }, language: string): T =>
  translations[language.split('-', 1)[0] ?? ''] ?? translations.en;

const MAX_LISTED_VALUES = 6;

/** Describes a chart in words, for readers who cannot see it. */
export function describeChart(chart: Chart, language?: string): string {
  const { kind, title, unit, labels, series, source, remark } = tidyChart(chart);
  const show = fullFormat(canonicalLanguage(language));
  const words = wordsFor(WORDS, canonicalLanguage(language));
  const toWords = (dataSeries: TidySeries) => describeSeries(dataSeries, labels, { show, words });
  const head = `${words.kinds[kind]}: ${title || words.untitled}${unit ? words.unit(unit) : ''}.`;
  return [
    head,
    ...(labels.length > 1 ? [words.points(labels.length, labels[0] ?? '', labels.at(-1) ?? '')] : []),
    ...series.map(
      (dataSeries) =>
        `${series.length > 1 ? `${dataSeries.name}: ${toWords(dataSeries)}` : capitalize(toWords(dataSeries))}.`,
    ),
    ...(remark ? [remark] : []),
    ...(source ? [`${words.source}: ${source}.`] : []),
  ].join(' ');
}

const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function describeSeries(
  { values }: TidySeries,
  labels: readonly string[],
  { show, words }: { show: FormatValue; words: typeof en },
): string {
  const points = values.flatMap((value, index) => (value === null ? [] : [{ value, label: labels[index] ?? '' }]));
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return words.noValues;
  const pointText = ({ value, label }: typeof first) => (label ? `${show(value)} (${label})` : show(value));
  if (points.length <= MAX_LISTED_VALUES) return points.map(pointText).join(', ');
  const lowest = points.reduce((best, point) => (point.value < best.value ? point : best));
  const highest = points.reduce((best, point) => (point.value > best.value ? point : best));
  return words.range(pointText(first), pointText(last), pointText(lowest), pointText(highest));
}

/** Values beyond these limits are written as powers of ten or in compact form. */
const HUGE = 1e15;
const LARGE = 100_000;
const SMALL = 1e-4;
const MAX_DECIMALS = 6;

const DEFAULT_LANGUAGE = 'en';

/** Normalizes a language tag; returns English if it is not valid. */
export function canonicalLanguage(language: string | undefined): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? DEFAULT_LANGUAGE;
  } catch {
    return DEFAULT_LANGUAGE;
  }
}

export type FormatValue = (value: number) => string;

/** Formats all ticks of an axis with the same number of decimals. */
export function tickFormat(ticks: readonly number[], language: string): FormatValue {
  const largest = Math.max(...ticks.map(Math.abs));
  if (isExtreme(largest)) return powers;
  if (largest >= LARGE) return numberFormat(language, { notation: 'compact', maximumFractionDigits: 2 });
  const decimals = Math.min(Math.max(...ticks.map(decimalsOf)), MAX_DECIMALS);
  return numberFormat(language, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** Formats the value next to a bar, with about three digits. */
export function shortFormat(values: readonly number[], language: string): FormatValue {
  const largest = values.reduce((sofar, value) => Math.max(sofar, Math.abs(value)), 0);
  if (isExtreme(largest)) return powers;
  const large =
    largest >= LARGE
      ? numberFormat(language, { notation: 'compact', maximumSignificantDigits: 3 })
      : numberFormat(language, { maximumFractionDigits: largest >= 100 ? 0 : largest >= 10 ? 1 : 2 });
  const small = numberFormat(language, { maximumSignificantDigits: 2 });
  return (value) => {
    if (isExtreme(Math.abs(value))) return powers(value);
    return Math.abs(value) < 1 ? small(value) : large(value);
  };
}

/** Formats the full value, for a table. */
export function fullFormat(language: string): FormatValue {
  const plain = numberFormat(language, { maximumFractionDigits: MAX_DECIMALS });
  return (value) => (isExtreme(Math.abs(value)) ? powers(value) : plain(value));
}

const isExtreme = (max: number): boolean => max >= HUGE || (max > 0 && max < SMALL);

const withMinus = (text: string): string => text.replaceAll('-', '−');

const powers: FormatValue = (value) =>
  withMinus(
    value === 0
      ? '0'
      : value
          .toExponential(2)
          .replace(/\.?0+e\+?/, 'e')
          .replace('e+', 'e'),
  );

function numberFormat(language: string, options: Intl.NumberFormatOptions): FormatValue {
  const format = new Intl.NumberFormat(language, options);
  return (value) => withMinus(format.format(value === 0 ? 0 : value));
}

function decimalsOf(value: number): number {
  const [, decimals = ''] = String(value).split('.');
  return decimals.includes('e') ? MAX_DECIMALS : decimals.length;
}

/** A value axis: round ticks that enclose all values, and the position of each value between them. */
export type ValueScale = {
  ticks: number[];
  /** 0 at the lowest tick, 1 at the highest. */
  shareOf: (value: number) => number;
};

/** A line chart may omit zero only if the values would otherwise use less than this share of the height. */
const SQUEEZED = 0.45;
const ROUND = [1, 2, 2.5, 5, 10];

export function scaleOf(
  values: readonly number[],
  { mustShowZero, ticks: tickCount }: { mustShowZero: boolean; ticks: number },
): ValueScale {
  const [low, high] = bounds(values, mustShowZero);
  const step = roundStep((high - low) / tickCount);
  const first = Math.floor(low / step + TINY);
  const last = Math.max(Math.ceil(high / step - TINY), first + 1);
  const ticks = Array.from({ length: last - first + 1 }, (_, at) => exact((first + at) * step));
  const [bottom, top] = [first * step, last * step];
  return { ticks, shareOf: (value) => (value - bottom) / (top - bottom) };
}

const TINY = 1e-9;
/** Rounds away errors in the last binary digits, which would be visible in labels. */
const exact = (value: number): number => Number(value.toPrecision(12));

function bounds(values: readonly number[], mustShowZero: boolean): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (low > high) return [0, 1];
  const farthest = Math.max(Math.abs(low), Math.abs(high));
  const isSqueezed = high - low > farthest * TINY && high - low < farthest * SQUEEZED;
  if (mustShowZero || !isSqueezed) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  return low === high ? [0, 1] : [low, high];
}

function roundStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  // The power of ten underflowed to zero.
  if (!(power > 0)) return Number.MIN_VALUE ** 0.5;
  const factor = ROUND.find((round) => round * power >= atLeast * (1 - TINY)) ?? 10;
  return factor * power;
}
