/** The statements of a report that are checked: findings, sentences of the draft, and rows of its table. */

import type { NotedFigure } from '../../shared/agents/results/research.ts';
import { findingsByNumber } from './findings.ts';
import type { ReportableState } from './pipeline-states.ts';
import type { DraftRow, DraftSentence, Finding, ResearchCitation, SentenceKind } from './report-model.ts';

export type ReportStatement = {
  place: StatementPlace;
  text: string;
  kind: SentenceKind;
  citations: ResearchCitation[];
  /** Those of its findings come first, as it may say their results again. */
  formulas: string[];
  ownFormulas: string[];
  figures?: NotedFigure[];
  row?: DraftRow;
  /** The sentence before it in its paragraph. */
  before?: string;
  /** Of a sentence that says what is missing: its sub-question is open, and nothing was found at all. */
  isOpen?: boolean;
};

/** Where a statement stands. */
type StatementPlace = { finding: number } | { section: number; paragraph: number; sentence: number } | { row: number };

/** What statements are taken from. */
type StatementSource = Pick<ReportableState, 'plan' | 'findings' | 'draft'>;

/** In the same order each time that it is called with the same state. */
export function statementsOf(state: StatementSource): ReportStatement[] {
  const { findings, draft } = state;
  const ofFindings = findings.filter(({ is_quote: isQuote }) => !isQuote).map(findingStatement);
  const ofSections = (draft?.sections ?? []).flatMap(({ paragraphs }, section) =>
    paragraphs.flatMap((sentences, paragraph) =>
      sentences.map((sentence, at): ReportStatement => {
        const before = sentences[at - 1]?.text;
        return {
          place: { section, paragraph, sentence: at },
          ...sentenceStatement(sentence, state),
          ...(before === undefined ? {} : { before }),
        };
      }),
    ),
  );
  const ofRows = (draft?.rows ?? []).map((row, at) => rowStatement(row, at, state));
  return [...ofFindings, ...ofSections, ...ofRows];
}

export const textOfRow = ({ figure, of, value, unit, date }: DraftRow): string =>
  `${of === '' ? figure : `${of}: ${figure}`}: ${[value, unit].filter(Boolean).join(' ')}${date === '' ? '' : ` (${date})`}`;

const findingStatement = ({ finding, text, citations, formulas = [], figures }: Finding): ReportStatement => ({
  place: { finding },
  ...{ text, kind: 'fact', citations, formulas, ownFormulas: formulas },
  ...(figures ? { figures } : {}),
});

/** What is missing is looked for in so many of the findings that come nearest. */
const NEAREST = 6;

function sentenceStatement(sentence: DraftSentence, state: StatementSource): Omit<ReportStatement, 'place'> {
  const { text, kind, sub_question: part } = sentence;
  const cited = findingsByNumber(sentence.findings, state);
  const formulas = withFormulasOf(cited, sentence.formulas);
  const { formulas: ownFormulas } = sentence;
  if (kind !== 'missing') return { text, kind, formulas, ownFormulas, citations: citationsOf(cited) };
  const ofPart =
    part === undefined ? state.findings : state.findings.filter((finding) => finding.sub_question === part);
  const isOpen = part !== undefined && state.findings.length === 0 && isAsked(part, state);
  // Where nothing belongs to its sub-question, the best of all that was found may say it all the same.
  const nearest = [...new Set([...cited, ...(ofPart.length > 0 ? ofPart : state.findings).slice(0, NEAREST)])];
  return { text, kind, formulas, ownFormulas, citations: citationsOf(nearest), isOpen };
}

const isAsked = (part: number, { plan }: StatementSource): boolean =>
  plan?.subQuestions.some(({ sub_question: number, status }) => number === part && status !== 'covered') ?? false;

function rowStatement(row: DraftRow, at: number, state: StatementSource): ReportStatement {
  const cited = findingsByNumber(row.findings, state);
  const formulas = withFormulasOf(cited, row.formulas);
  return {
    ...{ place: { row: at }, text: textOfRow(row), kind: 'fact', citations: citationsOf(cited) },
    ...{ formulas, ownFormulas: row.formulas, row },
  };
}

/** A figure that a finding computes may be said again. */
const withFormulasOf = (findings: readonly Finding[], formulas: readonly string[]): string[] => [
  ...new Set([...findings.flatMap(({ formulas: ofFinding = [] }) => ofFinding), ...formulas]),
];

const citationsOf = (findings: readonly Finding[]): ResearchCitation[] => [
  ...new Map(
    findings.flatMap(({ citations }) => citations).map((citation) => [JSON.stringify(citation), citation]),
  ).values(),
];
