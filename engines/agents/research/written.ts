/** A deliverable as it was written. */
export type WrittenParagraph = {
  text: string;
  /** Numbers of documents. */
  citations: number[];
  findings: number[];
  is_quote: boolean;
};

export type DataTable = {
  columns: string[];
  /** The number of its document stands beside a row, if that was read. */
  rows: { cells: string[]; document: number | null }[];
  rows_left_out: number;
};

export type WrittenDeliverable = {
  deliverable: string;
  title: string;
  paragraphs: WrittenParagraph[];
  table?: DataTable;
  /** By their places in `charts`, counted from 1. */
  charts?: number[];
  /** By their numbers. */
  documents?: number[];
  /** Why there is nothing in it, or less than one may expect. */
  note?: string;
};
