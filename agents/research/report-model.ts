/** What stages of a research hand on: notes of what was read, the draft of the report, and what of both is published. */

import type { ComputedFigure, ShownFinding, WrittenSentence } from '../../shared/agents/results/research.ts';
import type { Place } from '../verification/located-quote.ts';

/** A quote is cut from its document; `resultsOf` turns its place into that of `ShownCitation`. */
export type ResearchCitation = { document: number; quote: string; place?: Place; text_by?: 'source' };

/**
 * Why a statement is not published. `unchecked`: the second look gave no usable answer. `withdrawn`: the writer
 * took it out when it was given back. `depends`: the sentence before it is gone.
 */
export type LeftOutReason =
  | UnfoundedReason
  | 'no_citation'
  | 'contradicted'
  | 'not_stated'
  | 'unchecked'
  | 'withdrawn'
  | 'depends';

/** What code can tell of a text: a figure stands nowhere, or what is wrong with a formula that a figure comes from. */
export type UnfoundedReason = 'figure' | 'formula';

/** As the stages hand it on; the results show it without what is of no use to a reader. */
export type Finding = Omit<ShownFinding, 'citations'> & {
  citations: ResearchCitation[];
  /** Why code refuses it as it is: it is not shown before the writer has corrected it. */
  unfounded?: UnfoundedReason;
  /** How figures of the text follow from figures of the quotes, as a model wrote it. */
  formulas?: string[];
  score: number;
};

export type SentenceKind = 'fact' | NonNullable<WrittenSentence['kind']>;

/** A sentence as a model wrote it, with the findings that it rests on. */
export type DraftSentence = {
  text: string;
  kind: SentenceKind;
  findings: number[];
  formulas: string[];
  /** Of a sentence that says what is missing. */
  sub_question?: number;
  /** It cannot be understood without the sentence before it. */
  continues: boolean;
};

export type DraftSection = { deliverable: string; title: string; paragraphs: DraftSentence[][] };

/** A row of the table of figures. */
export type DraftRow = RowCells & { findings: number[]; formulas: string[] };

export type RowCells = { figure: string; of: string; value: string; unit: string; date: string };

/** `charts`: the titles of the charts that answer the question. */
export type ReportDraft = { sections: DraftSection[]; rows: DraftRow[]; charts: string[] };

/** What the check says of a statement; `rewritten` is what the writer put in its place. */
export type StatementJudgement = {
  isConfirmed: boolean;
  by: 'code' | 'model';
  reason?: LeftOutReason;
  /** In words. */
  why?: string;
  computed: ComputedFigure[];
  /** The numbers, from 1, of noted figures that are wrong. */
  wrongFigures?: number[];
  rewritten?: { text: string; row?: DraftRow };
};
