/** The state of a research, which one stage hands to the next. */

import type { Figure, SourceFault, SourceItem } from '../../shared/sources/gathered.ts';
import type { Objection } from './claims/check-claim.ts';
import type { Unmentioned } from './search.ts';

/** `code`: word for word in the source, or a quote. `model`: a second call of a model confirmed it. */
export type CheckedBy = 'code' | 'model' | 'both';

export type WrittenSentence = { text: string; checked_by: CheckedBy };

export type WrittenParagraph = {
  text: string;
  sentences: WrittenSentence[];
  /** Numbers of documents. */
  citations: number[];
  findings: number[];
  is_quote: boolean;
};

export type DataTable = {
  columns: string[];
  /** `document` is the number of the row's document, or null if it was not read. */
  rows: { cells: string[]; document: number | null }[];
  rows_left_out: number;
};

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

/** `no_citation`: none of its quotes stands in its document. */
export type ThrownOutReason = Objection | 'no_citation';

type Queries = { queries: string[]; by: 'model' | 'rules' };

/** `dead`: it gave nothing, and it had faults. */
export type SourceState = {
  source: string;
  status: 'pending' | 'read' | 'empty' | 'dead';
  items: number;
  queries: number;
  sample_data: boolean;
  faults: SourceFault[];
};

export type Gathering = SourceItem & { isSample: boolean };

/** Numbered by rank; citations refer to this number. */
export type ResearchDocument = {
  document: number;
  status: 'chosen' | 'read';
  source: string;
  title: string;
  address: string;
  published_at: string | null;
  sample_data: boolean;
  /** Set once it is read: what its source delivered, or the page that it leads to. */
  text_by?: 'source' | 'page';
  /** Why the page could not be opened, as words that follow its URL. */
  not_opened?: string;
  /** A share of the best document's score. */
  relevance: number;
  /** Other places with the same story. */
  duplicates: { source: string; title: string; address: string }[];
};

export type Chosen = ResearchDocument & { text: string; figures: Figure[] };

export type ResearchCitation = { document: number; quote: string };

export type Finding = {
  finding: number;
  text: string;
  /**
   * True if the text is quoted from the documents. Otherwise a model wrote it, and its citations are the passages it
   * rests on.
   */
  is_quote: boolean;
  checked_by: CheckedBy;
  citations: ResearchCitation[];
  /** The titles of the topics it belongs to. */
  topics: string[];
  score: number;
};

/** A figure of one item, even if the item was not among those read. */
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
  /** The requested places that no document mentions. */
  placesNotMentioned?: string[];
  /** Set for a report of quotes: what of the question its documents do not mention. */
  unmentioned?: Unmentioned;
  /** Items that were left out because of the domains and the time range of the request. */
  outOfScope?: number;
  findings: Finding[];
  /** The number of statements that were not confirmed by their sources, and the same by reason. */
  thrownOut: number;
  thrownOutFor: Partial<Record<ThrownOutReason, number>>;
  written: WrittenDeliverable[];
  /** Questions to which the model gave no usable answer. */
  unusable?: number;
  /** Requests to sources, plus requests that the model answered. */
  queries: number;
};
