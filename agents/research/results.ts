/** The results: the request and plan, what was read, what it says in words and charts, and the confidence. */

import type { Chart, ChartSeries } from '../../engines/charts/chart.ts';
import type { ReportBlock } from '../../engines/reports/report-document.ts';
import { STORED_FILES } from '../../shared/agents/agent-input.ts';
import { effectiveSchema } from '../../shared/agents/output-schema.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { quotedName } from '../../shared/core/problem.ts';
import type { Confidence } from '../../shared/tasks/agent.ts';
import { type DocumentRecord, filledShare, withFewerFields } from '../records/record-plan.ts';
import { sourceName } from '../source-names.ts';
import type { ReportableState } from './pipeline-states.ts';
import type { ComputedFigure, Finding, WrittenDeliverable } from './report-model.ts';
import { listIn, type ReportTexts } from './report-texts.ts';
import type {
  ChosenDocument,
  Deliverable,
  FindingPoint,
  LeftOutCounts,
  ResearchDocument,
  ResearchRequest,
  SourceState,
  SubQuestion,
} from './research-request.ts';

/** Notes that a reader must know first. */
function notesOf(request: ResearchRequest, state: ReportableState): string[] {
  const { texts } = request;
  const { sources, items, documents, findings } = state;
  const dead = sources.filter(({ status }) => status === 'dead');
  const samples = samplesOf(state);
  const isGathered = sources.every(({ status }) => status !== 'pending');
  const isQuoted = findings.length > 0 && findings.every(({ is_quote: isQuote }) => isQuote);
  return [
    ...(samples.length > 0
      ? [
          texts.samples(
            listIn(
              texts,
              samples.map(({ source }) => sourceName(source)),
            ),
          ),
        ]
      : []),
    ...(request.hasModel ? [] : [texts.passagesOnly]),
    ...dead.map(({ source, faults }) => texts.notRead(source, faults[0]?.reason.replace(/\.$/, ''))),
    // All sources were gathered, nothing waits to be ranked, and there is still nothing to read.
    ...(isGathered && items.length + documents.length === 0 && dead.length < sources.length ? [texts.noItem] : []),
    ...(state.written.length > 0 && documents.length > 0 && !isFoundOtherwise(state) && findings.length === 0
      ? [texts.nothingSaid]
      : []),
    ...scopeNotes(request, state),
    ...filterNotes(request, state),
    ...unusableNotesIn(texts, state),
    ...checkNotes(texts, state),
    ...(isQuoted && request.hasModel ? [texts.quoted] : []),
  ];
}

/** The sources of made-up data that the report rests on. Those of which nothing was chosen do not matter beside other documents. */
function samplesOf(state: ReportableState): SourceState[] {
  const { sources, documents, points, written } = state;
  if (outcomeOf(state) === 'nothing_found') return [];
  const isAll =
    documents.length === 0 && written.length === 0 && sources.every(({ sample_data: isSample }) => isSample);
  const used = new Set([...documents, ...points].map(({ source }) => source));
  return sources.filter(
    ({ source, sample_data: isSample, items }) => isSample && items > 0 && (isAll || used.has(source)),
  );
}

/** Says what the domains and the time range left out, and what they could not be applied to. */
function filterNotes({ isDated, texts }: ResearchRequest, { outOfScope = 0, documents }: ReportableState): string[] {
  const undated = isDated
    ? documents.filter(({ source, published_at: at }) => at === null && source !== STORED_FILES).length
    : 0;
  return [
    ...(outOfScope > 0 ? [texts.outOfScope(outOfScope)] : []),
    ...(undated > 0 ? [texts.undatedScope(undated)] : []),
  ];
}

/** Says how much of what a model wrote is marked, and how much was left out. */
function checkNotes(texts: ReportTexts, state: ReportableState): string[] {
  const marked = markedIn(state);
  const parts = [
    ...(marked > 0 ? [texts.marked(marked)] : []),
    ...(state.refused.statements > 0 ? [texts.removed(state.refused.statements)] : []),
    ...(isAllRefused(state) ? [texts.noneLeft] : []),
  ];
  return parts.length > 0 ? [parts.join(' ')] : [];
}

/** The sentences and rows of the report that are published with a mark. */
const markedIn = ({ written }: ReportableState): number =>
  written.reduce(
    (sum, { paragraphs, table }) =>
      sum +
      [...paragraphs.flatMap(({ sentences }) => sentences), ...(table?.rows ?? [])].filter(
        ({ unconfirmed }) => unconfirmed !== undefined,
      ).length,
    0,
  );

const isAllRefused = ({ findings, refused }: ReportableState): boolean =>
  findings.length === 0 && refused.statements > 0;

/** Without findings, the documents may still have an answer: in the record, or in statements that did not pass the check. */
const isFoundOtherwise = (state: ReportableState): boolean => state.record?.complete === true || isAllRefused(state);

/** The texts of empty sections do not say that nothing was found where something was. */
export function textsOfEmpty({ texts, hasModel }: ResearchRequest, state: ReportableState): ReportTexts {
  // Without a language model, nothing was looked for in sections of a topic.
  const sectionTexts = hasModel ? texts : { ...texts, nothingOfTopic: texts.passagesOnly, leftSections: () => '' };
  if (!isFoundOtherwise(state)) return sectionTexts;
  const none = state.record?.complete ? texts.inTables : texts.noneLeft;
  return { ...sectionTexts, nothingFound: none, nothingOfTopic: none, leftSections: () => '' };
}

/** What was done without the model, for questions to which it gave no usable answer. */
export const unusableNotesIn = (texts: ReportTexts, { unusable = 0 }: ReportableState): string[] =>
  unusable > 0 ? [texts.unusable(unusable)] : [];

const MAX_QUESTION = 160;

/** A whole question of a model is set off from the sentence around it; a part of the caller's own question belongs to it. */
const questionText = (text: string): string => {
  const name = quotedName(text, MAX_QUESTION);
  return text.endsWith('?') ? `“${name}”` : name;
};

/** Names the parts of a question of several parts that nothing answers. */
export function scopeNotes(request: ResearchRequest, state: ReportableState): string[] {
  const { texts, hasModel } = request;
  const open = openQuestions(request, state);
  return !isFoundOtherwise(state) && (state.plan?.subQuestions.length ?? 0) > 1 && open.length > 0
    ? [
        (hasModel ? texts.unanswered : texts.unquoted)(
          listIn(
            texts,
            open.map(({ text }) => questionText(text)),
          ),
        ),
      ]
    : [];
}

/** Known once everything that was chosen is read, or left out for what its page is. Without a model, all parts stay open: those without a quote. */
function openQuestions({ hasModel }: ResearchRequest, { plan, documents, findings }: ReportableState): SubQuestion[] {
  const isRead =
    documents.length > 0 && documents.every((document) => document.status === 'read' || document.not_opened);
  const quoted = new Set(hasModel ? [] : findings.map((finding) => finding.sub_question));
  const isOpen = ({ status, sub_question: part }: SubQuestion) => status === 'open' && !quoted.has(part);
  return isRead ? (plan?.subQuestions ?? []).filter(isOpen) : [];
}

/** A place is shown as the page and where the quote begins and ends in it. */
export type ShownCitation = {
  document: number;
  quote: string;
  page?: number;
  label?: string;
  from?: number;
  to?: number;
  text_by?: 'source';
};

type ShownFinding = Omit<Finding, 'score' | 'formulas' | 'citations'> & {
  citations: ShownCitation[];
  computed?: ComputedFigure[];
};

export type ResearchResults = {
  query: string;
  /** Null until the sections are written. */
  outcome: 'found' | 'nothing_found' | null;
  research_type: string | null;
  geographic_scope: string[];
  depth: string;
  analysis_depth: string;
  plan: { queries: string[]; made_by: 'model' | 'rules'; sub_questions: SubQuestion[] } | null;
  deliverables: WrittenDeliverable[];
  findings: ShownFinding[];
  documents: (ResearchDocument & { cited: boolean; snapshot?: string | null })[];
  sources: SourceState[];
  left_out: LeftOutCounts;
  statements_thrown_out: number;
  thrown_out_for: ReportableState['refused']['byReason'];
  figures_thrown_out?: number;
  charts: ShownChart[];
  /** With a schema: the schema that the record keeps, and the record of all documents, or a list of one for each entity. */
  output_schema?: Record<string, unknown>;
  record?: DocumentRecord<unknown>;
  /** False if there was no language model. */
  complete?: false;
  notes: string[];
  prompt_version?: string;
  /** True if something was left out of this response; a file has all of it. */
  truncated?: true;
};

export function resultsOf(request: ResearchRequest, state: ReportableState): ResearchResults {
  const cited = new Set([
    ...state.findings.flatMap(({ citations }) => citations.map(({ document }) => document)),
    ...state.written.flatMap(({ paragraphs }) => paragraphs.flatMap(({ citations }) => citations)),
    ...(state.record?.fields ?? []).flatMap(({ basis }) => basis.map(({ document }) => document)),
  ]);
  return {
    query: request.query,
    outcome: outcomeOf(state),
    research_type: request.researchType,
    geographic_scope: request.scope,
    depth: request.depth.name,
    analysis_depth: request.analysis.name,
    plan: state.plan
      ? { queries: state.plan.queries, made_by: state.plan.by, sub_questions: state.plan.subQuestions }
      : null,
    // A section that a model found nothing for has no content yet.
    deliverables: state.written.filter((section) => isBacked(section) || section.note !== undefined),
    findings: state.findings.map((finding) => shownFinding(finding, state.documents)),
    documents: state.documents.map((document) =>
      cited.has(document.document)
        ? { ...toResearchDocument(document), cited: true, snapshot: null }
        : { ...toResearchDocument(document), cited: false },
    ),
    sources: state.sources,
    left_out: state.leftOut,
    statements_thrown_out: state.refused.statements,
    thrown_out_for: state.refused.byReason,
    ...definedFields({ figures_thrown_out: state.refused.figures }),
    charts: chartsOf(state.points, request.texts).map(({ isNoted: _, ...chart }, at) => ({ ...chart, chart: at + 1 })),
    ...recordResults(request, state),
    ...(request.hasModel ? {} : { complete: false as const }),
    notes: notesOf(request, state),
    ...definedFields({ prompt_version: state.promptVersion }),
  };
}

/** A research may complete although it found nothing: that is an outcome, and no error. The list of what was read is no answer. */
export function outcomeOf({ written, findings, record }: ReportableState): ResearchResults['outcome'] {
  if (written.length === 0) return null;
  return findings.length > 0 || written.some(isAnswering) || filledShare(record) > 0 ? 'found' : 'nothing_found';
}

const recordResults = ({ record: recordRequest }: ResearchRequest, { record }: ReportableState) =>
  recordRequest && record
    ? { output_schema: effectiveSchema(recordRequest.list ?? recordRequest.plan.schema), record }
    : {};

const shownFinding = (
  { score: _, formulas: __, citations, ...finding }: Finding,
  documents: ReportableState['documents'],
): ShownFinding => ({
  ...finding,
  citations: citations.map(({ document, quote, place }) => {
    const { text_by: by, not_opened: reason } = documents.find((source) => source.document === document) ?? {};
    return {
      ...{ document, quote },
      ...definedFields({ page: place?.page, from: place?.from, to: place?.to }),
      ...(place && place.page === undefined && place.label !== 'text' ? { label: place.label } : {}),
      ...(by === 'source' && reason !== undefined ? { text_by: by } : {}),
    };
  }),
});

const toResearchDocument = ({ text: _, figures: __, ...document }: ChosenDocument): ResearchDocument => document;

/** Limits the size of the results in a response, as every poll reads them. */
const MAX_CHARACTERS = 100_000;

/** Halves the number of findings, rows and paragraphs until the results fit. */
export function shortenedReport(results: ResearchResults): ResearchResults {
  if (isShort(results)) return results;
  for (let limit = 60; limit > 0; limit = Math.floor(limit / 2)) {
    const fewer = withFewer(results, limit);
    if (isShort(fewer)) return fewer;
  }
  return { ...withFewer(results, 1), findings: [], documents: [], deliverables: [] };
}

const isShort = (results: ResearchResults): boolean => JSON.stringify(results).length <= MAX_CHARACTERS;

const withFewer = (results: ResearchResults, limit: number): ResearchResults => ({
  ...results,
  deliverables: results.deliverables.map((written) => ({
    ...written,
    paragraphs: written.paragraphs.slice(0, limit),
    ...(written.table ? { table: { ...written.table, rows: written.table.rows.slice(0, limit) } } : {}),
  })),
  findings: results.findings.slice(0, limit),
  documents: results.documents.map((document) => ({ ...document, duplicates: document.duplicates.slice(0, 3) })),
  charts: results.charts.slice(0, Math.ceil(limit / 10)),
  ...(results.record ? { record: withFewerFields(results.record, limit) } : {}),
  truncated: true,
});

const SAMPLE = 0.5;
const UNDATED = 0.8;
/** The factor for each option that could not be applied. */
const UNAPPLIED = 0.8;

/** Computes the confidence by the formula in docs/guides/research.md. */
export function confidenceIn(request: ResearchRequest, state: ReportableState): Confidence {
  const { deliverables } = request;
  const { sources, documents, findings, written } = state;
  const read = documents.filter(({ status }) => status === 'read');
  const quality = read.map(
    ({ sample_data: isSample, published_at: at }) => (isSample ? SAMPLE : 1) * (at === null ? UNDATED : 1),
  );
  const expectedSections = deliverables.filter(
    ({ kind, title }) => kind !== 'limits' && !state.leftSections?.includes(title),
  );
  const backed = expectedSections.filter((deliverable) =>
    written.some(
      (section) => section.title === deliverable.title && (isBacked(section) || isSaidElsewhere(deliverable, findings)),
    ),
  ).length;
  // A record counts as one section.
  const share = (backed + filledShare(state.record)) / Math.max(1, expectedSections.length + (request.record ? 1 : 0));
  return {
    dataQuality: rounded(mean(quality)),
    analysisCompleteness: rounded(
      ((read.length / Math.max(1, documents.length) + share) / 2) * appliedShare(request, state),
    ),
    sourceReliability: read.length === 0 ? 0 : rounded(mean(sources.map(soundness)) * confirmedShare(state)),
  };
}

/** Of the statements of a model, those that are confirmed: notes whose quotes stand nowhere never come to the check. */
function confirmedShare({ judgements = [], refused }: ReportableState): number {
  const checked = judgements.filter((judgement) => judgement !== null);
  const uncited = checked.filter(({ reason }) => reason === 'no_citation').length;
  const total = checked.length + Math.max(0, (refused.byReason.no_citation ?? 0) - uncited);
  return total === 0 ? 1 : checked.filter(({ isConfirmed }) => isConfirmed).length / total;
}

/**
 * A question of which a part has no answer is as incomplete as that part is large. Work that was done without the model after it
 * gave no usable answer counts like an option that could not be applied.
 */
function appliedShare(request: ResearchRequest, state: ReportableState): number {
  const { unusable = 0, plan } = state;
  const open = openQuestions(request, state).length / Math.max(1, plan?.subQuestions.length ?? 1);
  return UNAPPLIED ** (request.unknownOptions.length + (unusable > 0 ? 1 : 0)) * (1 - open);
}

/** Returns true if the deliverable contains something from a document. */
export const isBacked = (section: WrittenDeliverable): boolean =>
  isAnswering(section) || (section.documents?.length ?? 0) > 0;

const isAnswering = ({ paragraphs, table, charts }: WrittenDeliverable): boolean =>
  paragraphs.length > 0 || (table?.rows.length ?? 0) > 0 || (charts?.length ?? 0) > 0;

/** No sentence stands in two sections, so one may be empty whose findings are all in another. */
export const isSaidElsewhere = ({ kind, title }: Deliverable, findings: readonly Finding[]): boolean =>
  kind === 'findings' ? findings.length > 0 : findings.some(({ topics }) => topics.includes(title));

/** Why a section has no content: a summary that nobody wrote does not mean that nothing was found. */
export function noteOfEmpty(section: Deliverable, findings: readonly Finding[], texts: ReportTexts): string {
  const isInOthers = section.kind === 'summary' && findings.length > 0;
  if (isInOthers || isSaidElsewhere(section, findings)) return texts.saidElsewhere;
  return section.kind === 'topic' ? texts.nothingOfTopic : texts.nothingFound;
}

/** The share of a source's requests that succeeded. */
const soundness = ({ status, items, faults }: SourceState): number =>
  status === 'pending' || status === 'dead' ? 0 : faults.length === 0 ? 1 : items / (items + faults.length);

const mean = (shares: readonly number[]): number =>
  shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;

const rounded = (share: number): number => Math.round(100 * share) / 100;

/** A chart as the results show it: `chart` is its number, `documents` are those it rests on. */
type ShownChart = Chart & { chart: number; documents: number[] };

export function chartIn(charts: readonly ShownChart[], nth: number): ReportBlock[] {
  const shownChart = charts[nth - 1];
  if (!shownChart) return [];
  const { chart: _, documents, ...chart } = shownChart;
  return [{ kind: 'chart', chart, ...(documents.length > 0 ? { citations: documents } : {}) }];
}

const MAX_CHARTS = 6;

const MAX_POINTS = 60;

const MAX_LINES = 8;

/** `isNoted`: of figures that a model noted. */
export type DrawnChart = Chart & { documents: number[]; isNoted: boolean };

/** Charts of figures that stand in a document that was read; those that rest on most come first. */
export const chartsOf = (points: readonly FindingPoint[], texts: ReportTexts): DrawnChart[] =>
  chartGroups(points)
    .flatMap((group) => chartOf(group, texts) ?? [])
    .filter(({ documents }) => documents.length > 0)
    .sort((a, b) => b.documents.length - a.documents.length)
    .slice(0, MAX_CHARTS);

/**
 * Groups figures of one source and unit whose labels share the last word, such as the revenues of several companies, or
 * else the first. What a model noted of one thing stands for itself.
 */
function chartGroups(points: readonly FindingPoint[]): FindingPoint[][] {
  const labels = [...new Set(points.map(({ label }) => label))];
  const isShared = (word: string, of: (label: string) => string) =>
    labels.filter((label) => of(label) === word).length > 1;
  const kindOf = (label: string): string => {
    const [lastOfLabel, firstOfLabel] = [lastWord(label), firstWord(label)];
    if (isShared(lastOfLabel, lastWord)) return `…${lastOfLabel}`;
    return isShared(firstOfLabel, firstWord) ? `${firstOfLabel}…` : label;
  };
  const groups = Map.groupBy(points, ({ source, label, unit, isNoted = false }) =>
    JSON.stringify([isNoted ? '' : source, unit ?? '', isNoted ? label : kindOf(label), isNoted]),
  );
  return [...groups.values()];
}

const lastWord = (label: string): string => (label.split(/\s+/).at(-1) ?? '').toLowerCase();

const firstWord = (label: string): string => (label.split(/\s+/)[0] ?? '').toLowerCase();

/** A single number makes no chart. */
function chartOf(points: readonly FindingPoint[], texts: ReportTexts): DrawnChart | undefined {
  const labels = new Set(points.map(({ label }) => label));
  const nameOf =
    labels.size > 1 || isOneThing(points) ? ({ label }: FindingPoint) => label : ({ title }: FindingPoint) => title;
  const byName = Map.groupBy(points, nameOf);
  const lines = [...byName].filter(([, linePoints]) => daysOf(linePoints).size > 1).slice(0, MAX_LINES);
  if (lines.length > 0) return lineOf(headOf(points, texts), lines);
  return byName.size > 1 ? barsOf(headOf(points, texts), byName) : undefined;
}

const daysOf = (points: readonly FindingPoint[]): Set<string> =>
  new Set(points.flatMap(({ at }) => (at ? [dayOf(at)] : [])));

const dayOf = (at: string | null): string => (at ?? '').slice(0, 10);

/** One value per day: the titles differ only because each names its day. */
const isOneThing = (points: readonly FindingPoint[]): boolean => daysOf(points).size === points.length;

type Head = ReturnType<typeof headOf>;

function lineOf(head: Head, lines: [string, FindingPoint[]][]): DrawnChart {
  const days = [...new Set(lines.flatMap(([, linePoints]) => [...daysOf(linePoints)]))].sort().slice(-MAX_POINTS);
  const series = lines.map(([name, linePoints]): ChartSeries => {
    const values = new Map(linePoints.map(({ at, value }) => [dayOf(at), value]));
    return { name, values: days.map((day) => values.get(day) ?? null) };
  });
  return { kind: 'line', ...head, x: { labels: days }, series };
}

/** Shows the newest value of each thing. */
function barsOf({ title, ...head }: Head, byName: Map<string, FindingPoint[]>): DrawnChart {
  const bars = [...byName].slice(0, MAX_POINTS).map(([name, barPoints]) => ({
    name,
    value: barPoints.reduce((newest, point) => ((newest.at ?? '') <= (point.at ?? '') ? point : newest)).value,
  }));
  return {
    kind: 'bar',
    title,
    ...head,
    x: { labels: bars.map(({ name }) => name) },
    series: [{ name: title, values: bars.map(({ value }) => value) }],
  };
}

function headOf(points: readonly FindingPoint[], texts: ReportTexts) {
  const [{ unit, source = '' } = {}] = points;
  const documents = [...new Set(points.flatMap(({ document }) => document ?? []))].sort((a, b) => a - b);
  const isSample = points.some((point) => point.isSample);
  return {
    title: titleOf([...new Set(points.map(({ label }) => label))]),
    ...definedFields({ unit }),
    source: `${sourceName(source)}, ${texts.figures(points.length, isSample)}`,
    documents,
    isNoted: points.some((point) => point.isNoted === true),
  };
}

/** Returns the words that the labels share, at their end or else at their beginning. */
function titleOf(labels: readonly string[]): string {
  const wordLists = labels.map((label) => label.split(/\s+/));
  const [firstWords = []] = wordLists;
  const shared = (from: (words: string[], nth: number) => string | undefined): string[] => {
    const differs = firstWords.findIndex((_, nth) =>
      wordLists.some((words) => from(words, nth) !== from(firstWords, nth)),
    );
    return firstWords.slice(0, differs < 0 ? firstWords.length : differs).map((_, nth) => from(firstWords, nth) ?? '');
  };
  const end = shared((words, nth) => words.at(-1 - nth)).reverse();
  const words = end.length > 0 ? end : shared((labelWords, nth) => labelWords[nth]);
  const title = words.length > 0 ? words.join(' ') : (labels[0] ?? '');
  return title.charAt(0).toUpperCase() + title.slice(1);
}
