/** Charts of the figures that a research read. */

import type { Chart, ChartSeries } from '../../engines/charts/chart.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { sourceName } from '../source-names.ts';
import type { ReportTexts } from './report-texts.ts';
import type { FindingPoint } from './research-request.ts';

const MAX_CHARTS = 6;

const MAX_POINTS = 60;

const MAX_LINES = 8;

/** `isNoted`: of figures that a model noted. */
export type DrawnChart = Chart & { documents: number[]; isNoted: boolean };

/** Charts of figures that stand in a document that was read; those that rest on most come first. */
export const chartsOf = (points: readonly FindingPoint[], texts: ReportTexts): DrawnChart[] =>
  chartGroups(points)
    .flatMap((group) => chartOf(group, texts) ?? [])
    .filter(({ documents }) => documents.length > 0)
    .sort((a, b) => b.documents.length - a.documents.length)
    .slice(0, MAX_CHARTS);

/**
 * Groups figures of one source and unit whose labels share the last word, such as the revenues of several companies, or
 * else the first. What a model noted of one thing stands for itself.
 */
function chartGroups(points: readonly FindingPoint[]): FindingPoint[][] {
  const labels = [...new Set(points.map(({ label }) => label))];
  const isShared = (word: string, of: (label: string) => string) =>
    labels.filter((label) => of(label) === word).length > 1;
  const kindOf = (label: string): string => {
    const [lastOfLabel, firstOfLabel] = [lastWord(label), firstWord(label)];
    if (isShared(lastOfLabel, lastWord)) return `…${lastOfLabel}`;
    return isShared(firstOfLabel, firstWord) ? `${firstOfLabel}…` : label;
  };
  const groups = Map.groupBy(points, ({ source, label, unit, isNoted = false }) =>
    JSON.stringify([isNoted ? '' : source, unit ?? '', isNoted ? label : kindOf(label), isNoted]),
  );
  return [...groups.values()];
}

const lastWord = (label: string): string => (label.split(/\s+/).at(-1) ?? '').toLowerCase();

const firstWord = (label: string): string => (label.split(/\s+/)[0] ?? '').toLowerCase();

/** A single number makes no chart. */
function chartOf(points: readonly FindingPoint[], texts: ReportTexts): DrawnChart | undefined {
  const labels = new Set(points.map(({ label }) => label));
  const nameOf =
    labels.size > 1 || isOneThing(points) ? ({ label }: FindingPoint) => label : ({ title }: FindingPoint) => title;
  const byName = Map.groupBy(points, nameOf);
  const lines = [...byName].filter(([, linePoints]) => daysOf(linePoints).size > 1).slice(0, MAX_LINES);
  if (lines.length > 0) return lineOf(headOf(points, texts), lines);
  return byName.size > 1 ? barsOf(headOf(points, texts), byName) : undefined;
}

const daysOf = (points: readonly FindingPoint[]): Set<string> =>
  new Set(points.flatMap(({ at }) => (at ? [dayOf(at)] : [])));

const dayOf = (at: string | null): string => (at ?? '').slice(0, 10);

/** One value per day: the titles differ only because each names its day. */
const isOneThing = (points: readonly FindingPoint[]): boolean => daysOf(points).size === points.length;

type Head = ReturnType<typeof headOf>;

function lineOf(head: Head, lines: [string, FindingPoint[]][]): DrawnChart {
  const days = [...new Set(lines.flatMap(([, linePoints]) => [...daysOf(linePoints)]))].sort().slice(-MAX_POINTS);
  const series = lines.map(([name, linePoints]): ChartSeries => {
    const values = new Map(linePoints.map(({ at, value }) => [dayOf(at), value]));
    return { name, values: days.map((day) => values.get(day) ?? null) };
  });
  return { kind: 'line', ...head, x: { labels: days }, series };
}

/** Shows the newest value of each thing. */
function barsOf({ title, ...head }: Head, byName: Map<string, FindingPoint[]>): DrawnChart {
  const bars = [...byName].slice(0, MAX_POINTS).map(([name, barPoints]) => ({
    name,
    value: barPoints.reduce((newest, point) => ((newest.at ?? '') <= (point.at ?? '') ? point : newest)).value,
  }));
  return {
    kind: 'bar',
    title,
    ...head,
    x: { labels: bars.map(({ name }) => name) },
    series: [{ name: title, values: bars.map(({ value }) => value) }],
  };
}

function headOf(points: readonly FindingPoint[], texts: ReportTexts) {
  const [{ unit, source = '' } = {}] = points;
  const documents = [...new Set(points.flatMap(({ document }) => document ?? []))].sort((a, b) => a - b);
  const isSample = points.some((point) => point.isSample);
  return {
    title: titleOf([...new Set(points.map(({ label }) => label))]),
    ...definedFields({ unit }),
    source: `${sourceName(source)}, ${texts.figures(points.length, isSample)}`,
    documents,
    isNoted: points.some((point) => point.isNoted === true),
  };
}

/** Returns the words that the labels share, at their end or else at their beginning. */
function titleOf(labels: readonly string[]): string {
  const wordLists = labels.map((label) => label.split(/\s+/));
  const [firstWords = []] = wordLists;
  const shared = (from: (words: string[], nth: number) => string | undefined): string[] => {
    const differs = firstWords.findIndex((_, nth) =>
      wordLists.some((words) => from(words, nth) !== from(firstWords, nth)),
    );
    return firstWords.slice(0, differs < 0 ? firstWords.length : differs).map((_, nth) => from(firstWords, nth) ?? '');
  };
  const end = shared((words, nth) => words.at(-1 - nth)).reverse();
  const words = end.length > 0 ? end : shared((labelWords, nth) => labelWords[nth]);
  const title = words.length > 0 ? words.join(' ') : (labels[0] ?? '');
  return title.charAt(0).toUpperCase() + title.slice(1);
}
