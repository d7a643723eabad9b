/** The states of a research, in their order. Each stage is a function from one of them to the next. */

import type {
  LeftOutCounts,
  ResearchRecord,
  SourceState,
  WrittenDeliverable,
} from '../../shared/agents/results/research.ts';
import type { RefusedCounts } from './refusals.ts';
import type { Finding, ReportDraft, StatementJudgement } from './report-model.ts';
import type {
  ChosenDocument,
  FindingPoint,
  GatheredItem,
  RecordedDocument,
  ResearchRequest,
  SearchPlan,
  WorkCounts,
} from './research-request.ts';

/** What every state has: the sources, and what was spent so far. */
export type StartedState = {
  sources: SourceState[];
  /** The names of sources that a further round may ask other queries. */
  queryable: string[];
  /** Requests to sources, plus requests that the model answered. */
  queries: number;
  work: WorkCounts;
  /** The version of the prompts, once a language model was asked. */
  promptVersion?: string;
  /** Questions to which the model gave no usable answer. */
  unusable?: number;
};

/** Of the research that this one starts from: kept texts that are not among the documents, and its notes. */
export type PreviousResearch = {
  isGone: boolean;
  items: GatheredItem[];
  findings: Omit<Finding, 'score' | 'formulas'>[];
};

/** It is known what to search. */
export type PlannedState = StartedState & { plan: SearchPlan; previous?: PreviousResearch };

/** The sources have answered. */
export type GatheredState = PlannedState & {
  items: GatheredItem[];
  /** Items that were left out because of the domains and the time range of the request. */
  outOfScope?: number;
};

/** The documents to read are chosen, and the other items are gone or left for a further round. */
export type RankedState = Omit<GatheredState, 'items'> & {
  documents: ChosenDocument[];
  /** Gathered and not chosen yet, for a further round. Parts of files have no text here. */
  left: GatheredItem[];
  /** The keys of items that are never chosen again: they are chosen, or a model does not want them. */
  settled: string[];
  /** The number of the first document that the last round has chosen. */
  roundFrom: number;
  points: FindingPoint[];
  leftOut: LeftOutCounts;
  /** At first, what an earlier research noted of the chosen documents. */
  findings: Finding[];
};

/** What the documents say is noted, as far as they are read. */
export type NotedState = RankedState & {
  refused: RefusedCounts;
  /** The documents behind the findings of each sub-question, as an event showed them last. */
  shownCoverage: Record<number, number[]>;
  /** With a schema: what each document that was read says of its fields, and the record of all so far. */
  recorded?: RecordedDocument[];
  record?: ResearchRecord;
};

/** A model has written the report, and code has checked it: null where the second look has to tell. Without a model there is no draft. */
export type WrittenState = NotedState & { draft?: ReportDraft; judgements?: (StatementJudgement | null)[] };

/** Each statement of the draft and each finding has a judgement. Without a model there is none. */
export type CheckedState = Omit<WrittenState, 'judgements'> & { judgements?: StatementJudgement[] };

/** The sections stand as readers get them. */
export type PublishedState = CheckedState & {
  written: WrittenDeliverable[];
  /** Default sections that have no content, by title. */
  leftSections: string[];
};

/** Any state, with nothing in place of the lists and counts that it has not come to yet. Results and reports are made of it. */
export type ReportableState = StartedState &
  Pick<
    PublishedState & GatheredState,
    'items' | 'documents' | 'points' | 'leftOut' | 'findings' | 'refused' | 'written'
  > &
  Partial<Omit<PublishedState, 'judgements'>> &
  Pick<WrittenState, 'judgements'>;

const NOTHING_SPENT: WorkCounts = {
  rounds: 0,
  ended_by: null,
  search_queries: 0,
  queries_from_cache: 0,
  pages_opened: 0,
  pages_refused: 0,
  pages_from_cache: 0,
  byRole: [],
};

/** The state of a source that was not asked yet. */
export const pendingSource = (source: string): SourceState => ({
  ...{ source, status: 'pending', items: 0, queries: 0, sample_data: false, faults: [] },
});

export const initialState = ({ sources }: ResearchRequest): StartedState => ({
  sources: sources.map(pendingSource),
  queryable: [],
  queries: 0,
  work: NOTHING_SPENT,
});

export const toReportable = <State extends StartedState>(state: State): State & ReportableState => ({
  items: [],
  documents: [],
  points: [],
  leftOut: { irrelevant: 0, duplicates: 0, beyond_depth: 0 },
  findings: [],
  refused: { statements: 0, byReason: {} },
  written: [],
  ...state,
});
