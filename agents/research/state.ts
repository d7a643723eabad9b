/** What is known while a research goes on, and what one stage hands to the next. */

import type { Figure, SourceFault, SourceItem } from '../../shared/sources/gathered.ts';

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

/** What is known while a research goes on: the plan, what each source gave, what was chosen and read, and what it says. */
type Queries = { queries: string[]; by: 'model' | 'rules' };

/** `dead`: it gave nothing, and something was wrong with it. */
export type SourceState = {
  source: string;
  status: 'pending' | 'read' | 'empty' | 'dead';
  items: number;
  queries: number;
  sample_data: boolean;
  faults: SourceFault[];
};

export type Gathering = SourceItem & { isSample: boolean };

/** Numbered by its rank; the number is its citation's. */
export type ResearchDocument = {
  document: number;
  status: 'chosen' | 'read';
  source: string;
  title: string;
  address: string;
  published_at: string | null;
  sample_data: boolean;
  /** Of the best one. */
  relevance: number;
  /** Where else the same stands. */
  duplicates: { source: string; title: string; address: string }[];
};

export type Chosen = ResearchDocument & { text: string; figures: Figure[] };

export type ResearchCitation = { document: number; quote: string };

export type Finding = {
  finding: number;
  text: string;
  /** The very words of the documents; else a model's, each with the words it rests on. */
  is_quote: boolean;
  citations: ResearchCitation[];
  /** The titles of the topics it belongs to. */
  topics: string[];
  score: number;
};

/** A figure of one item, whether or not the item was among those read. */
export type FindingPoint = Figure & {
  source: string;
  title: string;
  at: string | null;
  document: number | null;
  isSample: boolean;
};

export type LeftOut = { irrelevant: number; duplicates: number; beyond_depth: number };

export type ResearchState = {
  plan?: Queries;
  sources: SourceState[];
  items: Gathering[];
  documents: Chosen[];
  points: FindingPoint[];
  leftOut: LeftOut;
  /** Of the places that were asked for. */
  placesNotMentioned?: string[];
  findings: Finding[];
  /** Statements without a citation that holds. */
  thrownOut: number;
  written: WrittenDeliverable[];
  /** Requests to sources, and those that the model answered. */
  queries: number;
};
