/** Figures that came with the items of a source: one series for each label, in chronological order. */

import { cleanLine, type EmailFigures } from '../../engines/mail/email.ts';
import { indexedWords, STOP_WORDS, stem } from '../../engines/retrieval/words.ts';
import type { GatheredItems, SourceItem } from '../../shared/sources/source-item.ts';
import { isNextOfSeries, isRetold } from '../near-duplicates.ts';
import { dayOf } from './wording.ts';

export type FigureSeries = { source: string; label: string; unit: string; points: FigurePoint[]; isSample: boolean };

type FigurePoint = { at: string; value: number };

export const MAX_LABEL = 60;
const MAX_UNIT = 20;

/** Of two values on the same day, the later one counts. Items without a date are ignored. */
export function seriesIn({ source, items, isSample }: GatheredItems): FigureSeries[] {
  const series = new Map<string, FigureSeries & { byDay: Map<string, FigurePoint> }>();
  const dated = items.filter(({ publishedAt }) => publishedAt !== undefined);
  const latestByKey = new Map<string, { item: SourceItem; value: number }>();
  for (const item of withoutRepeats(dated.toSorted(inTime))) {
    const { publishedAt: at = '', figures = [] } = item;
    for (const { label, value, unit = '' } of figures.filter((figure) => Number.isFinite(figure.value))) {
      const key = JSON.stringify([label, unit]);
      const before = latestByKey.get(key);
      if (before?.value === value && !isNextOfSeries(item, before.item)) continue;
      latestByKey.set(key, { item, value });
      const name = { label: cleanLine(label, MAX_LABEL), unit: cleanLine(unit, MAX_UNIT) };
      const entry = series.get(key) ?? { source, ...name, points: [], isSample, byDay: new Map() };
      entry.byDay.set(at.slice(0, 10), { at, value });
      series.set(key, entry);
    }
  }
  return [...series.values()].map(({ byDay, ...entry }) => ({ ...entry, points: [...byDay.values()] }));
}

/** Of the series, those that one of the items has a figure of. */
export function seriesOfItems(allSeries: readonly FigureSeries[], items: readonly SourceItem[]): FigureSeries[] {
  const keyOf = (source: string, label: string) => JSON.stringify([source, cleanLine(label, MAX_LABEL)]);
  const wantedKeys = new Set(
    items.flatMap(({ source, figures = [] }) => figures.map(({ label }) => keyOf(source, label))),
  );
  return allSeries.filter(({ source, label }) => wantedKeys.has(keyOf(source, label)));
}

const MAX_ROWS = 8;

/**
 * Returns the latest value of each series and its change. Series that match the subject come first, then the newest.
 */
export function latestFigures(
  allSeries: readonly FigureSeries[],
  subject: string,
  zone: string,
): EmailFigures | undefined {
  const words = new Set(wordsIn(subject));
  const ranked = allSeries
    .map((series) => ({ series, shared: wordsIn(series.label).filter((word) => words.has(word)).length }))
    .sort((a, b) => b.shared - a.shared || newerFirst(a.series, b.series));
  const rows = ranked.slice(0, MAX_ROWS).flatMap(({ series: { label, unit, points } }) => {
    const last = points.at(-1);
    if (!last) return [];
    return [{ name: label, value: valueText(last.value, unit), about: movementText(points, zone) }];
  });
  return rows.length === 0 ? undefined : { heading: 'Figures', rows };
}

/** The latest value of the series with its unit. */
export const latestValue = ({ points, unit }: FigureSeries): string =>
  valueText(points.at(-1)?.value ?? Number.NaN, unit);

/** Removes stories that repeat an earlier one with the same figures. */
function withoutRepeats(items: readonly SourceItem[]): SourceItem[] {
  const latest = new Map<string, SourceItem>();
  return items.filter((item) => {
    const key = JSON.stringify(item.figures ?? []);
    const before = latest.get(key);
    latest.set(key, item);
    return before === undefined || !isRetold(item, before);
  });
}

const inTime = (a: { publishedAt?: string }, b: { publishedAt?: string }): number =>
  (a.publishedAt ?? '') < (b.publishedAt ?? '') ? -1 : 1;

const wordsIn = (text: string): string[] => [
  ...new Set(
    indexedWords(text)
      .filter((word) => !STOP_WORDS.has(word))
      .map(stem),
  ),
];

const newerFirst = ({ points: a }: FigureSeries, { points: b }: FigureSeries): number =>
  (b.at(-1)?.at ?? '').localeCompare(a.at(-1)?.at ?? '');

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 4 });
const percents = new Intl.NumberFormat('en', { maximumFractionDigits: 1, signDisplay: 'exceptZero' });

const percent = (value: number): string => percents.format(value).replace('-', '\u{2212}');

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

/** Formats a value as in `EUR 1,284 million` or `61.2 EUR/MWh`. */
function valueText(value: number, unit: string): string {
  const [firstWord = '', ...otherWords] = unit.split(' ');
  const parts = CURRENCIES.has(firstWord)
    ? [firstWord, numbers.format(value), ...otherWords]
    : [numbers.format(value), unit];
  return parts.filter((part) => part !== '').join(' ');
}

function movementText(points: readonly FigurePoint[], zone: string): string {
  const [before, last] = points.slice(-2);
  if (!last) return before ? dayOf(before.at, zone) : '';
  const since = before && before.value !== 0 ? (last.value / before.value - 1) * 100 : undefined;
  const moved = since === undefined ? '' : `, ${percent(since)} % since ${dayOf(before?.at ?? '', zone)}`;
  return `${dayOf(last.at, zone)}${moved}`;
}
