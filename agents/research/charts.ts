/** Charts of the figures that came with documents: lines over time, bars for comparisons. */

import type { Chart, ChartSeries } from '../../engines/charts/chart.ts';
import type { ReportBlock } from '../../engines/reports/report-document.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { FindingPoint } from './state.ts';

/** A chart as the results show it: `chart` is its number, `documents` are those it rests on. */
export type ShownChart = Chart & { chart: number; documents: number[] };

export function chartIn(charts: readonly ShownChart[], nth: number): ReportBlock[] {
  const found = charts[nth - 1];
  if (!found) return [];
  const { chart: _, documents, ...chart } = found;
  return [{ kind: 'chart', chart, ...(documents.length > 0 ? { citations: documents } : {}) }];
}

const MAX_CHARTS = 6;

const MAX_POINTS = 60;

const MAX_LINES = 8;

export type Made = Chart & { documents: number[] };

/** Charts that rest on most documents come first. */
export const chartsOf = (points: readonly FindingPoint[]): Made[] =>
  together(points)
    .flatMap((group) => chartOf(group) ?? [])
    .sort((a, b) => b.documents.length - a.documents.length)
    .slice(0, MAX_CHARTS);

/**
 * Groups figures of one source and unit whose labels share the last word, such as the revenues of several companies, or
 * else the first.
 */
function together(points: readonly FindingPoint[]): FindingPoint[][] {
  const labels = [...new Set(points.map(({ label }) => label))];
  const isShared = (word: string, of: (label: string) => string) =>
    labels.filter((label) => of(label) === word).length > 1;
  const kindOf = (label: string): string => {
    const [last, first] = [lastWord(label), firstWord(label)];
    if (isShared(last, lastWord)) return `…${last}`;
    return isShared(first, firstWord) ? `${first}…` : label;
  };
  const groups = Map.groupBy(points, ({ source, label, unit }) => JSON.stringify([source, unit ?? '', kindOf(label)]));
  return [...groups.values()];
}

const lastWord = (label: string): string => (label.split(/\s+/).at(-1) ?? '').toLowerCase();

const firstWord = (label: string): string => (label.split(/\s+/)[0] ?? '').toLowerCase();

/** A single number makes no chart. */
function chartOf(points: readonly FindingPoint[]): Made | undefined {
  const labels = new Set(points.map(({ label }) => label));
  const nameOf =
    labels.size > 1 || isOneThing(points) ? ({ label }: FindingPoint) => label : ({ title }: FindingPoint) => title;
  const things = Map.groupBy(points, nameOf);
  const lines = [...things].filter(([, own]) => daysOf(own).size > 1).slice(0, MAX_LINES);
  if (lines.length > 0) return lineOf(points, lines);
  return things.size > 1 ? barsOf(points, things) : undefined;
}

const daysOf = (points: readonly FindingPoint[]): Set<string> =>
  new Set(points.flatMap(({ at }) => (at ? [dayOf(at)] : [])));

const dayOf = (at: string | null): string => (at ?? '').slice(0, 10);

/** One value per day: the titles differ only because each names its day. */
const isOneThing = (points: readonly FindingPoint[]): boolean => daysOf(points).size === points.length;

function lineOf(points: readonly FindingPoint[], lines: [string, FindingPoint[]][]): Made {
  const days = [...new Set(lines.flatMap(([, own]) => [...daysOf(own)]))].sort().slice(-MAX_POINTS);
  const series = lines.map(([name, own]): ChartSeries => {
    const values = new Map(own.map(({ at, value }) => [dayOf(at), value]));
    return { name, values: days.map((day) => values.get(day) ?? null) };
  });
  return { kind: 'line', ...headOf(points), x: { labels: days }, series };
}

/** Shows the newest value of each thing. */
function barsOf(points: readonly FindingPoint[], things: Map<string, FindingPoint[]>): Made {
  const bars = [...things].slice(0, MAX_POINTS).map(([name, own]) => ({
    name,
    value: own.reduce((newest, one) => ((newest.at ?? '') <= (one.at ?? '') ? one : newest)).value,
  }));
  const { title, ...head } = headOf(points);
  return {
    kind: 'bar',
    title,
    ...head,
    x: { labels: bars.map(({ name }) => name) },
    series: [{ name: title, values: bars.map(({ value }) => value) }],
  };
}

function headOf(points: readonly FindingPoint[]) {
  const [{ unit, source = '' } = {}] = points;
  const documents = [...new Set(points.flatMap(({ document }) => document ?? []))].sort((a, b) => a - b);
  const isSample = points.some((point) => point.isSample);
  return {
    title: titleOf([...new Set(points.map(({ label }) => label))]),
    ...definedFields({ unit }),
    source: `${source}, ${points.length} figures${isSample ? ', sample data' : ''}`,
    documents,
  };
}

/** Returns the words that the labels share, at their end or else at their beginning. */
function titleOf(labels: readonly string[]): string {
  const all = labels.map((label) => label.split(/\s+/));
  const [first = []] = all;
  const shared = (from: (words: string[], nth: number) => string | undefined): string[] => {
    const differs = first.findIndex((_, nth) => all.some((words) => from(words, nth) !== from(first, nth)));
    return first.slice(0, differs < 0 ? first.length : differs).map((_, nth) => from(first, nth) ?? '');
  };
  const end = shared((words, nth) => words.at(-1 - nth)).reverse();
  const words = end.length > 0 ? end : shared((some, nth) => some[nth]);
  const title = words.length > 0 ? words.join(' ') : (labels[0] ?? '');
  return title.charAt(0).toUpperCase() + title.slice(1);
}
