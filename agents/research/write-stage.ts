/** Writes every deliverable, and the report with charts as a file of the requested format. */

import { type RenderedReport, type RenderReport, renderReadable } from '../../engines/reports/report-document.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { Stage, StageActivity, Work } from '../../shared/tasks/agent.ts';
import type { Result } from '../../shared/tasks/details.ts';
import { fileWriter } from '../file-work.ts';
import { jsonFile, storeResult, type WrittenFile } from '../runtime.ts';
import { conflictsIn } from './claims/conflicts.ts';
import { figuresOfQuote, periodOf } from './claims/figures.ts';
import { quoteSubjects } from './claims/quote-context.ts';
import { documentsOf } from './claims/written-sentences.ts';
import { rowsOfRecord } from './record-stages.ts';
import { RESULTS_STEM, reportDocument } from './report.ts';
import { listIn, type ReportTexts } from './report-texts.ts';
import {
  chartsOf,
  isBacked,
  isSaidElsewhere,
  type ResearchResults,
  resultsOf,
  shortened,
  textsOfEmpty,
} from './results.ts';
import { coverageOf } from './search.ts';
import { wordsOf } from './sections.ts';
import { keepSnapshots } from './snapshots.ts';
import { closeActivity, type ResearchSetting, reportOf, resume } from './stages.ts';
import type {
  Chosen,
  DataRow,
  DataTable,
  Deliverable,
  Finding,
  FindingPoint,
  ResearchRequest,
  ResearchState,
  WrittenDeliverable,
  WrittenParagraph,
} from './state.ts';

const MAX_ROWS = 1_000;

type Assembled = Pick<ResearchSetting, 'wish'> & { known: ResearchState };

const MAY_BE_LEFT = new Set<Deliverable['kind']>(['topic', 'table', 'charts']);

/** A heading without content tells a reader nothing: the limits name it instead. */
function withoutEmpty(sections: WrittenDeliverable[], { wish, known }: Assembled): WrittenDeliverable[] {
  const byDefault = wish.deliverables.filter(({ kind, isDefault }) => isDefault === true && MAY_BE_LEFT.has(kind));
  const empty = new Set(sections.filter((one) => !isBacked(one)).map(({ title }) => title));
  const left = byDefault.filter(({ title }) => empty.has(title));
  known.leftSections = left.map(({ title }) => title);
  const topics = left.filter((one) => one.kind === 'topic' && !isSaidElsewhere(one, known.findings));
  const silent = topics.map(({ title }) => title);
  const named = silent.length > 0 ? wish.texts.leftSections(listIn(wish.texts, silent)) : '';
  const limits = wish.deliverables.find(({ kind }) => kind === 'limits')?.title;
  return sections
    .filter(({ title }) => !known.leftSections?.includes(title))
    .map((one) => (one.title === limits ? { ...one, note: `${one.note ?? ''} ${named}`.trim() } : one));
}

/** The sections in the order of the report, those that a model has added behind the last one in words. */
function assembled({ wish, known }: Assembled): WrittenDeliverable[] {
  const inWords = new Map(wordsOf(wish, known).map((one) => [one.title, one]));
  const own = new Set(wish.deliverables.map(({ title }) => title));
  const added = [...inWords.values()].filter(({ title }) => !own.has(title));
  const last = wish.deliverables.findLastIndex(({ title }) => inWords.has(title));
  return wish.deliverables.flatMap((deliverable, at) => [
    inWords.get(deliverable.title) ?? exhibit(deliverable, { wish, known }),
    ...(at === last ? added : []),
  ]);
}

function exhibit({ deliverable, title, kind }: Deliverable, { wish, known }: Assembled): WrittenDeliverable {
  const { texts } = wish;
  const head = { deliverable, title, paragraphs: [] };
  if (kind === 'charts') return chartsIn(head, known.points, texts);
  if (kind === 'limits') return limitsIn(head, { wish, known });
  if (kind === 'sources') return sourcesIn(head, known, texts);
  const byModel = known.written.find((one) => one.title === title);
  return byModel?.table ? byModel : tableIn(head, known, texts);
}

function tableIn(
  head: WrittenDeliverable,
  { points, findings, documents }: ResearchState,
  texts: ReportTexts,
): WrittenDeliverable {
  const sorted = points.toSorted((a, b) => byText(a.label, b.label) || byText(b.at ?? '', a.at ?? ''));
  const ofPoints = sorted.map(({ label, title, value, unit, at, source, document }) => ({
    cells: [label, title, String(value), unit ?? '', dayOf(at), source],
    document,
    value,
  }));
  const isRead = ({ document }: DataRow) => document !== null;
  // The rows of documents that were not read come last, for who wants to have all of them.
  const rows = ofPoints.some(isRead)
    ? [...ofPoints.filter(isRead), ...ofPoints.filter((row) => !isRead(row))]
    : findings.flatMap((finding) => quotedFigures(finding, documents));
  if (rows.length === 0)
    return { ...head, note: findings.some(({ text }) => /\d/.test(text)) ? texts.noRows : texts.noFigures };
  const left = Math.max(0, rows.length - MAX_ROWS);
  return { ...head, table: { columns: texts.figureColumns, rows: rows.slice(0, MAX_ROWS), rows_left_out: left } };
}

const MAX_CELL = 200;

/** The figures with a unit in the sentence of a source, which says what they are of. */
function quotedFigures(
  { text, is_quote: isQuote, citations }: Finding,
  documents: readonly Chosen[],
): DataTable['rows'] {
  const { document = 0 } = citations[0] ?? {};
  const source = documents.find((one) => one.document === document);
  if (!isQuote || !source) return [];
  return figuresOfQuote(text, document).map(({ text: value, unit, period }) => {
    const date = period ?? dayOf(source.published_at);
    return { cells: [text.slice(0, MAX_CELL), source.title, value, unit ?? '', date, source.source], document };
  });
}

const dayOf = (at: string | null): string => (at ?? '').slice(0, 10);

/** Of one thing and period that notes state differently, none is compared. */
function notedPoints({ findings, documents }: ResearchState): FindingPoint[] {
  const all = findings.flatMap(({ figures = [] }) =>
    figures.flatMap(({ label, value, unit, period, document }): FindingPoint[] => {
      const source = documents.find((one) => one.document === document);
      if (label === undefined || value === null || !source) return [];
      const at = periodOf(period ?? '') ?? null;
      const own = { label, value, ...definedFields({ unit: unit ?? undefined }), at, document };
      return [{ ...own, source: source.source, title: source.title, isSample: source.sample_data }];
    }),
  );
  const same = Map.groupBy(all, ({ label, unit, at, title }) => JSON.stringify([label, unit, at ?? title]));
  return [...same.values()].flatMap(([first, ...others]) =>
    first && others.every(({ value }) => value === first.value) ? [first] : [],
  );
}

/** Figures that the question asks about. */
function answeringPoints({ query }: ResearchRequest, known: ResearchState): FindingPoint[] {
  const points = [...known.points, ...notedPoints(known)];
  const coverage = coverageOf(query);
  return points.filter(({ label, title }) => coverage(`${label} ${title}`) > 0);
}

function chartsIn(head: WrittenDeliverable, points: readonly FindingPoint[], texts: ReportTexts): WrittenDeliverable {
  const charts = chartsOf(points, texts).map((_, at) => at + 1);
  return charts.length > 0 ? { ...head, charts } : { ...head, note: texts.noCharts };
}

const MAX_CONFLICTS = 20;
const NONE = { document: 0, said: '' };

/** What the sources disagree about, each with both citations, and what they cannot show. */
function limitsIn(head: WrittenDeliverable, { wish, known }: Assembled): WrittenDeliverable {
  const { texts, hasModel } = wish;
  // Without a language model, nothing is compared.
  const byCode = (hasModel ? conflictsIn(known.findings, known.documents) : []).map(({ findings, figures }) => {
    const [first, second] = findings;
    const [one = '', other = ''] = figures.map((own) => own.join(', '));
    const documents = [first, second].map(({ citations }) => citations[0]?.document ?? 0);
    return { documents, said: [one, other], findings: [first.finding, second.finding] };
  });
  const byModel = (known.contradictions ?? [])
    .map(({ texts: said, ...pair }) => ({ ...pair, said: said.map((text) => `“${text.replace(/\.$/, '')}”`) }))
    .filter(({ findings }) => !byCode.some((one) => one.findings.every((finding) => findings.includes(finding))));
  const conflicts = [...byCode, ...byModel].slice(0, MAX_CONFLICTS);
  const paragraphs = conflicts.map(({ documents, said, findings }): WrittenParagraph => {
    const sides = documents.map((document, at) => ({ document, said: said[at] ?? '' }));
    const [{ document: first, said: one } = NONE, { document: second, said: other } = NONE] = sides.sort(
      (a, b) => a.document - b.document,
    );
    const text = texts.conflict(first, second, one, other);
    const sentences: WrittenParagraph['sentences'] = [{ text, checked_by: 'code' }];
    return { text, sentences, citations: [first, second], findings, is_quote: false };
  });
  return { ...head, paragraphs, note: limitNotes(known, hasModel && conflicts.length === 0, texts).join(' ') };
}

function limitNotes({ documents, findings }: ResearchState, agrees: boolean, texts: ReportTexts): string[] {
  const read = documents.filter(({ status }) => status === 'read');
  if (read.length === 0) return [texts.noDocument];
  const undated = read.filter((one) => one.published_at === null && !quoteSubjects(one)('').dated).length;
  const closed = read.filter(({ not_opened: reason }) => reason !== undefined).length;
  const single = findings.filter((finding) => documentsOf([finding]).length === 1).length;
  const newest =
    read
      .map(({ published_at: at }) => dayOf(at))
      .toSorted()
      .at(-1) ?? '';
  return [
    ...(agrees ? [texts.noConflict] : []),
    ...(undated > 0 ? [texts.undated(undated, read.length)] : []),
    ...(newest === '' ? [] : [texts.newest(newest)]),
    ...(closed > 0 ? [texts.closed(closed)] : []),
    ...(single > 0 ? [texts.single(single, findings.length)] : []),
  ];
}

function sourcesIn(
  head: WrittenDeliverable,
  { documents }: ResearchState,
  { noDocument }: ReportTexts,
): WrittenDeliverable {
  const read = documents.filter(({ status }) => status === 'read').map(({ document }) => document);
  return read.length > 0 ? { ...head, documents: read } : { ...head, note: noDocument };
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const STAGES = ['planning', 'gathering', 'ranking', 'reading', 'writing'];

export const writeStage = (setting: ResearchSetting): Stage => ({
  name: 'writing',
  async run(work, carried): Promise<Result & { activity: StageActivity }> {
    const { address } = work;
    const { ports, wish } = setting;
    const known = await resume(setting, carried);
    known.points = answeringPoints(wish, known);
    const assembly = { wish: { ...wish, texts: textsOfEmpty(wish, known) }, known };
    known.written = withCitedCells(inContext(withoutEmpty(assembled(assembly), assembly), known));
    const { results, snapshots } = await keepSnapshots(setting, address, { results: resultsOf(wish, known), known });
    const { written, warnings } = await writtenFiles({ ...setting, wish: assembly.wish }, work, results);
    const draft = reportOf(wish, { known, stages: STAGES });
    const report = { ...draft, snapshots, warnings: [...(draft.warnings ?? []), ...warnings] };
    const kept = await storeResult(ports, address, { report, results, shown: shortened(results), written });
    return { ...kept, activity: closeActivity(setting, known) };
  },
});

/** Quotes name whom `the company` means in brackets, and have the date of their document beside them. */
function inContext(written: WrittenDeliverable[], { findings, documents }: ResearchState): WrittenDeliverable[] {
  const subjects = new Map<number, ReturnType<typeof quoteSubjects>>();
  const contextOf = (paragraph: WrittenParagraph): WrittenParagraph => {
    const finding = findings.find((one) => one.finding === paragraph.findings[0]);
    const document = documents.find((one) => one.document === paragraph.citations[0]);
    if (!paragraph.is_quote || !finding || !document) return paragraph;
    const inDocument = subjects.get(document.document) ?? quoteSubjects(document);
    subjects.set(document.document, inDocument);
    const { text, dated } = inDocument(finding.text);
    const [sentence] = paragraph.sentences;
    const sentences = sentence ? [{ ...sentence, text }] : [];
    return { ...paragraph, text, sentences, ...definedFields({ dated }) };
  };
  return written.map((one) => ({ ...one, paragraphs: one.paragraphs.map(contextOf) }));
}

type Written = { written: WrittenFile[]; warnings: string[] };

async function writtenFiles(
  { ports, wish }: ResearchSetting,
  { address: { organization }, signal }: Work,
  results: ResearchResults,
): Promise<Written> {
  const request = { organization, signal };
  const record = rowsOfRecord(wish, results);
  const ofRecord = record ? await fileWriter(ports.documents, request)('recordFiles', record) : [];
  if (wish.format === 'json') return { written: [jsonFile(results, 'report'), ...ofRecord], warnings: [] };
  const document = reportDocument(wish, results, ports.clock.now());
  const render: RenderReport = (...what) => ports.render(...what, request);
  const { report, page, warnings } = await renderReadable(render, document, wish.format, {
    warning: wish.texts.pdfLacks,
    withPage: true,
  });
  const readable = [report, ...(page ? [page] : [])].map(named);
  return { written: [...readable, ...ofRecord, jsonFile(results, RESULTS_STEM)], warnings };
}

const named = ({ bytes, contentType, extension }: RenderedReport): WrittenFile => ({
  name: `report.${extension}`,
  contentType,
  bytes,
});

/** Each cell of a table names the documents that it stands in. */
const withCitedCells = (written: WrittenDeliverable[]): WrittenDeliverable[] =>
  written.map((one) => {
    const rows = one.table?.rows.map((row) => ({ ...row, citations: row.citations ?? citationsOf(row) }));
    return one.table && rows ? { ...one, table: { ...one.table, rows } } : one;
  });

const citationsOf = ({ cells, document }: DataRow): number[][] =>
  cells.map((cell) => (cell === '' || document === null ? [] : [document]));
