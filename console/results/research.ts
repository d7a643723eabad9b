/** The results of a research as they are shown. They come from outside: what is not as expected is left out. */
import type { ChartData } from './chart.tsx';

type JsonObject = Record<string, unknown>;

export type ShownParagraph = { text: string; citations: number[]; isQuote: boolean };
export type ShownTable = { columns: string[]; rows: string[][] };
export type ShownSection = {
  title: string;
  note: string | undefined;
  paragraphs: ShownParagraph[];
  charts: ChartData[];
  table: ShownTable | undefined;
  documents: number[];
};
export type ShownSource = {
  number: number;
  title: string;
  address: string | undefined;
  date: string | undefined;
  isSample: boolean;
};
export type Research = { query: string; notes: string[]; sections: ShownSection[]; sources: ShownSource[] };

const objects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter((entry): entry is JsonObject => typeof entry === 'object' && entry !== null) : [];
const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
const numbers = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'number') : [];
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Undefined where there are no sections to show. */
export function researchIn(results: JsonObject): Research | undefined {
  const sections = objects(results.deliverables);
  if (sections.length === 0) return undefined;
  const charts = new Map(
    objects(results.charts).map((chart, index) => [Number(chart.chart ?? index + 1), chartIn(chart)]),
  );
  return {
    query: text(results.query) ?? '',
    notes: strings(results.notes),
    sections: sections.map((section) => sectionIn(section, charts)),
    sources: objects(results.documents).map(sourceIn),
  };
}

function sectionIn(section: JsonObject, charts: Map<number, ChartData | undefined>): ShownSection {
  return {
    title: text(section.title) ?? text(section.deliverable) ?? '',
    note: text(section.note),
    paragraphs: objects(section.paragraphs).flatMap((paragraph) => paragraphIn(paragraph)),
    charts: numbers(section.charts).flatMap((number) => charts.get(number) ?? []),
    table: tableIn(section.table),
    documents: numbers(section.documents),
  };
}

function paragraphIn(paragraph: JsonObject): ShownParagraph[] {
  const words = text(paragraph.text);
  return words ? [{ text: words, citations: numbers(paragraph.citations), isQuote: paragraph.is_quote === true }] : [];
}

function chartIn({ title, kind, unit, x, series, source }: JsonObject): ChartData | undefined {
  const labels = strings((x as JsonObject | undefined)?.labels);
  const lines = objects(series).map((one) => ({
    name: text(one.name) ?? '',
    values: (Array.isArray(one.values) ? one.values : []).map((value) =>
      Number.isFinite(value) ? (value as number) : null,
    ),
  }));
  if (labels.length === 0 || lines.length === 0) return undefined;
  return {
    title: text(title) ?? '',
    kind: kind === 'line' ? 'line' : 'bar',
    unit: text(unit),
    labels,
    series: lines,
    note: text(source),
  };
}

function tableIn(table: unknown): ShownTable | undefined {
  if (typeof table !== 'object' || table === null) return undefined;
  const { columns, header, rows } = table as JsonObject;
  const heads = strings(columns ?? header);
  const cells = (Array.isArray(rows) ? rows : [])
    .map((row) => (Array.isArray(row) ? row : (row as JsonObject | null)?.cells))
    .filter((row) => Array.isArray(row));
  return heads.length === 0
    ? undefined
    : { columns: heads, rows: cells.map((row) => row.map((cell) => String(cell ?? ''))) };
}

function sourceIn({ document, title, address, published_at, sample_data }: JsonObject, index: number): ShownSource {
  const url = text(address) === undefined ? null : URL.parse(String(address));
  return {
    number: typeof document === 'number' ? document : index + 1,
    title: text(title) ?? text(address) ?? 'Without a title',
    address: url && /^https?:$/.test(url.protocol) ? url.href : undefined,
    date: text(published_at),
    isSample: sample_data === true,
  };
}
