/** The results as a report with charts, before it becomes Markdown, HTML or PDF. */

import type { Chart, ChartSeries } from '../../engines/charts/chart.ts';
import type {
  ReportBlock,
  ReportDocument,
  ReportSection,
  ReportSource,
  TextRun,
} from '../../engines/reports/report-document.ts';
import type { ResearchResults, ShownChart } from './results.ts';
import type { DataTable, FindingPoint, WrittenDeliverable, WrittenParagraph } from './state.ts';

/** The results as a report for people, before it becomes Markdown, HTML or PDF. */
const MOST_TITLE = 120;

export function documentOf(results: ResearchResults, madeAt: number): ReportDocument {
  const { query, research_type: type, geographic_scope: scope, deliverables, documents, notes } = results;
  const read = documents.filter(({ status }) => status === 'read');
  const subtitle = [type?.replaceAll('_', ' '), ...scope].filter(Boolean).join(' · ');
  return {
    title: query.length > MOST_TITLE ? `${query.slice(0, MOST_TITLE - 1)}…` : query,
    ...(subtitle === '' ? {} : { subtitle }),
    madeAt: new Date(madeAt).toISOString(),
    notes,
    sections: deliverables.map((written) => sectionOf(written, results)),
    sources: read.map(
      ({ document, title, address, published_at: at, sample_data: isSample, source }): ReportSource => ({
        number: document,
        title: `${title} (${source})`,
        address,
        ...(at === null ? {} : { publishedAt: at }),
        ...(isSample ? { isSample: true } : {}),
      }),
    ),
  };
}

function sectionOf(written: WrittenDeliverable, { charts, sources }: ResearchResults): ReportSection {
  const { title, paragraphs, table, charts: shown = [], documents, note } = written;
  const blocks: ReportBlock[] = [
    ...textOf(written, paragraphs),
    ...(table ? [tableOf(table)] : []),
    ...shown.flatMap((nth) => chartIn(charts, nth)),
    ...(documents ? [countOf(documents.length, sources.length)] : []),
    ...(note ? [plain(note)] : []),
  ];
  return { heading: title, blocks };
}

const runOf = ({ text, citations }: WrittenParagraph): TextRun => ({ text, citations });

/** Quotes stand in a list, each for itself; what was written is read in paragraphs. */
const textOf = ({ title }: WrittenDeliverable, paragraphs: readonly WrittenParagraph[]): ReportBlock[] =>
  paragraphs.length > 1 && (title === 'Key findings' || paragraphs.every(({ is_quote: isQuote }) => isQuote))
    ? [{ kind: 'list', items: paragraphs.map((paragraph) => [runOf(paragraph)]) }]
    : paragraphs.map((paragraph): ReportBlock => ({ kind: 'paragraph', runs: [runOf(paragraph)] }));

const plain = (text: string): ReportBlock => ({ kind: 'paragraph', runs: [{ text }] });

const countOf = (documents: number, sources: number): ReportBlock =>
  plain(
    `${documents} ${documents === 1 ? 'document' : 'documents'} of ${sources} ${sources === 1 ? 'source' : 'sources'} ${documents === 1 ? 'was' : 'were'} read; the list is at the end.`,
  );

const tableOf = ({ columns, rows, rows_left_out: left }: DataTable): ReportBlock => ({
  kind: 'table',
  ...(left > 0 ? { caption: `${left} more rows were left out.` } : {}),
  columns: columns.map((heading) => (heading === 'Value' ? { heading, align: 'end' } : { heading })),
  rows: rows.map(({ cells, document }) =>
    cells.map((text, at) => (at === 0 && document !== null ? { text, citations: [document] } : { text })),
  ),
});

function chartIn(charts: readonly ShownChart[], nth: number): ReportBlock[] {
  const found = charts[nth - 1];
  if (!found) return [];
  const { chart: _, documents, ...chart } = found;
  return [{ kind: 'chart', chart, ...(documents.length > 0 ? { citations: documents } : {}) }];
}

/** Charts of the figures that came with documents: what goes on over time as lines, what stands side by side as bars. */
const MOST_CHARTS = 6;
const MOST_POINTS = 60;
const MOST_LINES = 8;

type Made = Chart & { documents: number[] };

/** Those that rest on most of what was read come first. */
export const chartsOf = (points: readonly FindingPoint[]): Made[] =>
  together(points)
    .flatMap((group) => chartOf(group) ?? [])
    .sort((a, b) => b.documents.length - a.documents.length)
    .slice(0, MOST_CHARTS);

/** Figures of one source and unit whose labels end alike, such as the revenues of many, or else begin alike. */
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

/** One number alone compares nothing. */
function chartOf(points: readonly FindingPoint[]): Made | undefined {
  const labels = new Set(points.map(({ label }) => label));
  const nameOf =
    labels.size > 1 || isOneThing(points) ? ({ label }: FindingPoint) => label : ({ title }: FindingPoint) => title;
  const things = Map.groupBy(points, nameOf);
  const lines = [...things].filter(([, own]) => daysOf(own).size > 1).slice(0, MOST_LINES);
  if (lines.length > 0) return lineOf(points, lines);
  return things.size > 1 ? barsOf(points, things) : undefined;
}

const daysOf = (points: readonly FindingPoint[]): Set<string> =>
  new Set(points.flatMap(({ at }) => (at ? [dayOf(at)] : [])));
const dayOf = (at: string | null): string => (at ?? '').slice(0, 10);

/** One value a day: the titles differ because each names its day. */
const isOneThing = (points: readonly FindingPoint[]): boolean => daysOf(points).size === points.length;

function lineOf(points: readonly FindingPoint[], lines: [string, FindingPoint[]][]): Made {
  const days = [...new Set(lines.flatMap(([, own]) => [...daysOf(own)]))].sort().slice(-MOST_POINTS);
  const series = lines.map(([name, own]): ChartSeries => {
    const values = new Map(own.map(({ at, value }) => [dayOf(at), value]));
    return { name, values: days.map((day) => values.get(day) ?? null) };
  });
  return { kind: 'line', ...headOf(points), x: { labels: days }, series };
}

/** Of each thing its newest value. */
function barsOf(points: readonly FindingPoint[], things: Map<string, FindingPoint[]>): Made {
  const bars = [...things].slice(0, MOST_POINTS).map(([name, own]) => ({
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
    ...(unit === undefined ? {} : { unit }),
    source: `${source}, ${points.length} figures${isSample ? ', sample data' : ''}`,
    documents,
  };
}

/** What the labels have in common, at their end or at their beginning. */
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
