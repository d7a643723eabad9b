/** What stages of a research hand on: notes of what was read, the draft of the report, and what of both is published. */

import type { Place } from '../verification/located-quote.ts';

/** What a formula over figures of quotes gives: a number, or a day such as `2026-03-31`. */
export type ComputedFigure = { formula: string; value: number | string };

/** A quote is cut from its document. In results, `text_by` marks what the source delivered of a page that could not be opened. */
export type ResearchCitation = { document: number; quote: string; place?: Place; text_by?: 'source' };

/** A figure that stands in a document. */
export type NotedFigure = {
  label: string;
  /** With its scale; null where the notation can be read in two ways. */
  value: number | null;
  /** As the document writes it. */
  text: string;
  unit: string | null;
  /** The factor that a head or a heading gives, such as 1000000; 1 without one. */
  scale: number;
  period: string | null;
  /** The period as `2025`, `2025-03`, `2025-Q1` or `2025-03-31`. */
  when?: string;
  document: number;
};

/**
 * `code`: a quote, cut from its document. `model`: a second look confirmed it. Null: nothing confirmed it, or nothing was
 * checked yet.
 */
export type CheckedBy = 'code' | 'model' | null;

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

export type Finding = {
  finding: number;
  text: string;
  /**
   * True if the text is quoted from the documents. Otherwise a model wrote it, and its citations are the passages it
   * rests on.
   */
  is_quote: boolean;
  checked_by: CheckedBy;
  /** Why nothing confirms it, in words; it is published with this mark. */
  unconfirmed?: string;
  citations: ResearchCitation[];
  /** Why code refuses it as it is: it is not shown before the writer has corrected it. */
  unfounded?: UnfoundedReason;
  /** How figures of the text follow from figures of the quotes: as a model wrote it, and with the result of code. */
  formulas?: string[];
  computed?: ComputedFigure[];
  figures?: NotedFigure[];
  /** The number of the sub-question of the plan that it belongs to. */
  sub_question: number;
  /** The titles of the topics it belongs to. */
  topics: string[];
  score: number;
};

/** `missing`: says what the documents do not say. `advice`: what the writer concludes for the reader. */
export type SentenceKind = 'fact' | 'missing' | 'advice';

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

export type WrittenSentence = {
  text: string;
  checked_by: CheckedBy;
  kind?: Exclude<SentenceKind, 'fact'>;
  unconfirmed?: string;
  findings: number[];
  /** Numbers of documents. */
  citations: number[];
  computed?: ComputedFigure[];
};

export type WrittenParagraph = {
  text: string;
  sentences: WrittenSentence[];
  /** Numbers of documents. */
  citations: number[];
  findings: number[];
  is_quote: boolean;
  /** Of a quote: the date of its document. */
  dated?: string;
};

export type DataRow = {
  cells: string[];
  /** The number of the row's document, or null if it was not read. */
  document: number | null;
  /** Those of each cell. */
  citations?: number[][];
  /** The number of the cell with the value; absent if that cell is text of a document. */
  value?: number;
  unconfirmed?: string;
};

export type DataTable = { columns: string[]; rows: DataRow[]; rows_left_out: number };

export type WrittenDeliverable = {
  deliverable: string;
  title: string;
  paragraphs: WrittenParagraph[];
  table?: DataTable;
  /** One-based positions in `charts`. */
  charts?: number[];
  /** Numbers of documents. */
  documents?: number[];
  /** Explains why the deliverable is empty, or shorter than expected. */
  note?: string;
};
