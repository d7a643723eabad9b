/** Writes the report: a model writes all sections out of all findings, in one call, or two for a long report. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import type { ReportLength } from '../../shared/agents/research-input.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { writeRules } from '../prompts/research.ts';
import { numberedQuotes } from '../verification/numbered-quotes.ts';
import type { Quote } from '../verification/statement-verdict.ts';
import { chartsOf } from './charts.ts';
import type { Deliverable } from './deliverables.ts';
import { citedNumbers, cleanedStatement, findingsByNumber } from './findings.ts';
import { ask } from './model-calls.ts';
import type { NotedState, WrittenState } from './pipeline-states.ts';
import type { DraftRow, DraftSection, DraftSentence, Finding, ReportDraft, RowCells } from './report-model.ts';
import type { StageRun } from './stages.ts';

/** How much a section holds. */
const LENGTHS: Record<ReportLength, Lengths> = {
  short: { answerTokens: 6_000, words: 80, paragraphs: 2, rows: 20 },
  standard: { answerTokens: 12_000, words: 200, paragraphs: 6, rows: 40 },
  long: { answerTokens: 16_000, words: 500, paragraphs: 12, rows: 60 },
};

/** Sections that a long report has beside the wanted ones. */
const MAX_ADDED = 8;
const MAX_TITLE = 80;

/** The cells of a row, as a writer gives them. */
export const rowCells = { figure: v.string(), of: v.string(), value: v.string(), unit: v.string(), date: v.string() };

export type Writer = {
  run: StageRun;
  state: WrittenState;
  model: LanguageModelV4;
  /** The quotes of each finding with what stands around them. */
  quotes: readonly (readonly Quote[])[];
  /** What code misses at the quotes of each finding. */
  faults: readonly (string | undefined)[];
};

/** A long report is written in two parts, the end of it once its body is known. */
export type DraftPart = 'whole' | 'body' | 'end';

/** What is written of the part; undefined if the model gave no usable answer. */
export async function writeDraft(writer: Writer, part: DraftPart): Promise<ReportDraft | undefined> {
  const { deliverables, length } = writer.run.request;
  const sections = deliverables.filter(
    (deliverable) => isInWords(deliverable) && (part === 'whole' || isLast(deliverable) === (part === 'end')),
  );
  const hasRows = part !== 'end' && deliverables.some(({ kind }) => kind === 'table');
  const written = part === 'end' ? writer.state.draft : undefined;
  return writePart(writer, { sections, rows: hasRows ? LENGTHS[length].rows : 0, written });
}

export const cleanedCells = (
  { figure, of, value, unit, date }: RowCells,
  documents: Parameters<typeof cleanedStatement>[1],
): RowCells => {
  const clean = (cell: string) => cleanedStatement(cell, documents);
  return { figure: clean(figure), of: clean(of), value: clean(value), unit: clean(unit), date: clean(date) };
};

type Lengths = { answerTokens: number; words: number; paragraphs: number; rows: number };

const answers = v.object({
  sections: v.array(
    v.object({
      section: v.number(),
      title: v.nullish(v.string(), ''),
      paragraphs: v.array(
        v.object({
          sentences: v.array(
            v.object({
              text: v.string(),
              kind: v.picklist(['fact', 'missing', 'advice']),
              findings: v.array(v.number()),
              computed: v.nullish(v.array(v.string()), []),
              sub_question: v.nullish(v.number(), 0),
              continues: v.nullish(v.boolean(), false),
            }),
          ),
        }),
      ),
    }),
  ),
  rows: v.nullish(
    v.array(
      v.object({
        ...rowCells,
        findings: v.array(v.number()),
        computed: v.nullish(v.array(v.string()), []),
      }),
    ),
    [],
  ),
  charts: v.nullish(v.array(v.number()), []),
});

type Answer = v.InferOutput<typeof answers>;

const isInWords = ({ kind }: Deliverable): boolean => ['summary', 'findings', 'topic', 'limits'].includes(kind);
/** What a long report writes last, when the rest of it is known. */
const isLast = ({ kind, topic }: Deliverable): boolean =>
  kind === 'summary' || kind === 'limits' || topic === 'recommendations';

/** Of the figures that came with the documents, if the report is to have charts: the body has them. */
const chartsToShow = ({ written }: Part, { run: { request }, state }: Pick<Writer, 'run' | 'state'>) =>
  written === undefined && request.deliverables.some(({ kind }) => kind === 'charts')
    ? chartsOf(state.points, request.texts)
    : [];

type Part = { sections: readonly Deliverable[]; rows: number; written: ReportDraft | undefined };

async function writePart(writer: Writer, part: Part): Promise<ReportDraft | undefined> {
  const { run, state, model } = writer;
  const { ports, request, work, calls } = run;
  if (part.sections.length === 0 && part.rows === 0) return { sections: [], rows: [], charts: [] };
  const { answerTokens, words, paragraphs } = LENGTHS[request.length];
  const isFirst = part.written === undefined;
  const assignment = {
    question: request.query,
    kind: request.researchType,
    places: request.scope,
    sub_questions: state.plan.subQuestions,
    length: request.length,
    sections: part.sections.map(({ title, kind, topic }, at) => ({
      ...{ section: at + 1, title, kind: topic === 'recommendations' ? topic : kind },
      ...{ words, most_paragraphs: paragraphs },
    })),
    charts: chartsToShow(part, writer).map(({ title, unit }, at) => ({ chart: at + 1, title, unit })),
    most_rows: part.rows,
    most_added:
      isFirst && request.length === 'long' && request.deliverables.every((deliverable) => deliverable.isDefault)
        ? MAX_ADDED
        : 0,
  };
  const answer = await ask(calls, {
    role: 'write',
    ...{ model, rules: writeRules(ports.clock.now()).join('\n'), schema: answers, answerTokens, signal: work.signal },
    messages: [
      ...materialOf(writer),
      ...(part.written ? [`What is written already:\n${JSON.stringify(textsOf(part.written))}`] : []),
      `What is wished:\n${JSON.stringify(assignment)}`,
    ],
  });
  return answer && draftOf(answer, part, writer, assignment.most_added);
}

const textsOf = ({ sections }: ReportDraft) =>
  sections.map(({ title, paragraphs }) => ({
    title,
    text: paragraphs
      .flat()
      .map(({ text }) => text)
      .join(' '),
  }));

/** Comes first, as both calls of a long report have it. */
function materialOf({ state, quotes, faults }: Writer): string[] {
  const shownQuotes = numberedQuotes();
  const findings = state.findings.map(({ finding, text, sub_question, topics, figures, computed }, at) => {
    const numbers = [...new Set((quotes[at] ?? []).map(shownQuotes.numberOf))];
    const noted = figures?.map(({ label, text: value, unit, scale, period }) => ({
      label,
      value,
      unit,
      scale,
      period,
    }));
    return JSON.stringify({
      ...{ finding, sub_question, text, topics, quotes: numbers },
      ...definedFields({ figures: noted, computed, fault: faults[at] }),
    });
  });
  return [`The quotes:\n${shownQuotes.lines()}`, `The findings:\n${findings.join('\n')}`];
}

type AnsweredSection = Answer['sections'][number];

/** A section that is written in several pieces is one; an added one has no number. */
const joinedSections = (sections: readonly AnsweredSection[]): AnsweredSection[] =>
  [...Map.groupBy(sections, ({ section, title }) => (section > 0 ? section : title)).values()].flatMap((pieces) =>
    pieces
      .slice(0, 1)
      .map((firstPiece) => ({ ...firstPiece, paragraphs: pieces.flatMap(({ paragraphs }) => paragraphs) })),
  );

function draftOf(answer: Answer, part: Part, writer: Writer, mostAdded: number): ReportDraft {
  const { run, state } = writer;
  const { request } = run;
  const usedTitles = new Set(request.deliverables.map(({ title }) => title.toLowerCase()));
  let added = 0;
  const sections = joinedSections(answer.sections).flatMap(
    ({ section, title: givenTitle, paragraphs }): DraftSection[] => {
      const requested = part.sections[section - 1];
      // Nothing checks a title: it has no figures.
      const title =
        requested?.title ??
        cleanedStatement(givenTitle ?? '', [])
          .replaceAll(/\S*\d\S*\s*/g, '')
          .trim()
          .slice(0, MAX_TITLE);
      if (!requested) {
        if (title === '' || usedTitles.has(title.toLowerCase()) || added >= mostAdded) return [];
        usedTitles.add(title.toLowerCase());
        added++;
      }
      const draftParagraphs = paragraphs
        .slice(0, LENGTHS[request.length].paragraphs)
        .map(({ sentences }) => sentences.flatMap((sentence) => sentenceOf(sentence, state)));
      const deliverable = requested?.deliverable ?? title;
      return [{ deliverable, title, paragraphs: draftParagraphs.filter((sentences) => sentences.length > 0) }];
    },
  );
  const rows = part.rows === 0 ? [] : answer.rows.slice(0, part.rows).map((row) => rowOf(row, state));
  const charts = chartsToShow(part, writer);
  const chosen = [...new Set(answer.charts)].flatMap((nth) => charts[nth - 1]?.title ?? []);
  return { sections, rows, charts: chosen };
}

const MAX_FORMULAS = 5;

function sentenceOf(
  answered: Answer['sections'][number]['paragraphs'][number]['sentences'][number],
  state: NotedState,
) {
  const cited = findingsByNumber(answered.findings, state);
  const text = cleanedStatement(answered.text, documentsBehind(cited, state));
  if (text === '') return [];
  const sentence: DraftSentence = {
    text,
    kind: answered.kind,
    findings: cited.map(({ finding }) => finding),
    formulas: answered.computed.slice(0, MAX_FORMULAS),
    continues: answered.continues ?? false,
    ...(answered.kind === 'missing' && answered.sub_question ? { sub_question: answered.sub_question } : {}),
  };
  return [sentence];
}

function rowOf({ findings, computed, ...cells }: Answer['rows'][number], state: NotedState): DraftRow {
  const cited = findingsByNumber(findings, state);
  const documents = documentsBehind(cited, state);
  return {
    ...cleanedCells(cells, documents),
    findings: cited.map(({ finding }) => finding),
    formulas: computed.slice(0, MAX_FORMULAS),
  };
}

const documentsBehind = (findings: readonly Finding[], { documents }: NotedState) => {
  const numbers = citedNumbers(findings.flatMap(({ citations }) => citations));
  return documents.filter(({ document }) => numbers.includes(document));
};
