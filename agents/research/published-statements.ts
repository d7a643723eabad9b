/** What of findings and draft is published after the check, each statement as it was confirmed, or with a mark. */

import type {
  CheckedBy,
  DataTable,
  NotedFigure,
  WrittenDeliverable,
  WrittenParagraph,
  WrittenSentence,
} from '../../shared/agents/results/research.ts';
import { citedNumbers } from './findings.ts';
import type { ReportableState } from './pipeline-states.ts';
import type { Refusal } from './refusals.ts';
import type { DraftRow, DraftSentence, Finding, StatementJudgement } from './report-model.ts';
import { type ReportStatement, statementsOf } from './report-statements.ts';
import type { ResearchRequest } from './research-request.ts';

type PublishedParts = {
  findings: Finding[];
  sections: WrittenDeliverable[];
  table: DataTable | undefined;
  refusals: Refusal[];
};

export function publishedOf(request: ResearchRequest, state: ReportableState): PublishedParts {
  const refusals: Refusal[] = [];
  const statements = statementsOf(state);
  const judgements = new Map(statements.map(({ place }, at) => [JSON.stringify(place), state.judgements?.[at]]));
  const judgementAt = (place: ReportStatement['place']) => judgements.get(JSON.stringify(place));
  const outcomeAt = (place: ReportStatement['place'], text: string): Outcome =>
    outcomeOf(judgementAt(place), text, request);
  const refuse = (outcome: Outcome, text: string) => {
    if ('refused' in outcome) refusals.push({ refused: 'statement', text, reason: outcome.refused });
  };
  const findings = state.findings.flatMap((finding): Finding[] => {
    if (finding.is_quote) return [finding];
    const outcome = outcomeAt({ finding: finding.finding }, finding.text);
    refuse(outcome, finding.text);
    const { unfounded: _, figures, ...publishable } = finding;
    const standing = figuresLeft(figures ?? [], judgementAt({ finding: finding.finding }));
    if ('refused' in outcome) return [];
    return [{ ...publishable, ...outcome.published, ...(standing.length > 0 ? { figures: standing } : {}) }];
  });
  const numbers = new Set(findings.map(({ finding }) => finding));
  const sections = (state.draft?.sections ?? []).map((section, nth): WrittenDeliverable => {
    const paragraphs = section.paragraphs.flatMap((sentences, paragraph) => {
      const outcomes = sentences.map((sentence, at) =>
        outcomeAt({ section: nth, paragraph, sentence: at }, sentence.text),
      );
      const keptOutcomes = withoutDangling(sentences, outcomes);
      for (const [at, outcome] of keptOutcomes.entries()) refuse(outcome, sentences[at]?.text ?? '');
      return paragraphOf(sentences, keptOutcomes, { state, numbers });
    });
    return { deliverable: section.deliverable, title: section.title, paragraphs };
  });
  const rows = rowsOf(state.draft?.rows ?? [], state, (at) => {
    const statement = statements.find(({ place }) => 'row' in place && place.row === at);
    const outcome = outcomeAt({ row: at }, statement?.text ?? '');
    refuse(outcome, statement?.text ?? '');
    return outcome;
  });
  const table = rows.length === 0 ? undefined : { columns: request.texts.figureColumns, rows, rows_left_out: 0 };
  return { findings, sections: sections.filter(hasContent), table, refusals };
}

/** Without the figures that the second look finds wrong, and those that the text does not say any more. */
function figuresLeft(figures: readonly NotedFigure[], judgement: StatementJudgement | null | undefined): NotedFigure[] {
  const { wrongFigures = [], rewritten } = judgement ?? {};
  const right = figures.filter((_, at) => !wrongFigures.includes(at + 1));
  return rewritten ? right.filter(({ text }) => rewritten.text.includes(text)) : right;
}

const hasContent = ({ paragraphs }: WrittenDeliverable): boolean => paragraphs.length > 0;

type PublishedStatement = {
  row?: DraftRow;
  text: string;
  checked_by: CheckedBy;
  unconfirmed?: string;
  computed?: StatementJudgement['computed'];
};
type Outcome = { published: PublishedStatement } | { refused: NonNullable<StatementJudgement['reason']> };

function outcomeOf(
  judgement: StatementJudgement | null | undefined,
  text: string,
  { unconfirmed, texts }: ResearchRequest,
): Outcome {
  const { isConfirmed = false, by, reason = 'unchecked', why, computed = [], rewritten } = judgement ?? {};
  const published = {
    text: rewritten?.text ?? text,
    ...(rewritten?.row ? { row: rewritten.row } : {}),
    ...(computed.length > 0 ? { computed } : {}),
  };
  if (isConfirmed) return { published: { ...published, checked_by: by ?? 'model' } };
  // What code could not weigh may have any figure.
  const mayBeMarked = by !== 'code' && (reason === 'not_stated' || reason === 'unchecked');
  if (!mayBeMarked || unconfirmed === 'remove') return { refused: reason };
  return { published: { ...published, checked_by: null, unconfirmed: why ?? texts.noVerdict } };
}

/** A sentence that needs the one before it goes with it. */
function withoutDangling(sentences: readonly DraftSentence[], outcomes: readonly Outcome[]): Outcome[] {
  const keptOutcomes: Outcome[] = [];
  for (const [at, outcome] of outcomes.entries()) {
    const previous = keptOutcomes[at - 1];
    const dangles = sentences[at]?.continues === true && previous !== undefined && 'refused' in previous;
    keptOutcomes.push(dangles && !('refused' in outcome) ? { refused: 'depends' } : outcome);
  }
  return keptOutcomes;
}

type Context = { state: ReportableState; numbers: ReadonlySet<number> };

function paragraphOf(
  sentences: readonly DraftSentence[],
  outcomes: readonly Outcome[],
  { state, numbers }: Context,
): WrittenParagraph[] {
  const writtenSentences = sentences.flatMap(({ kind, findings }, at): WrittenSentence[] => {
    const outcome = outcomes[at];
    if (!outcome || 'refused' in outcome) return [];
    const cited = state.findings.filter(({ finding }) => findings.includes(finding));
    return [
      {
        ...outcome.published,
        ...(kind === 'fact' ? {} : { kind }),
        findings: findings.filter((finding) => numbers.has(finding)),
        citations: citedNumbers(cited.flatMap(({ citations }) => citations)),
      },
    ];
  });
  if (writtenSentences.length === 0) return [];
  return [
    {
      text: writtenSentences.map(({ text }) => text).join(' '),
      sentences: writtenSentences,
      citations: sorted(writtenSentences.flatMap(({ citations }) => citations)),
      findings: sorted(writtenSentences.flatMap(({ findings }) => findings)),
      is_quote: false,
    },
  ];
}

const sorted = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);

function rowsOf(draftRows: readonly DraftRow[], state: ReportableState, outcomeOfRow: (at: number) => Outcome) {
  return draftRows.flatMap((row, at): DataTable['rows'] => {
    const outcome = outcomeOfRow(at);
    if ('refused' in outcome) return [];
    const { figure, of, value, unit, date } = outcome.published.row ?? row;
    const cited = state.findings.filter(({ finding }) => row.findings.includes(finding));
    const documents = citedNumbers(cited.flatMap(({ citations }) => citations));
    // The finding that the writer names first has the value.
    const valueDocument =
      cited.find(({ finding }) => finding === row.findings[0])?.citations[0]?.document ?? documents[0];
    const source = state.documents.find(({ document }) => document === valueDocument);
    const { unconfirmed } = outcome.published;
    return [
      {
        cells: [figure, of, value, unit, date, source?.source ?? ''],
        document: source?.document ?? null,
        citations: [[], [], [], [], [], documents],
        ...(unconfirmed === undefined ? {} : { unconfirmed }),
      },
    ];
  });
}
