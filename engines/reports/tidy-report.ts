/** Takes a report as it comes and bounds it: plain lines of text, links that lead to the web or nowhere, sources in their order. */
import { canonicalLanguage } from '../charts/show-value.ts';
import { plainLine } from '../charts/tidy-chart.ts';
import type {
  ReportBlock,
  ReportCell,
  ReportDocument,
  ReportSection,
  ReportSource,
  TextRun,
} from './report-document.ts';

const MAX_SECTIONS = 100;
const MAX_BLOCKS = 200;
const MAX_ITEMS = 200;
const MAX_ROWS = 500;
const MAX_COLUMNS = 12;
const MAX_SOURCES = 500;
const MAX_NOTES = 20;
const MAX_HEADING = 300;
const MAX_TEXT = 10_000;
const MAX_CELL = 500;
const MAX_ADDRESS = 2_048;
/** Of all sections together: some 300 pages. */
const MAX_CHARACTERS = 1_000_000;
/** As much room as a chart takes. */
const CHART_CHARACTERS = 5_000;
const SHORTENED_NOTE = 'This report is shortened: it holds more than a file of it can show.';

export type TidyReport = Required<ReportDocument>;

export function tidyReport(report: ReportDocument): TidyReport {
  const sources = report.sources.slice(0, MAX_SOURCES).map(tidySource);
  const numbers = new Set(sources.map(({ number }) => number));
  const known = (citations: readonly number[] = []) => [...new Set(citations)].filter((number) => numbers.has(number));
  const sections = report.sections.slice(0, MAX_SECTIONS).map((section) => tidySection(section, known));
  const bounded = withinMaxLength(sections);
  const notes = report.notes.slice(0, MAX_NOTES).map((note) => plainLine(note, MAX_TEXT));
  return {
    title: plainLine(report.title, MAX_HEADING) || 'Report',
    subtitle: plainLine(report.subtitle ?? '', MAX_HEADING),
    madeAt: report.madeAt,
    language: canonicalLanguage(report.language),
    notes: bounded.isWhole ? notes : [...notes, SHORTENED_NOTE],
    sections: bounded.sections,
    sources: sources.toSorted((a, b) => a.number - b.number),
  };
}

/** Blocks as long as there is room for them, each whole or not at all. */
function withinMaxLength(sections: readonly ReportSection[]): { sections: ReportSection[]; isWhole: boolean } {
  let left = MAX_CHARACTERS;
  let isWhole = true;
  const shortened = sections.map(({ heading, blocks }) => ({
    heading,
    blocks: blocks.filter((block) => {
      left -= block.kind === 'chart' ? CHART_CHARACTERS : JSON.stringify(block).length;
      isWhole &&= left >= 0;
      return left >= 0;
    }),
  }));
  return { sections: shortened, isWhole };
}

/** Only numbers of sources that are there. */
type KnownCitations = (citations: readonly number[] | undefined) => number[];

const tidySection = ({ heading, blocks }: ReportSection, known: KnownCitations): ReportSection => ({
  heading: plainLine(heading, MAX_HEADING) || 'Section',
  blocks: blocks.slice(0, MAX_BLOCKS).map((block) => tidyBlock(block, known)),
});

function tidyBlock(block: ReportBlock, known: KnownCitations): ReportBlock {
  const runs = (some: readonly TextRun[]) => some.slice(0, MAX_ITEMS).map((run) => tidyRun(run, known));
  switch (block.kind) {
    case 'paragraph':
      return { ...block, runs: runs(block.runs) };
    case 'list':
      return { ...block, items: block.items.slice(0, MAX_ITEMS).map(runs) };
    case 'table':
      return tidyTable(block, known);
    case 'quote':
      return { ...block, text: plainLine(block.text, MAX_TEXT), citations: known(block.citations) };
    case 'chart':
      return { ...block, citations: known(block.citations) };
  }
}

/** Spaces at the ends of a run are the spaces between words. */
function tidyRun({ text, strong = false, citations }: TextRun, known: KnownCitations): TextRun {
  const [before, after] = [/^\s/.test(text) ? ' ' : '', /\s$/.test(text) ? ' ' : ''];
  const plain = plainLine(text, MAX_TEXT);
  return { text: plain ? before + plain + after : before || after, strong, citations: known(citations) };
}

type Table = Extract<ReportBlock, { kind: 'table' }>;

function tidyTable({ columns, rows, caption = '' }: Table, known: KnownCitations): Table {
  const cell = ({ text, citations }: ReportCell) => ({ text: plainLine(text, MAX_CELL), citations: known(citations) });
  const left = rows.length > MAX_ROWS ? `The first ${MAX_ROWS} of ${rows.length} rows` : '';
  return {
    kind: 'table',
    caption: [plainLine(caption, MAX_HEADING), left].filter(Boolean).join('. '),
    columns: columns
      .slice(0, MAX_COLUMNS)
      .map(({ heading, align = 'start' }) => ({ heading: plainLine(heading, MAX_CELL), align })),
    rows: rows
      .slice(0, MAX_ROWS)
      .map((row) => columns.slice(0, MAX_COLUMNS).map((_, at) => cell(row[at] ?? { text: '' }))),
  };
}

const tidySource = ({ number, title, address, publishedAt, isSample }: ReportSource): ReportSource => {
  const link = webAddress(address);
  return {
    number,
    title: plainLine(title, MAX_HEADING) || link || `Source ${number}`,
    ...(link ? { address: link } : {}),
    ...(publishedAt ? { publishedAt } : {}),
    ...(isSample ? { isSample } : {}),
  };
};

function webAddress(address: string | undefined): string | undefined {
  if (!address || address.length > MAX_ADDRESS || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  return /^https?:$/.test(protocol) && !username && !password ? href : undefined;
}
