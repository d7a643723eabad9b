/** The sections of a report: what is published of findings and draft, the table, the charts, the limits and the sources. */

import { showDate } from '../../engines/reports/report-document.ts';
import { STORED_FILES } from '../../shared/agents/agent-input.ts';
import type { DataRow, DataTable, WrittenDeliverable, WrittenParagraph } from '../../shared/agents/results/research.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { chartsOf, type DrawnChart } from './charts.ts';
import type { Deliverable } from './deliverables.ts';
import { citedNumbers } from './findings.ts';
import { emptySectionNote, emptySectionTexts, isBacked, isSaidElsewhere } from './outcome.ts';
import type { PublishedState, ReportableState } from './pipeline-states.ts';
import { publishedOf } from './published-statements.ts';
import { quotedSections } from './quoted-sections.ts';
import { countRefusals, type Refusal } from './refusals.ts';
import { listIn, type ReportTexts } from './report-texts.ts';
import type { FindingPoint, ResearchRequest } from './research-request.ts';

type Sections = Pick<PublishedState, 'written' | 'leftSections'>;

/** The state with what is published of it, as far as it is checked, and what is refused of it. */
export function publishedReport<State extends ReportableState>(
  request: ResearchRequest,
  before: State,
): { state: State & Sections; refusals: Refusal[] } {
  const { findings, sections, table, refusals } = publishedOf(request, before);
  const refused = countRefusals(before.refused, refusals);
  const points = [...before.points, ...notedPoints({ ...before, findings })];
  const state = { ...before, findings, refused, points };
  const assembly = { request: { ...request, texts: emptySectionTexts(request, state) }, state };
  // Where nothing of a draft is left, the findings stand for themselves.
  const inWords = sections.length > 0 ? sections : quotedSections(assembly.request, state);
  const { written, leftSections } = withoutEmpty(sectionsInOrder(assembly, inWords, table), assembly);
  return { state: { ...state, written: withDates(written, state), leftSections }, refusals };
}

/** What a task shows that goes on, or that has ended before its report: nothing that code refuses. */
export const publishedSoFar = (request: ResearchRequest, state: ReportableState): ReportableState =>
  state.draft
    ? publishedReport(request, state).state
    : { ...state, findings: state.findings.filter(({ unfounded }) => unfounded === undefined) };

const MAX_ROWS = 1_000;

type Assembly = { request: ResearchRequest; state: ReportableState };

const MAY_BE_LEFT = new Set<Deliverable['kind']>(['topic', 'table', 'charts']);

/** A heading without content tells a reader nothing: the limits name it instead. */
function withoutEmpty(sections: WrittenDeliverable[], { request, state }: Assembly): Sections {
  const byDefault = request.deliverables.filter(({ kind, isDefault }) => isDefault === true && MAY_BE_LEFT.has(kind));
  const empty = new Set(sections.filter((section) => !isBacked(section)).map(({ title }) => title));
  const emptyDefaults = byDefault.filter(({ title }) => empty.has(title));
  const leftSections = emptyDefaults.map(({ title }) => title);
  const topics = emptyDefaults.filter(
    (deliverable) => deliverable.kind === 'topic' && !isSaidElsewhere(deliverable, state.findings),
  );
  const silent = topics.map(({ title }) => title);
  const emptyNote = silent.length > 0 ? request.texts.leftSections(listIn(request.texts, silent)) : '';
  const limits = request.deliverables.find(({ kind }) => kind === 'limits')?.title;
  const written = sections
    .filter(({ title }) => !leftSections.includes(title))
    .map((section) =>
      section.title === limits ? { ...section, note: `${section.note ?? ''} ${emptyNote}`.trim() } : section,
    );
  return { written, leftSections };
}

/** The sections in the order of the report; those that a model has added stand before the limits. */
function sectionsInOrder(
  { request, state }: Assembly,
  inWords: readonly WrittenDeliverable[],
  table: DataTable | undefined,
) {
  const byTitle = new Map(inWords.map((section) => [section.title, section]));
  const requestedTitles = new Set(request.deliverables.map(({ title }) => title));
  const added = inWords.filter(({ title }) => !requestedTitles.has(title));
  const isBody = ({ title, kind }: Deliverable) => byTitle.has(title) && kind !== 'limits';
  const last = Math.max(0, request.deliverables.findLastIndex(isBody));
  return request.deliverables.flatMap((deliverable, at): WrittenDeliverable[] => [
    finishedSection(deliverable, { request, state }, { written: byTitle.get(deliverable.title), table }),
    ...(at === last ? added : []),
  ]);
}

type Parts = { written: WrittenDeliverable | undefined; table: DataTable | undefined };

function finishedSection(
  section: Deliverable,
  { request, state }: Assembly,
  { written, table }: Parts,
): WrittenDeliverable {
  const { deliverable, title, kind, topic } = section;
  const head = { deliverable, title, paragraphs: [] };
  if (kind === 'limits') return limitsIn(written ?? head, { request, state });
  if (kind === 'table' && table) return { ...head, table };
  if (kind === 'table' || kind === 'charts' || kind === 'sources') return exhibit(section, { request, state });
  const { texts } = request;
  if (written && topic === 'recommendations' && hasAdvice(written)) return { ...written, note: texts.adviceNote };
  return written ?? { ...head, note: emptySectionNote(section, state.findings, texts) };
}

const hasAdvice = ({ paragraphs }: WrittenDeliverable): boolean =>
  paragraphs.some(({ sentences }) => sentences.some(({ kind }) => kind === 'advice'));

function exhibit({ deliverable, title, kind }: Deliverable, { request, state }: Assembly): WrittenDeliverable {
  const { texts } = request;
  const head = { deliverable, title, paragraphs: [] };
  if (kind === 'charts') return chartsIn(head, state, texts);
  return kind === 'sources' ? sourcesIn(head, state, texts) : tableIn(head, state, texts);
}

function tableIn(
  head: WrittenDeliverable,
  { points, findings }: ReportableState,
  texts: ReportTexts,
): WrittenDeliverable {
  const sorted = points.toSorted((a, b) => byText(a.label, b.label) || byText(b.at ?? '', a.at ?? ''));
  const rowsOfPoints = sorted.map(
    ({ label, title, value, unit, at, source, document }): DataRow => ({
      cells: [label, title, String(value), unit ?? '', dayOf(at), source],
      document,
      ...(document === null ? {} : { citations: [[], [], [], [], [], [document]] }),
      value,
    }),
  );
  const isRead = ({ document }: DataRow) => document !== null;
  // The rows of documents that were not read come last, for who wants to have all of them.
  const rows = [...rowsOfPoints.filter(isRead), ...rowsOfPoints.filter((row) => !isRead(row))];
  if (!rows.some(isRead))
    return { ...head, note: findings.some(({ text }) => /\d/.test(text)) ? texts.noRows : texts.noFigures };
  const rowsLeft = Math.max(0, rows.length - MAX_ROWS);
  return { ...head, table: { columns: texts.figureColumns, rows: rows.slice(0, MAX_ROWS), rows_left_out: rowsLeft } };
}

const dayOf = (at: string | null): string => (at ?? '').slice(0, 10);

/** A line needs this many points. */
const LEAST_POINTS = 3;

/**
 * Figures of confirmed notes that make a line: of one thing and unit at several times of one length. Of a time that notes state
 * differently, none is drawn.
 */
function notedPoints({ findings, documents }: ReportableState): FindingPoint[] {
  const confirmed = findings.filter(({ checked_by: by }) => by !== null);
  const notedFigures = confirmed.flatMap(({ figures = [] }) =>
    figures.flatMap(({ label, value, unit, when, document }): FindingPoint[] => {
      const source = documents.find((candidate) => candidate.document === document);
      if (label === '' || value === null || when === undefined || !source) return [];
      const point = { label, value, ...definedFields({ unit: unit ?? undefined }), at: when, document };
      return [{ ...point, source: source.source, title: source.title, isSample: source.sample_data, isNoted: true }];
    }),
  );
  const lengthOf = (at: string | null) => (at ?? '').replaceAll(/\d/g, '0');
  const series = Map.groupBy(notedFigures, ({ label, unit, at }) => JSON.stringify([label, unit, lengthOf(at)]));
  return [...series.values()].flatMap((points) => {
    const times = Map.groupBy(points, ({ at }) => at);
    const stated = [...times.values()].flatMap(([firstPoint, ...laterPoints]) =>
      firstPoint && laterPoints.every(({ value }) => value === firstPoint.value) ? [firstPoint] : [],
    );
    return stated.length >= LEAST_POINTS ? stated : [];
  });
}

/** A writer chooses among the charts of what came with the documents; those of its own notes are made because they are lines. */
function chartsIn(
  head: WrittenDeliverable,
  { points, draft }: ReportableState,
  texts: ReportTexts,
): WrittenDeliverable {
  const isWanted = ({ title, isNoted }: DrawnChart): boolean => !draft || isNoted || draft.charts.includes(title);
  const charts = chartsOf(points, texts).flatMap((chart, at) => (isWanted(chart) ? [at + 1] : []));
  return charts.length > 0 ? { ...head, charts } : { ...head, note: texts.noCharts };
}

/** What the writer says of contradictions and gaps, and what code knows of the documents. */
function limitsIn(written: WrittenDeliverable, { request, state }: Assembly): WrittenDeliverable {
  return { ...written, note: limitNotes(state, request).join(' ') };
}

function limitNotes(
  { documents, findings }: ReportableState,
  { texts, reportLanguage: language }: ResearchRequest,
): string[] {
  if (!documents.some(({ status }) => status === 'read')) return [texts.noDocument];
  const cited = new Set(findings.flatMap(({ citations }) => citedNumbers(citations)));
  const read = documents.filter(({ document, status }) => status === 'read' && cited.has(document));
  // A file has its dates in its text.
  const undated = read.filter((document) => document.published_at === null && document.source !== STORED_FILES).length;
  const closed = read.filter(({ not_opened: reason }) => reason !== undefined).length;
  const single = findings.filter((finding) => citedNumbers(finding.citations).length === 1).length;
  const newest =
    read
      .map(({ published_at: at }) => dayOf(at))
      .toSorted()
      .at(-1) ?? '';
  return [
    ...(undated > 0 ? [texts.undated(undated, read.length)] : []),
    ...(newest === '' ? [] : [texts.newest(showDate(newest, language))]),
    ...(closed > 0 ? [texts.closed(closed)] : []),
    ...(single > 0 && single < findings.length ? [texts.single(single, findings.length)] : []),
  ];
}

function sourcesIn(
  head: WrittenDeliverable,
  { documents }: ReportableState,
  { noDocument }: ReportTexts,
): WrittenDeliverable {
  const read = documents.filter(({ status }) => status === 'read').map(({ document }) => document);
  return read.length > 0 ? { ...head, documents: read } : { ...head, note: noDocument };
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A quote has the date of its document beside it. */
function withDates(written: WrittenDeliverable[], { documents }: ReportableState): WrittenDeliverable[] {
  const dateOf = (paragraph: WrittenParagraph): WrittenParagraph => {
    const source = documents.find(({ document }) => document === paragraph.citations[0]);
    const dated = dayOf(source?.published_at ?? null);
    return paragraph.is_quote && dated !== '' ? { ...paragraph, dated } : paragraph;
  };
  return written.map((section) => ({ ...section, paragraphs: section.paragraphs.map(dateOf) }));
}
