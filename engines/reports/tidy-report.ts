/** Takes a report as it comes and bounds it: plain lines of text, links that lead to the web or nowhere, sources in their order. */
import { knownLanguage } from '../charts/show-value.ts';
import { plainLine } from '../charts/tidy-chart.ts';
import type { Block, Cell, ReportDocument, ReportSource, Run, Section } from './report-document.ts';

const MOST_SECTIONS = 100;
const MOST_BLOCKS = 200;
const MOST_ITEMS = 200;
const MOST_ROWS = 500;
const MOST_COLUMNS = 12;
const MOST_SOURCES = 500;
const MOST_NOTES = 20;
const MOST_HEADING = 300;
const MOST_TEXT = 10_000;
const MOST_CELL = 500;
const MOST_ADDRESS = 2_048;
/** Of all sections together: some 300 pages. */
const MOST_LETTERS = 1_000_000;
/** As much room as a chart takes. */
const CHART_LETTERS = 5_000;
const SHORTENED = 'This report is shortened: it holds more than a file of it can show.';

export type TidyReport = Required<ReportDocument>;

export function tidyReport(report: ReportDocument): TidyReport {
  const sources = report.sources.slice(0, MOST_SOURCES).map(tidySource);
  const numbers = new Set(sources.map(({ number }) => number));
  const known = (citations: readonly number[] = []) => [...new Set(citations)].filter((number) => numbers.has(number));
  const sections = report.sections.slice(0, MOST_SECTIONS).map((section) => tidySection(section, known));
  const kept = withinLetters(sections);
  const notes = report.notes.slice(0, MOST_NOTES).map((note) => plainLine(note, MOST_TEXT));
  return {
    title: plainLine(report.title, MOST_HEADING) || 'Report',
    subtitle: plainLine(report.subtitle ?? '', MOST_HEADING),
    madeAt: report.madeAt,
    language: knownLanguage(report.language),
    notes: kept.isWhole ? notes : [...notes, SHORTENED],
    sections: kept.sections,
    sources: sources.toSorted((a, b) => a.number - b.number),
  };
}

/** Blocks as long as there is room for them, each whole or not at all. */
function withinLetters(sections: readonly Section[]): { sections: Section[]; isWhole: boolean } {
  let left = MOST_LETTERS;
  let isWhole = true;
  const kept = sections.map(({ heading, blocks }) => ({
    heading,
    blocks: blocks.filter((block) => {
      left -= block.kind === 'chart' ? CHART_LETTERS : JSON.stringify(block).length;
      isWhole &&= left >= 0;
      return left >= 0;
    }),
  }));
  return { sections: kept, isWhole };
}

/** Only numbers of sources that are there. */
type Known = (citations: readonly number[] | undefined) => number[];

const tidySection = ({ heading, blocks }: Section, known: Known): Section => ({
  heading: plainLine(heading, MOST_HEADING) || 'Section',
  blocks: blocks.slice(0, MOST_BLOCKS).map((block) => tidyBlock(block, known)),
});

function tidyBlock(block: Block, known: Known): Block {
  const runs = (some: readonly Run[]) => some.slice(0, MOST_ITEMS).map((run) => tidyRun(run, known));
  switch (block.kind) {
    case 'paragraph':
      return { ...block, runs: runs(block.runs) };
    case 'list':
      return { ...block, items: block.items.slice(0, MOST_ITEMS).map(runs) };
    case 'table':
      return tidyTable(block, known);
    case 'quote':
      return { ...block, text: plainLine(block.text, MOST_TEXT), citations: known(block.citations) };
    case 'chart':
      return { ...block, citations: known(block.citations) };
  }
}

/** Spaces at the ends of a run are the spaces between words. */
function tidyRun({ text, strong = false, citations }: Run, known: Known): Run {
  const [before, after] = [/^\s/.test(text) ? ' ' : '', /\s$/.test(text) ? ' ' : ''];
  const plain = plainLine(text, MOST_TEXT);
  return { text: plain ? before + plain + after : before || after, strong, citations: known(citations) };
}

type Table = Extract<Block, { kind: 'table' }>;

function tidyTable({ columns, rows, caption = '' }: Table, known: Known): Table {
  const cell = ({ text, citations }: Cell) => ({ text: plainLine(text, MOST_CELL), citations: known(citations) });
  const left = rows.length > MOST_ROWS ? `The first ${MOST_ROWS} of ${rows.length} rows` : '';
  return {
    kind: 'table',
    caption: [plainLine(caption, MOST_HEADING), left].filter(Boolean).join('. '),
    columns: columns
      .slice(0, MOST_COLUMNS)
      .map(({ heading, align = 'start' }) => ({ heading: plainLine(heading, MOST_CELL), align })),
    rows: rows
      .slice(0, MOST_ROWS)
      .map((row) => columns.slice(0, MOST_COLUMNS).map((_, at) => cell(row[at] ?? { text: '' }))),
  };
}

const tidySource = ({ number, title, address, publishedAt, isSample }: ReportSource): ReportSource => {
  const link = webAddress(address);
  return {
    number,
    title: plainLine(title, MOST_HEADING) || link || `Source ${number}`,
    ...(link ? { address: link } : {}),
    ...(publishedAt ? { publishedAt } : {}),
    ...(isSample ? { isSample } : {}),
  };
};

function webAddress(address: string | undefined): string | undefined {
  if (!address || address.length > MOST_ADDRESS || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  return /^https?:$/.test(protocol) && !username && !password ? href : undefined;
}
