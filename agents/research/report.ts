/** Turns the results of a research into the document that a customer sends on. */

import type {
  ReportBlock,
  ReportDocument,
  ReportSection,
  ReportSource,
  TextRun,
} from '../../engines/reports/report-document.ts';
import { recordSection } from './record-stages.ts';
import type { ReportTexts } from './report-texts.ts';
import { chartIn, type ResearchResults } from './results.ts';
import type { DataTable, ResearchRequest, WrittenDeliverable, WrittenParagraph } from './state.ts';

const MAX_TITLE = 120;

export function reportDocument(wish: ResearchRequest, results: ResearchResults, madeAt: number): ReportDocument {
  const { query, outcome, research_type: type, geographic_scope: scope, deliverables, documents, notes } = results;
  const read = documents.filter(({ status }) => status === 'read');
  const subtitle = [type?.replaceAll('_', ' '), ...scope].filter(Boolean).join(' · ');
  return {
    title: query.length > MAX_TITLE ? `${query.slice(0, MAX_TITLE - 1)}…` : query,
    ...(subtitle === '' ? {} : { subtitle }),
    madeAt: new Date(madeAt).toISOString(),
    language: wish.reportLanguage,
    notes,
    sections: [
      ...(outcome === 'nothing_found'
        ? [emptySection(wish)]
        : deliverables.map((written) => sectionOf(written, results, wish.texts))),
      ...recordSection(results, wish.texts),
    ],
    sources: read.map(
      ({
        document,
        title,
        address,
        published_at: at,
        sample_data: isSample,
        source,
        not_opened: reason,
      }): ReportSource => ({
        number: document,
        title: `${title} (${source}${reason === undefined ? '' : `, ${wish.texts.asDelivered}`})`,
        address,
        ...(at === null ? {} : { publishedAt: at }),
        ...(isSample ? { isSample: true } : {}),
      }),
    ),
  };
}

/** One section says that nothing was found, in place of headings without content. */
const emptySection = ({ deliverables: [first], texts }: ResearchRequest): ReportSection => ({
  heading: first?.title ?? '',
  blocks: [plain(texts.nothingFound)],
});

function sectionOf(
  written: WrittenDeliverable,
  { charts, sources }: ResearchResults,
  texts: ReportTexts,
): ReportSection {
  const { title, paragraphs, table, charts: shown = [], documents, note } = written;
  const blocks: ReportBlock[] = [
    ...textOf(written, paragraphs),
    ...(table ? [tableOf(table, texts)] : []),
    ...shown.flatMap((nth) => chartIn(charts, nth)),
    ...(documents ? [plain(texts.readCount(documents.length, sources.length))] : []),
    ...(note ? [plain(note)] : []),
  ];
  return { heading: title, blocks };
}

/** The place of the values among `figureColumns`. */
const VALUE = 2;

const runOf = ({ text, citations, dated }: WrittenParagraph): TextRun => ({
  text: dated === undefined ? text : `${text} (${dated})`,
  citations,
});

/** Quotes become a list; text that a model wrote becomes paragraphs. */
const textOf = ({ deliverable }: WrittenDeliverable, paragraphs: readonly WrittenParagraph[]): ReportBlock[] =>
  paragraphs.length > 1 && (deliverable === 'key_findings' || paragraphs.every(({ is_quote: isQuote }) => isQuote))
    ? [{ kind: 'list', items: paragraphs.map((paragraph) => [runOf(paragraph)]) }]
    : paragraphs.map((paragraph): ReportBlock => ({ kind: 'paragraph', runs: [runOf(paragraph)] }));

const plain = (text: string): ReportBlock => ({ kind: 'paragraph', runs: [{ text }] });

const tableOf = ({ columns, rows, rows_left_out: left }: DataTable, texts: ReportTexts): ReportBlock => ({
  kind: 'table',
  ...(left > 0 ? { caption: texts.rowsLeft(left) } : {}),
  columns: columns.map((heading) => (heading === texts.figureColumns[VALUE] ? { heading, align: 'end' } : { heading })),
  rows: rows.map(({ cells, citations = [] }) => cells.map((text, at) => ({ text, citations: citations[at] ?? [] }))),
});
