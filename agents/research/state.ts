/** What is known while a research goes on, and what one stage hands to the next. */

import type { AgentReport } from '../../shared/agents/agent-task.ts';
import type { Figure, SourceFault, SourceItem } from '../../shared/sources/gathered.ts';
import type { Result } from '../../shared/tasks/results.ts';
import type { TaskAddress } from '../../shared/tasks/rows.ts';
import { addressesIn } from '../chat/model-loop.ts';
import { keepFile, keepJson, readJson } from '../stored-results.ts';
import { type Quotable, quotable, stemsIn } from './findings.ts';
import { numbersIn } from './rank-stage.ts';
import type { ResearchRequest } from './request.ts';
import type { ResearchSetting } from './research-agent.ts';
import { confidenceIn, resultsOf, scopeNotes, shortened } from './results.ts';

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

// What one stage hands to the next: what it has come to, as a poll shows it, and all that is known.

/** Up to here it is carried in the table itself. */
const SHORT = 100_000;

type Carried = Result & { known: ResearchState | { bytesAt: string } };

const knownAtFirst = ({ sources }: ResearchRequest): ResearchState => ({
  sources: sources.map((source) => ({
    source,
    status: 'pending',
    items: 0,
    queries: 0,
    sample_data: false,
    faults: [],
  })),
  items: [],
  documents: [],
  points: [],
  leftOut: { irrelevant: 0, duplicates: 0, beyond_depth: 0 },
  findings: [],
  thrownOut: 0,
  written: [],
  queries: 0,
});

export async function takeUp(
  { ports, wish }: Pick<ResearchSetting, 'ports' | 'wish'>,
  carried: unknown,
): Promise<ResearchState> {
  if (carried === undefined) return knownAtFirst(wish);
  const { known } = carried as Carried;
  return 'bytesAt' in known ? readJson<ResearchState>(ports, known.bytesAt) : known;
}

type Handing = { known: ResearchState; stages: string[] };

/** Whatever becomes of the task from here on, this is what it shows. */
export async function handOn(
  { ports, wish }: ResearchSetting,
  address: TaskAddress,
  { known, stages }: Handing,
): Promise<Carried> {
  const results = resultsOf(wish, known);
  const shown = shortened(results);
  const kept = JSON.stringify(known).length <= SHORT ? known : { bytesAt: await keepJson(ports, address, known) };
  const files = shown.truncated ? [await keepFile(ports, address, jsonFile(results, 'partial-results'))] : [];
  return {
    report: { ...reportOf(wish, { known, stages }), results: shown, files },
    known: kept,
  };
}

export const jsonFile = (results: unknown, stem: string) => ({
  name: `${stem}.json`,
  contentType: 'application/json',
  bytes: Buffer.from(`${JSON.stringify(results, undefined, 2)}\n`),
});

/** Without results and files. */
export function reportOf(wish: ResearchRequest, { known, stages }: Handing): Omit<AgentReport, 'results' | 'files'> {
  const { sources, documents, findings, written, queries } = known;
  const read = documents.filter(({ status }) => status === 'read').length;
  return {
    stages,
    sources: read,
    queries,
    preview: {
      sources: sources.length,
      sources_dead: sources.filter(({ status }) => status === 'dead').length,
      items: sources.reduce((sum, { items }) => sum + items, 0),
      documents: documents.length,
      read,
      findings: findings.length,
      deliverables: written.length,
    },
    confidence: confidenceIn(wish, known),
    warnings: scopeNotes(known),
  };
}

/** A text that statements are held against: made out once, however many there are. */
export type Evidence = {
  find: Quotable['find'];
  words(): ReadonlySet<string>;
  numbers(): ReadonlySet<string>;
  addresses(): ReadonlySet<string>;
};

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

export function evidenceIn(text: string): Evidence {
  const quotes = once(() => quotable(text));
  return {
    find: (quote) => quotes().find(quote),
    words: once(() => new Set(stemsIn(text))),
    numbers: once(() => numbersIn(text)),
    addresses: once(() => addressesIn([text])),
  };
}

export const evidenceOf = (documents: readonly Chosen[]): Map<number, Evidence> =>
  new Map(documents.map(({ document, title, text }) => [document, evidenceIn(`${title}\n${text}`)]));
