/** The results as a report with charts, before it becomes Markdown, HTML or PDF. */

import type {
  ReportBlock,
  ReportDocument,
  ReportSection,
  ReportSource,
  TextRun,
} from '../../engines/reports/report-document.ts';
import { chartIn } from './charts.ts';
import type { ResearchResults } from './results.ts';
import type { DataTable, WrittenDeliverable, WrittenParagraph } from './state.ts';

const MAX_TITLE = 120;

export function documentOf(results: ResearchResults, madeAt: number): ReportDocument {
  const { query, research_type: type, geographic_scope: scope, deliverables, documents, notes } = results;
  const read = documents.filter(({ status }) => status === 'read');
  const subtitle = [type?.replaceAll('_', ' '), ...scope].filter(Boolean).join(' · ');
  return {
    title: query.length > MAX_TITLE ? `${query.slice(0, MAX_TITLE - 1)}…` : query,
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

/** Quotes become a list; text that a model wrote becomes paragraphs. */
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
