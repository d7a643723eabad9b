/** Writes every deliverable, and the report with charts as a file of the requested format. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { OFFLINE } from '../../engines/models/offline.ts';
import {
  type RenderedReport,
  type ReportBlock,
  type ReportDocument,
  type ReportSection,
  type ReportSource,
  renderReadable,
  type TextRun,
} from '../../engines/reports/report-document.ts';
import type { ReportLength } from '../../shared/agents/research-input.ts';
import type { Stage, StageActivity } from '../../shared/tasks/agent.ts';
import type { Result } from '../../shared/tasks/details.ts';
import { writeRules } from '../prompts/research.ts';
import { jsonFile, storeResult, type WrittenFile } from '../runtime.ts';
import { checkParagraphs, documentsOf } from './claims/written-sentences.ts';
import { evidenceOf } from './findings.ts';
import { chartIn, chartsOf, type ResearchResults, resultsOf, shortened } from './results.ts';
import { lacksFigure, pacer, unmentionedIn } from './search.ts';
import { keepSnapshots } from './snapshots.ts';
import { ask, closeActivity, type ResearchSetting, reportOf, resume } from './stages.ts';
import type {
  DataTable,
  Deliverable,
  Finding,
  FindingPoint,
  ResearchRequest,
  ResearchState,
  WrittenDeliverable,
  WrittenParagraph,
} from './state.ts';

type Lengths = { answerTokens: number; paragraphs: number; summary: number; findings: number; topic: number };

/** How much a section holds: paragraphs of a model, and findings without one. */
const LENGTHS: Record<ReportLength, Lengths> = {
  short: { answerTokens: 4_000, paragraphs: 2, summary: 3, findings: 5, topic: 3 },
  standard: { answerTokens: 8_000, paragraphs: 12, summary: 5, findings: Number.POSITIVE_INFINITY, topic: 8 },
  long: { answerTokens: 16_000, paragraphs: 24, summary: 8, findings: Number.POSITIVE_INFINITY, topic: 20 },
};

const answers = v.object({
  sections: v.array(
    v.object({
      section: v.number(),
      paragraphs: v.array(v.object({ text: v.string(), findings: v.array(v.number()) })),
    }),
  ),
});

type SectionRequest = {
  wish: ResearchRequest;
  known: ResearchState;
  deliverables: readonly Deliverable[];
  model: LanguageModelV4;
  now: number;
  signal: AbortSignal;
};

/**
 * Has a language model write the sections from the findings. Only sentences that their quotes confirm are kept, and
 * deliverables without text are missing in the result.
 */
async function writtenByModel(request: SectionRequest): Promise<Map<Deliverable, WrittenParagraph[]>> {
  const { wish, known, deliverables, model, now, signal } = request;
  const lengths = LENGTHS[wish.length];
  const wished = {
    question: wish.query,
    kind: wish.researchType,
    places: wish.scope,
    sections: Object.fromEntries(deliverables.map(({ title }, at) => [at + 1, title])),
    ...(wish.length === 'standard' ? {} : { length: wish.length, most_paragraphs_of_section: lengths.paragraphs }),
  };
  const findings = known.findings.map(({ finding, text, topics, citations }) => ({
    finding,
    text,
    topics,
    quotes: citations.map(({ quote }) => quote),
  }));
  const messages = [`What is wished:\n${JSON.stringify(wished)}`, `The findings:\n${JSON.stringify(findings)}`];
  const answer = await ask(known, {
    role: 'write',
    ...{ model, rules: writeRules(now).join('\n'), messages, schema: answers, signal },
    answerTokens: lengths.answerTokens,
  });
  const evidence = evidenceOf(known.documents);
  const proposed = (answer?.sections ?? []).flatMap(({ section, paragraphs }) => {
    const deliverable = deliverables[section - 1];
    const own = paragraphs.slice(0, lengths.paragraphs).map(({ text, findings }) => ({
      deliverable,
      text,
      findings: known.findings.filter(({ finding }) => findings.includes(finding)),
    }));
    return deliverable ? own : [];
  });
  const checked = await checkParagraphs(proposed, { known, evidence, model, now, signal });
  const written = new Map<Deliverable, WrittenParagraph[]>();
  for (const [at, { deliverable }] of proposed.entries()) {
    const paragraph = checked[at];
    if (deliverable && paragraph) written.set(deliverable, [...(written.get(deliverable) ?? []), paragraph]);
  }
  return written;
}

const OF_ONE_DOCUMENT = 2;

const paragraphOf = (finding: Finding): WrittenParagraph => ({
  text: finding.text,
  sentences: [{ text: finding.text, checked_by: finding.checked_by }],
  citations: documentsOf([finding]),
  findings: [finding.finding],
  is_quote: finding.is_quote,
});

/** Writes a deliverable without a model: the findings as quotes, each with its citations. */
function writeOffline(
  { deliverable, title, kind }: Deliverable,
  findings: readonly Finding[],
  lengths: Lengths,
): WrittenDeliverable {
  const chosen =
    kind === 'summary'
      ? summaryOf(findings, lengths.summary)
      : kind === 'findings'
        ? findings.slice(0, lengths.findings)
        : findings.filter(({ topics }) => topics.includes(title)).slice(0, lengths.topic);
  const paragraphs = chosen.map(paragraphOf);
  const note = kind === 'topic' ? 'The documents that were read say nothing about this.' : 'Nothing was found.';
  return { deliverable, title, paragraphs, ...(paragraphs.length === 0 ? { note } : {}) };
}

/** Limits the findings from one document, so that the summary draws on several. */
function summaryOf(findings: readonly Finding[], most: number): Finding[] {
  const used = new Map<number, number>();
  const chosen = findings.filter(({ citations }) => {
    const [{ document } = { document: 0 }] = citations;
    used.set(document, (used.get(document) ?? 0) + 1);
    return (used.get(document) ?? 0) <= OF_ONE_DOCUMENT;
  });
  return chosen.slice(0, most);
}

const MAX_ROWS = 100;
const IN_WORDS = new Set(['summary', 'findings', 'topic']);

type DeliverableRequest = Omit<SectionRequest, 'deliverables'>;

async function writeDeliverables(request: DeliverableRequest): Promise<WrittenDeliverable[]> {
  const { wish, known, model } = request;
  const inWords = wish.deliverables.filter(({ kind }) => IN_WORDS.has(kind));
  const usesModel = model.provider !== OFFLINE && known.findings.length > 0 && inWords.length > 0;
  const byModel = usesModel ? await writtenByModel({ ...request, deliverables: inWords }) : undefined;
  return wish.deliverables.map((deliverable) => written(deliverable, request, byModel?.get(deliverable)));
}

function written(
  deliverable: Deliverable,
  { wish, known }: Pick<DeliverableRequest, 'wish' | 'known'>,
  paragraphs: WrittenParagraph[] | undefined,
): WrittenDeliverable {
  const { deliverable: name, title, kind } = deliverable;
  const head = { deliverable: name, title, paragraphs: [] };
  if (kind === 'table') return tableIn(head, known.points);
  if (kind === 'charts') return chartsIn(head, known.points);
  if (kind === 'sources') return sourcesIn(head, known);
  // What is about something else does not answer; it stays in the other sections, for what it is.
  if (kind === 'summary' && isUnanswered(known)) return { ...head, note: NOT_ANSWERED };
  if (paragraphs) return { ...head, paragraphs };
  return writeOffline(deliverable, known.findings, LENGTHS[wish.length]);
}

/** No finding answers a part of the question, or too little of the question is mentioned anywhere. */
const isUnanswered = ({ unmentioned, plan, findings }: ResearchState): boolean =>
  unmentioned?.isUnanswered ??
  (findings.length > 0 && plan?.subQuestions.every(({ status }) => status === 'open') === true);

function tableIn(head: WrittenDeliverable, points: readonly FindingPoint[]): WrittenDeliverable {
  const sorted = points.toSorted((a, b) => byText(a.label, b.label) || byText(b.at ?? '', a.at ?? ''));
  const table: DataTable = {
    columns: ['Figure', 'Of', 'Value', 'Unit', 'Date', 'Source'],
    rows: sorted.slice(0, MAX_ROWS).map(({ label, title, value, unit, at, source, document }) => ({
      cells: [label, title, String(value), unit ?? '', (at ?? '').slice(0, 10), source],
      document,
    })),
    rows_left_out: Math.max(0, sorted.length - MAX_ROWS),
  };
  return points.length > 0 ? { ...head, table } : { ...head, note: NO_FIGURES };
}

const NOT_ANSWERED = 'The documents that were read do not answer the question.';
const NO_FIGURES = 'None of the documents that were read has figures.';

function chartsIn(head: WrittenDeliverable, points: readonly FindingPoint[]): WrittenDeliverable {
  const charts = chartsOf(points).map((_, at) => at + 1);
  return charts.length > 0 ? { ...head, charts } : { ...head, note: 'There are no figures to compare.' };
}

function sourcesIn(head: WrittenDeliverable, { documents }: ResearchState): WrittenDeliverable {
  const read = documents.filter(({ status }) => status === 'read').map(({ document }) => document);
  return read.length > 0 ? { ...head, documents: read } : { ...head, note: 'No document was read.' };
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const STAGES = ['planning', 'gathering', 'ranking', 'reading', 'writing'];

export const writeStage = (setting: ResearchSetting): Stage => ({
  name: 'writing',
  async run(work, carried): Promise<Result & { activity: StageActivity }> {
    const { address, signal } = work;
    const { ports, wish, input } = setting;
    const known = await resume(setting, carried);
    const model = await ports.modelOf(input.model, work, input.asked.reasoning_effort);
    if (known.documents.length > 0 && known.findings.every(({ is_quote: isQuote }) => isQuote)) {
      const texts = known.documents.map(({ title, text }) => `${title}\n${text}`);
      const unmentioned = await unmentionedIn(wish.query, texts, pacer(signal));
      known.unmentioned = {
        ...unmentioned,
        isUnanswered: unmentioned.isUnanswered || lacksFigure(wish.query, known.findings),
      };
    }
    known.written = await writeDeliverables({ wish, known, model, now: ports.clock.now(), signal });
    const { results, snapshots } = await keepSnapshots(setting, address, { results: resultsOf(wish, known), known });
    const { written, warnings } = await writtenFiles(setting, results);
    const draft = reportOf(wish, { known, stages: STAGES });
    const report = { ...draft, snapshots, warnings: [...(draft.warnings ?? []), ...warnings] };
    const kept = await storeResult(ports, address, { report, results, shown: shortened(results), written });
    return { ...kept, activity: closeActivity(setting, known) };
  },
});

type Written = { written: WrittenFile[]; warnings: string[] };

async function writtenFiles({ ports, wish }: ResearchSetting, results: ResearchResults): Promise<Written> {
  if (wish.format === 'json') return { written: [jsonFile(results, 'report')], warnings: [] };
  const document = documentOf(results, ports.clock.now());
  const { report, page, warnings } = await renderReadable(ports.render, document, wish.format);
  return { written: [report, ...(page ? [page] : [])].map(named), warnings };
}

const named = ({ bytes, contentType, extension }: RenderedReport): WrittenFile => ({
  name: `report.${extension}`,
  contentType,
  bytes,
});

const MAX_TITLE = 120;

function documentOf(results: ResearchResults, madeAt: number): ReportDocument {
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
