/** A report as data, bounded and cleaned before it is written as Markdown, HTML or PDF. */
import type { SlotRequest } from '../../shared/core/semaphore.ts';
import { type Chart, canonicalLanguage, cleanLabel, wordsFor } from '../charts/chart.ts';

/** Plain text, with the numbers of the sources that support it. */
export type TextRun = {
  text: string;
  strong?: boolean;
  citations?: number[];
  /** Where in a source the text stands, such as `page 12`, by the number of the source. */
  places?: Record<number, string>;
  /** What a reader has to know about this sentence, in words, such as `not confirmed`. */
  mark?: string;
};

type ReportCell = { text: string; citations?: number[] };

export type ReportBlock =
  | { kind: 'paragraph'; runs: TextRun[] }
  | { kind: 'list'; ordered?: boolean; items: TextRun[][] }
  | {
      kind: 'table';
      caption?: string;
      columns: { heading: string; align?: 'start' | 'end' }[];
      rows: ReportCell[][];
      /** A line below the table, such as where its other rows are. */
      remark?: string;
    }
  | { kind: 'chart'; chart: Chart; citations?: number[] }
  | { kind: 'quote'; text: string; citations?: number[] };

export type ReportSection = { heading: string; blocks: ReportBlock[] };

export type ReportSource = {
  number: number;
  title: string;
  /** Becomes a link if it is an http or https URL, and is dropped otherwise. */
  address?: string;
  /** ISO 8601. */
  publishedAt?: string;
  /** True for fictional sample data. */
  isSample?: boolean;
  /** The places in the source that the report cites, such as `page 12`. */
  places?: string[];
};

export type ReportDocument = {
  title: string;
  subtitle?: string;
  /** ISO 8601. */
  madeAt: string;
  /** A BCP 47 tag; the default is `en`. */
  language?: string;
  /** Notes at the top of the report, such as `Made from sample data`. */
  notes: string[];
  sections: ReportSection[];
  sources: ReportSource[];
  /** The heading of the sources, instead of the usual one of the language. */
  sourcesHeading?: string;
};

export type ReportFormat = 'markdown' | 'html' | 'pdf';
export type RenderedReport = {
  bytes: Uint8Array;
  contentType: string;
  extension: string;
  /** Scripts that are shown only by their names, as the fonts of a PDF lack them. */
  missingScripts: string[];
};

/** The PDF writer is loaded on first use. */
export type RenderReport = (report: ReportDocument, format: ReportFormat) => Promise<RenderedReport>;
/** Renders in a thread, once the organization has a slot. */
export type QueuedRender = (
  report: ReportDocument,
  format: ReportFormat,
  request: SlotRequest,
) => Promise<RenderedReport>;

type ReadableReport = { report: RenderedReport; page?: RenderedReport; warnings: string[] };

type ReadableOptions = {
  warning?: (scripts: readonly string[]) => string;
  /** Whether every PDF comes with the same report as HTML, which browsers show everywhere. */
  withPage?: boolean;
};

/**
 * Renders a report so that all of its text can be read: a PDF whose fonts lack a script comes with the same report as
 * HTML, and with a warning that names the script.
 */
export async function renderReadable(
  render: RenderReport,
  document: ReportDocument,
  format: ReportFormat,
  { warning = pdfWarning, withPage = false }: ReadableOptions = {},
): Promise<ReadableReport> {
  const report = await render(document, format);
  const { missingScripts } = report;
  const warnings = missingScripts.length > 0 ? [warning(missingScripts)] : [];
  const needsPage = missingScripts.length > 0 || (withPage && format === 'pdf');
  return needsPage ? { report, page: await render(document, 'html'), warnings } : { report, warnings };
}

const pdfWarning = (scripts: readonly string[]): string => missingScriptsWarning('The PDF', scripts, 'the HTML file');

/** `whole` names the place where the text can be read. */
export const missingScriptsWarning = (what: string, scripts: readonly string[], whole: string): string =>
  `${what} cannot show text in these scripts: ${scripts.join(', ')}. The name of the script stands in its place; ${whole} shows the text.`;

const WORDS = {
  en: {
    sources: 'Sources',
    source: 'Source',
    note: 'Note:',
    sample: 'sample data',
    values: 'Values',
    contents: 'Contents',
    page: (number: number) => `page ${number}`,
  },
  de: {
    sources: 'Quellen',
    source: 'Quelle',
    note: 'Hinweis:',
    sample: 'Beispieldaten',
    values: 'Werte',
    contents: 'Inhalt',
    page: (number: number) => `Seite ${number}`,
  },
  fr: {
    sources: 'Sources',
    source: 'Source',
    note: 'Remarque :',
    sample: "données d'exemple",
    values: 'Valeurs',
    contents: 'Sommaire',
    page: (number: number) => `page ${number}`,
  },
  es: {
    sources: 'Fuentes',
    source: 'Fuente',
    note: 'Nota:',
    sample: 'datos de ejemplo',
    values: 'Valores',
    contents: 'Índice',
    page: (number: number) => `página ${number}`,
  },
  it: {
    sources: 'Fonti',
    source: 'Fonte',
    note: 'Nota:',
    sample: 'dati di esempio',
    values: 'Valori',
    contents: 'Indice',
    page: (number: number) => `pagina ${number}`,
  },
};

/** The fixed phrases of a report in its language; English for languages other than five. */
export const reportWords = (language: string): (typeof WORDS)['en'] => wordsFor(WORDS, language);

const MAX_DATE_LENGTH = 40;

/**
 * Formats a day in the conventions of a language. Invalid dates are shown as they were given. English dates begin with
 * the day, as in emails.
 */
export function showDate(instant: string, language: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return cleanLabel(instant, MAX_DATE_LENGTH);
  return new Intl.DateTimeFormat(/^en\b/i.test(language) ? 'en-GB' : language, {
    dateStyle: 'long',
    timeZone: 'UTC',
  }).format(date);
}

const MAX_SECTIONS = 100;
const MAX_BLOCKS = 200;
const MAX_ITEMS = 200;
const MAX_ROWS = 500;
const MAX_COLUMNS = 12;
const MAX_SOURCES = 500;
const MAX_NOTES = 20;
const MAX_HEADING = 300;
const MAX_TEXT = 10_000;
const MAX_MARK = 60;
const MAX_PLACES = 20;
const MAX_CELL = 500;
const MAX_ADDRESS = 2_048;
/** The limit for all sections together, about 300 pages. */
const MAX_CHARACTERS = 1_000_000;
/** A chart counts as this many characters, by the space it takes. */
const CHART_CHARACTERS = 5_000;
const SHORTENED_NOTE = 'This report is shortened: it exceeds the limits of a file.';

export type TidyReport = Required<ReportDocument>;

/** Limits and cleans a report: plain lines of text, links only to the web, sources in order. */
export function tidyReport(report: ReportDocument): TidyReport {
  const sources = report.sources.slice(0, MAX_SOURCES).map(tidySource);
  const numbers = new Set(sources.map(({ number }) => number));
  const knownCitations = (citations: readonly number[] = []) =>
    [...new Set(citations)].filter((number) => numbers.has(number));
  const sections = report.sections.slice(0, MAX_SECTIONS).map((section) => tidySection(section, knownCitations));
  const bounded = withinMaxLength(sections);
  const language = canonicalLanguage(report.language);
  const notes = report.notes.slice(0, MAX_NOTES).map((note) => cleanLabel(note, MAX_TEXT));
  return {
    title: cleanLabel(report.title, MAX_HEADING) || 'Report',
    subtitle: cleanLabel(report.subtitle ?? '', MAX_TEXT),
    madeAt: report.madeAt,
    language,
    notes: bounded.isWhole ? notes : [...notes, SHORTENED_NOTE],
    sections: bounded.sections,
    sources: sources.toSorted((a, b) => a.number - b.number),
    sourcesHeading: cleanLabel(report.sourcesHeading ?? '', MAX_HEADING) || reportWords(language).sources,
  };
}

/** Keeps blocks while there is room; each is kept whole or dropped. */
function withinMaxLength(sections: readonly ReportSection[]): { sections: ReportSection[]; isWhole: boolean } {
  let remaining = MAX_CHARACTERS;
  let isWhole = true;
  const shortened = sections.map(({ heading, blocks }) => ({
    heading,
    blocks: blocks.filter((block) => {
      remaining -= block.kind === 'chart' ? CHART_CHARACTERS : JSON.stringify(block).length;
      isWhole &&= remaining >= 0;
      return remaining >= 0;
    }),
  }));
  return { sections: shortened, isWhole };
}

/** Keeps only the numbers of existing sources. */
type KnownCitations = (citations: readonly number[] | undefined) => number[];

const tidySection = ({ heading, blocks }: ReportSection, knownCitations: KnownCitations): ReportSection => ({
  heading: cleanLabel(heading, MAX_HEADING) || 'Section',
  blocks: blocks.slice(0, MAX_BLOCKS).map((block) => tidyBlock(block, knownCitations)),
});

function tidyBlock(block: ReportBlock, knownCitations: KnownCitations): ReportBlock {
  const runs = (textRuns: readonly TextRun[]) =>
    textRuns.slice(0, MAX_ITEMS).map((run) => tidyRun(run, knownCitations));
  switch (block.kind) {
    case 'paragraph':
      return { ...block, runs: runs(block.runs) };
    case 'list':
      return { ...block, items: block.items.slice(0, MAX_ITEMS).map(runs) };
    case 'table':
      return tidyTable(block, knownCitations);
    case 'quote':
      return { ...block, text: cleanLabel(block.text, MAX_TEXT), citations: knownCitations(block.citations) };
    case 'chart':
      return { ...block, citations: knownCitations(block.citations) };
  }
}

/** Keeps spaces at the ends of a run, as they separate words. */
function tidyRun({ text, strong = false, citations, places, mark }: TextRun, knownCitations: KnownCitations): TextRun {
  const [before, after] = [/^\s/.test(text) ? ' ' : '', /\s$/.test(text) ? ' ' : ''];
  const plain = cleanLabel(text, MAX_TEXT);
  return {
    text: plain ? before + plain + after : before || after,
    strong,
    citations: knownCitations(citations),
    ...(places ? { places: tidyPlaces(places) } : {}),
    ...(mark ? { mark: cleanLabel(mark, MAX_MARK) } : {}),
  };
}

const tidyPlaces = (places: Record<number, string>): Record<number, string> =>
  Object.fromEntries(Object.entries(places).map(([number, place]) => [number, cleanLabel(place, MAX_HEADING)]));

type TableBlock = Extract<ReportBlock, { kind: 'table' }>;

function tidyTable(
  { columns, rows, caption = '', remark = '' }: TableBlock,
  knownCitations: KnownCitations,
): TableBlock {
  const cell = ({ text, citations }: ReportCell) => ({
    text: cleanLabel(text, MAX_CELL),
    citations: knownCitations(citations),
  });
  const shortageNote = rows.length > MAX_ROWS ? `The first ${MAX_ROWS} of ${rows.length} rows` : '';
  return {
    kind: 'table',
    caption: [cleanLabel(caption, MAX_HEADING), shortageNote].filter(Boolean).join('. '),
    remark: cleanLabel(remark, MAX_HEADING),
    columns: columns
      .slice(0, MAX_COLUMNS)
      .map(({ heading, align = 'start' }) => ({ heading: cleanLabel(heading, MAX_CELL), align })),
    rows: rows
      .slice(0, MAX_ROWS)
      .map((row) => columns.slice(0, MAX_COLUMNS).map((_, at) => cell(row[at] ?? { text: '' }))),
  };
}

const tidySource = ({ number, title, address, publishedAt, isSample, places = [] }: ReportSource): ReportSource => {
  const link = webAddress(address);
  return {
    number,
    title: cleanLabel(title, MAX_HEADING) || link || `Source ${number}`,
    ...(link ? { address: link } : {}),
    ...(publishedAt ? { publishedAt } : {}),
    ...(isSample ? { isSample } : {}),
    ...(places.length > 0
      ? { places: places.slice(0, MAX_PLACES).map((place) => cleanLabel(place, MAX_HEADING)) }
      : {}),
  };
};

function webAddress(address: string | undefined): string | undefined {
  if (!address || address.length > MAX_ADDRESS || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  return /^https?:$/.test(protocol) && !username && !password ? href : undefined;
}
