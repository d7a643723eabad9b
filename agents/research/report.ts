/** Turns the results of a research into the document that a customer sends on. */

import { canonicalLanguage } from '../../engines/charts/chart.ts';
import {
  type ReportBlock,
  type ReportDocument,
  type ReportSection,
  type ReportSource,
  reportWords,
  showDate,
  type TextRun,
} from '../../engines/reports/report-document.ts';
import type {
  DataRow,
  DataTable,
  ResearchDocument,
  ResearchResults,
  ShownCitation,
  WrittenDeliverable,
  WrittenParagraph,
  WrittenSentence,
} from '../../shared/agents/results/research.ts';
import { publisherName, sourceName } from '../source-names.ts';
import { recordSection } from './record-stages.ts';
import { type ReportTexts, sectionTitle } from './report-texts.ts';
import type { ResearchRequest } from './research-request.ts';

/** The name of the file with all results, without its extension. */
export const RESULTS_STEM = 'results';

export function reportDocument(request: ResearchRequest, results: ResearchResults, madeAt: number): ReportDocument {
  const { research_type: type, geographic_scope: scope, documents, notes } = results;
  const read = documents.filter(({ status }) => status === 'read');
  const { title, wholeQuestion } = titleOf(results.query, request.reportLanguage);
  const kind = [type?.replaceAll('_', ' '), ...scope].filter(Boolean).join(' · ');
  const subtitle = [wholeQuestion, kind].filter(Boolean).join(' · ');
  const bibliography = results.deliverables.find(({ documents: listed = [] }) => listed.length > 0);
  return {
    title,
    ...(subtitle === '' ? {} : { subtitle }),
    madeAt: new Date(madeAt).toISOString(),
    language: request.reportLanguage,
    notes,
    sections: [
      ...(results.outcome === 'nothing_found' ? [emptySection(request)] : sectionsOf(request, results)),
      ...recordSection(results, request.texts),
    ],
    // A reader gets the sources of what is said; the file of the results has all that were read.
    sources: read
      .filter(({ cited }) => cited || !read.some((document) => document.cited))
      .map((document) => reportSource(document, request, results)),
    ...(bibliography ? { sourcesHeading: bibliography.title } : {}),
  };
}

/** One section says that nothing was found, in place of headings without content. */
const emptySection = ({ deliverables: [firstDeliverable], texts }: ResearchRequest): ReportSection => ({
  heading: firstDeliverable?.title ?? '',
  blocks: [plain(texts.nothingFound)],
});

const MAX_TITLE = 200;

/** A longer question is the subtitle, below its first sentence. */
function titleOf(question: string, language: string): { title: string; wholeQuestion: string } {
  if (question.length <= MAX_TITLE) return { title: question, wholeQuestion: '' };
  const [sentence = question] = segmentsOf(question, language, 'sentence');
  return { title: withinTitle(sentence.trim(), language), wholeQuestion: question };
}

/** Cuts a sentence that is too long for a title between two words. */
function withinTitle(sentence: string, language: string): string {
  if (sentence.length <= MAX_TITLE) return sentence;
  const words = segmentsOf(sentence, language, 'word');
  while (words.length > 1 && words.join('').length >= MAX_TITLE) words.pop();
  return `${words.join('').trimEnd()}…`;
}

const segmentsOf = (text: string, language: string, granularity: 'sentence' | 'word'): string[] =>
  Array.from(new Intl.Segmenter(language, { granularity }).segment(text), ({ segment }) => segment);

function reportSource(
  document: ResearchResults['documents'][number],
  { texts, reportLanguage: language }: ResearchRequest,
  { findings }: ResearchResults,
): ReportSource {
  const { document: number, title, address, published_at: at, sample_data: isSample, not_opened: reason } = document;
  const publisher = publisherName(document);
  const aside = [publisher === title ? '' : publisher, reason === undefined ? '' : texts.asDelivered].filter(Boolean);
  const cited = findings.flatMap(({ citations }) => citations).filter((citation) => citation.document === number);
  const places = placesIn(cited, language);
  return {
    number,
    title: aside.length > 0 ? `${title} (${aside.join(', ')})` : title,
    // The addresses of sample data lead nowhere.
    ...(isSample ? {} : { address }),
    ...(at === null ? {} : { publishedAt: at }),
    ...(isSample ? { isSample: true } : {}),
    ...(places.length > 0 ? { places } : {}),
  };
}

/** The parts of files that are cited: pages in their order, then other parts. */
function placesIn(citations: readonly ShownCitation[], language: string): string[] {
  const pages = new Set(citations.flatMap(({ page }) => page ?? []));
  const otherLabels = new Set(citations.flatMap(({ page, label }) => (page === undefined && label ? [label] : [])));
  const { page: pageText } = reportWords(language);
  return [...[...pages].toSorted((a, b) => a - b).map(pageText), ...otherLabels];
}

/**
 * The sections with content, without the list of sources, which ends every report. What a table or chart lacks is said
 * among the limits, not below a heading of its own.
 */
function sectionsOf(request: ResearchRequest, results: ResearchResults): ReportSection[] {
  const kinds = new Map(request.deliverables.map(({ title, kind }) => [title, kind]));
  const isEmptyExhibit = ({ title, paragraphs, table, charts = [] }: WrittenDeliverable): boolean => {
    const isExhibit = kinds.get(title) === 'table' || kinds.get(title) === 'charts';
    return isExhibit && paragraphs.length + charts.length + (table?.rows.length ?? 0) === 0;
  };
  const lacking = results.deliverables
    .filter(isEmptyExhibit)
    .map(({ title, note = request.texts.nothingFound }) => plain(`${title}: ${note}`));
  const sections = results.deliverables
    .filter((written) => !isEmptyExhibit(written) && (written.documents ?? []).length === 0)
    .map((written) => {
      const section = sectionOf(written, request, results);
      return kinds.get(written.title) === 'limits' ? { ...section, blocks: [...section.blocks, ...lacking] } : section;
    });
  const limits = request.deliverables.find(({ kind }) => kind === 'limits')?.title;
  if (lacking.length === 0 || sections.some(({ heading }) => heading === limits)) return sections;
  return [
    ...sections,
    { heading: limits ?? sectionTitle(request.reportLanguage, 'limits') ?? 'Limits', blocks: lacking },
  ];
}

function sectionOf(written: WrittenDeliverable, request: ResearchRequest, results: ResearchResults): ReportSection {
  const { title, table, charts = [], note } = written;
  const blocks: ReportBlock[] = [
    ...textOf(written, request, results),
    ...(table ? [tableOf(table, request, results)] : []),
    ...charts.flatMap((nth) => chartIn(results.charts, nth)),
    ...(note ? [plain(note)] : []),
  ];
  return { heading: title, blocks };
}

/** Quotes become a list; text that a model wrote becomes paragraphs. */
function textOf(
  { deliverable, paragraphs, note }: WrittenDeliverable,
  request: ResearchRequest,
  { findings }: ResearchResults,
): ReportBlock[] {
  const placesOf = (numbers: readonly number[], documents: readonly number[]) => {
    const cited = findings.filter(({ finding }) => numbers.includes(finding)).flatMap(({ citations }) => citations);
    return Object.fromEntries(
      documents.flatMap((number) => {
        const ofDocument = cited.filter(({ document }) => document === number);
        const place = placesIn(ofDocument, request.reportLanguage).join(', ');
        return place === '' ? [] : [[number, place]];
      }),
    );
  };
  // The note of a section of recommendations says of all of them whose they are.
  const texts = note === request.texts.adviceNote ? { ...request.texts, advice: '' } : request.texts;
  const runs = paragraphs.map((paragraph) => runsOf(paragraph, { ...request, texts }, placesOf));
  const isList = deliverable === 'key_findings' || paragraphs.every(({ is_quote: isQuote }) => isQuote);
  return runs.length > 1 && isList
    ? [{ kind: 'list', items: runs }]
    : runs.map((ofParagraph): ReportBlock => ({ kind: 'paragraph', runs: ofParagraph }));
}

type PlacesOf = (findings: readonly number[], documents: readonly number[]) => Record<string, string>;

/** A run for each sentence; of sentences that rest on the same documents, the last one has their numbers. */
function runsOf({ sentences, dated }: WrittenParagraph, request: ResearchRequest, placesOf: PlacesOf): TextRun[] {
  const { reportLanguage: language } = request;
  const date = dated === undefined ? '' : ` (${DAY.test(dated) ? showDate(dated, language) : dated})`;
  return sentences.map((sentence, at) => {
    const { text, citations } = sentence;
    const places = placesOf(sentence.findings, citations);
    const next = sentences[at + 1];
    const isSameNext =
      next?.citations.join() === citations.join() &&
      JSON.stringify(placesOf(next.findings, next.citations)) === JSON.stringify(places);
    const mark = markOf(sentence, request);
    return {
      text: `${at === 0 ? '' : ' '}${text}${at === sentences.length - 1 ? date : ''}`,
      ...(isSameNext || citations.length === 0 ? {} : { citations }),
      ...(isSameNext || Object.keys(places).length === 0 ? {} : { places }),
      ...(mark === undefined ? {} : { mark }),
    };
  });
}

/** What a reader has to know about a sentence. */
function markOf({ unconfirmed, kind }: WrittenSentence, { texts }: ResearchRequest): string | undefined {
  if (unconfirmed !== undefined) return texts.notConfirmed;
  return kind === 'advice' && texts.advice !== '' ? texts.advice : undefined;
}

const plain = (text: string): ReportBlock => ({ kind: 'paragraph', runs: [{ text }] });

/** A reader gets this many rows; the file of the results has all. */
const MAX_ROWS = 100;
/** The places of these columns among `figureColumns`. */
const [VALUE, DATE, SOURCE] = [2, 4, 5];

function tableOf(
  { columns, rows, rows_left_out: rowsLeftOut }: DataTable,
  { texts, reportLanguage }: ResearchRequest,
  { documents }: ResearchResults,
): ReportBlock {
  const cited = rows.filter(({ document }) => document !== null).slice(0, MAX_ROWS);
  const more = rows.length - cited.length + rowsLeftOut;
  const hasNumbers = cited.every(({ cells }) => /^[^\p{L}\d]*\d/u.test(cells[VALUE] ?? ''));
  const isFigures = columns.every((heading, at) => heading === texts.figureColumns[at]);
  return {
    kind: 'table',
    columns: columns.map((heading, at) =>
      isFigures && at === VALUE && hasNumbers ? { heading, align: 'end' } : { heading },
    ),
    rows: cited.map((row) => cellsOf(row, { documents, language: isFigures ? reportLanguage : undefined, texts })),
    ...(more > 0 ? { remark: texts.rowsLeft(more, `${RESULTS_STEM}.json`) } : {}),
  };
}

type RowContext = {
  documents: readonly ResearchDocument[];
  /** Of the report, for the columns of figures. */
  language: string | undefined;
  texts: ReportTexts;
};

/** The last cell has the citations of the whole row. */
function cellsOf(row: DataRow, { documents, language, texts }: RowContext): { text: string; citations?: number[] }[] {
  const { cells, document, citations = [] } = row;
  const ofRow = [...new Set([...citations.flat(), ...(document === null ? [] : [document])])];
  return cells.map((cell, at) => {
    const text = language === undefined ? cell : readable(cell, at, { row, documents, language });
    const marked = at === VALUE && row.unconfirmed !== undefined ? `${text} (${texts.notConfirmed})` : text;
    return at === cells.length - 1 ? { text, citations: ofRow.toSorted((a, b) => a - b) } : { text: marked };
  });
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MAX_DECIMALS = 20;

/** Numbers of data and days are written for the reader; what is cut from a document stays as it stands there. */
function readable(
  cell: string,
  column: number,
  { row, documents, language }: { row: DataRow; documents: readonly ResearchDocument[]; language: string },
): string {
  if (column === VALUE && row.value !== undefined)
    return new Intl.NumberFormat(canonicalLanguage(language), { maximumFractionDigits: MAX_DECIMALS }).format(
      row.value,
    );
  if (column === DATE && DAY.test(cell)) return showDate(cell, language);
  if (column !== SOURCE) return cell;
  const document = documents.find((candidate) => candidate.document === row.document);
  return document ? publisherName(document) : sourceName(cell);
}

function chartIn(charts: ResearchResults['charts'], nth: number): ReportBlock[] {
  const shownChart = charts[nth - 1];
  if (!shownChart) return [];
  const { chart: _, documents, ...chart } = shownChart;
  return [{ kind: 'chart', chart, ...(documents.length > 0 ? { citations: documents } : {}) }];
}
