/** What a research is about, and what its states hold of plan, sources and documents. */

import { writesText } from '../../shared/accounts/providers.ts';
import { KNOWN_SOURCES } from '../../shared/agents/agent-input.ts';
import { wordIn } from '../../shared/agents/fields.ts';
import {
  ANALYSIS_DEPTH_WORDS,
  DEFAULT_ANALYSIS_DEPTH,
  DEFAULT_DEPTH,
  DEPTH_WORDS,
  knownWord,
  RESEARCH_FORMATS,
  RESEARCH_TYPES,
  type ReportLength,
  type ResearchFormat,
  type ResearchInput,
  unknownOptions,
  wordKey,
} from '../../shared/agents/research-input.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { nearestName, quotedName } from '../../shared/core/problem.ts';
import type { Figure, SourceFault, SourceItem } from '../../shared/sources/source.ts';
import type { Effort, RoleUsage } from '../../shared/tasks/agent.ts';
import { wordsOf } from '../records/field-words.ts';
import { planOfChecked } from '../records/record-plan.ts';
import type { StoredFindings } from '../records/stored-findings.ts';
import { type ReportLanguage, reportLanguageOf } from './report-language.ts';
import { type ReportTexts, textsIn, titleIn, titlesOf } from './report-texts.ts';
import SECTIONS from './sections.json' with { type: 'json' };

/** Normalizes words as callers write them, such as `market_overview` or `Market overview`. */
const plainWords = (text: string): string => text.replaceAll(/[\s_]+/g, ' ').trim();

/** The kinds of deliverables. Unknown names become sections with that title. */
type DeliverableKind = 'summary' | 'findings' | 'topic' | 'table' | 'charts' | 'limits' | 'sources';

export type Deliverable = {
  /** The name as the caller wrote it. */
  deliverable: string;
  title: string;
  kind: DeliverableKind;
  /** Set for topics: the key of its cues, or the words that its sentences are found by. */
  topic?: string;
  /** Of the type of the research, not named by the caller: left out of the report if it stays empty. */
  isDefault?: true;
};

/** Each section by its name. The synonyms are those beside its titles in the languages of reports. */
const SECTIONS_BY_NAME = new Map(
  Object.entries(SECTIONS.sections).map(([name, { kind, synonyms }]) => [
    name,
    { kind: kind as DeliverableKind, synonyms },
  ]),
);

/**
 * The sections of each type between the leading and the closing ones, unless the request names deliverables, and the words
 * that it adds to those of the question, as search terms.
 */
const TYPES: Record<keyof typeof RESEARCH_TYPES | 'other', { sections: string[]; queryWords: string[] }> =
  SECTIONS.researchTypes;

const sectionsOf = (type: string): string[] => [
  ...SECTIONS.leading,
  ...TYPES[knownWord(RESEARCH_TYPES, type) ?? 'other'].sections,
  ...SECTIONS.closing,
];

function deliverablesIn(
  { deliverables: names, research_type: type }: ResearchInput,
  language: ReportLanguage,
): Deliverable[] {
  const sectionNames = names?.length ? names : sectionsOf(type ?? '');
  const keys = sectionNames.map((text) => sectionNameOf(wordKey(text)) ?? wordKey(text));
  return sectionNames
    .filter((_, at) => keys.indexOf(keys[at] ?? '') === at)
    .map((text) => ({ ...deliverableOf(text.trim(), language), ...(names?.length ? {} : { isDefault: true }) }));
}

const sectionNameOf = (key: string): string | undefined =>
  [...SECTIONS_BY_NAME].find(
    ([name, { synonyms }]) =>
      key === name || synonyms.includes(key) || titlesOf(name).some((title) => wordKey(title) === key),
  )?.[0];

/** Warns about a title that is nearly the name of a known section. */
export const misspeltSections = (deliverables: readonly Deliverable[]): string[] =>
  deliverables.flatMap(({ deliverable }) => {
    const key = wordKey(deliverable);
    const nearest = sectionNameOf(key) === undefined ? nearestName(key, SECTIONS_BY_NAME.keys()) : undefined;
    if (nearest === undefined) return [];
    const name = quotedName(deliverable);
    return [`input.deliverables: ${name} became a section with this title. Did you mean ${nearest}?`];
  });

/** A known section has its title in the language of the report, in English as the caller wrote it. */
function deliverableOf(deliverable: string, language: ReportLanguage): Deliverable {
  const sectionName = sectionNameOf(wordKey(deliverable));
  const title = titleIn(language, sectionName ?? deliverable) ?? capitalized(plainWords(deliverable));
  const { kind = 'topic' } = SECTIONS_BY_NAME.get(sectionName ?? '') ?? {};
  return { deliverable, title, kind, ...(kind === 'topic' ? { topic: sectionName ?? plainWords(deliverable) } : {}) };
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The search depth limits how much is searched and read; the analysis depth limits how much is taken from it. */
type Depth = {
  name: string;
  queries: number;
  itemsOfSource: number;
  /** Of the first round, and of each further one. */
  documents: number;
  moreDocuments: number;
  rounds: number;
  /** No further round begins after these. */
  tokens: number;
  minutes: number;
};
type AnalysisDepth = { name: string; ofDocument: number; findings: number };

const DEPTHS: Record<keyof typeof DEPTH_WORDS, Omit<Depth, 'name'>> = {
  overview: {
    queries: 2,
    itemsOfSource: 30,
    documents: 6,
    moreDocuments: 6,
    rounds: 2,
    tokens: 200_000,
    minutes: 5,
  },
  standard: {
    queries: 4,
    itemsOfSource: 60,
    documents: 12,
    moreDocuments: 12,
    rounds: 3,
    tokens: 500_000,
    minutes: 15,
  },
  comprehensive: {
    queries: 8,
    itemsOfSource: 120,
    documents: 30,
    moreDocuments: 16,
    rounds: 5,
    tokens: 2_000_000,
    minutes: 40,
  },
};

const ANALYSES: Record<keyof typeof ANALYSIS_DEPTH_WORDS, Omit<AnalysisDepth, 'name'>> = {
  basic: { ofDocument: 1, findings: 8 },
  detailed: { ofDocument: 3, findings: 30 },
  expert: { ofDocument: 6, findings: 80 },
};

function depthOf(word: string | null | undefined): Depth {
  const name = knownWord(DEPTH_WORDS, word ?? '') ?? DEFAULT_DEPTH;
  return { name, ...DEPTHS[name] };
}

function analysisDepthOf(word: string | null | undefined): AnalysisDepth {
  const name = knownWord(ANALYSIS_DEPTH_WORDS, word ?? '') ?? DEFAULT_ANALYSIS_DEPTH;
  return { name, ...ANALYSES[name] };
}

/** The request after interpretation. Unknown words stay as they are. */
export type ResearchRequest = {
  query: string;
  researchType: string | null;
  /** Search terms that the research type adds to those of the question. */
  facets: string[];
  /** `scope` is what the caller gave; `places` are those of it that narrow the search. */
  scope: string[];
  places: string[];
  depth: Depth;
  analysis: AnalysisDepth;
  sources: string[];
  deliverables: Deliverable[];
  length: ReportLength;
  format: ResearchFormat;
  /** Whether the task has a language model. */
  hasModel: boolean;
  /** Stored files of the organization, which are read as sources. */
  fileIds: string[];
  language?: string;
  reportLanguage: ReportLanguage;
  /** What the report says in its own words. */
  texts: ReportTexts;
  /** What happens to sentences that no second look confirms. */
  unconfirmed: 'remove' | 'mark';
  /** Whether the request restricts the time. */
  isDated: boolean;
  /** What the caller's schema asks for. */
  record?: RequestedRecord;
  /** Options whose value is not a known word. */
  unknownOptions: string[];
};

/** With `list`, a record of each entity. */
export type RequestedRecord = ReturnType<typeof planOfChecked> & { failsOnMissing: boolean };

function requestedRecord({
  output_schema: schema,
  accept,
  on_missing: onMissing,
}: ResearchInput): RequestedRecord | undefined {
  if (schema == null) return undefined;
  return { ...planOfChecked(schema, accept ?? undefined, 'entity'), failsOnMissing: onMissing === 'fail' };
}

const FIELD_WORDS = 6;

/** The names of the first fields, as words to search for. */
const fieldFacet = ({ plan: { fields, arrays } }: RequestedRecord): string =>
  [...fields, ...arrays]
    .slice(0, FIELD_WORDS)
    .map(({ names }) => wordsOf(names.at(-1) ?? ''))
    .join(' ');

const EVERYWHERE = new Set(['global', 'worldwide', 'world', 'international', 'everywhere', 'any']);

export function requestOf(input: ResearchInput, model: string): ResearchRequest {
  const scope = distinct(input.geographic_scope ?? []);
  const record = requestedRecord(input);
  const reportLanguage = reportLanguageOf(input.query);
  return {
    // Collapses white space, so that no pattern runs over long runs of spaces.
    query: input.query.replaceAll(/\s+/g, ' ').trim(),
    researchType: input.research_type ?? null,
    facets: [...(record ? [fieldFacet(record)] : []), ...facetsOf(input.research_type ?? '')],
    scope,
    places: scope.filter((place) => !EVERYWHERE.has(wordKey(place))).map(plainWords),
    depth: depthOf(input.depth),
    analysis: analysisDepthOf(input.analysis_depth),
    sources: sourcesOf(input),
    deliverables: deliverablesIn(input, reportLanguage),
    length: input.length ?? 'standard',
    format: wordIn(RESEARCH_FORMATS, input.output_format),
    hasModel: writesText(model),
    fileIds: distinct(input.file_ids ?? []),
    reportLanguage,
    texts: textsIn(reportLanguage),
    unconfirmed: input.unconfirmed ?? 'mark',
    isDated: input.time_range != null,
    ...definedFields({ language: input.language ?? undefined, record }),
    unknownOptions: unknownOptions(input),
  };
}

/** Beside files, the sources that come with Errand are read only if they are named. */
const sourcesOf = ({ sources, file_ids: fileIds }: ResearchInput): string[] =>
  sources?.length ? distinct(sources) : fileIds?.length ? [] : [...KNOWN_SOURCES];

const distinct = (texts: readonly string[]): string[] => [...new Set(texts.map((text) => text.trim()))];

function facetsOf(type: string): string[] {
  const knownType = knownWord(RESEARCH_TYPES, type);
  if (knownType) return TYPES[knownType].queryWords;
  return plainWords(type) === '' ? [] : [plainWords(type)];
}

/** `open`: no finding answers it, or there is no model to tell. `partly`: the planner misses something in the findings about it. */
export type SubQuestion = { sub_question: number; text: string; status: 'open' | 'partly' | 'covered' };

export type SearchPlan = { queries: string[]; by: 'model' | 'rules'; subQuestions: SubQuestion[] };

/** How much was done so far. */
export type WorkCounts = Omit<Effort, 'budget'> & { startedAt?: number; byRole: RoleUsage[] };

/** `dead`: it gave nothing, and it had faults. */
export type SourceState = {
  source: string;
  status: 'pending' | 'read' | 'empty' | 'dead';
  items: number;
  queries: number;
  sample_data: boolean;
  faults: SourceFault[];
};

/** As an earlier research read it. `isFound`: a search has found it for this one too. */
type EarlierReading = {
  task_id: string;
  document: number;
  fetchedAt: string;
  textBy: 'source' | 'page';
  isFound: boolean;
};

export type GatheredItem = SourceItem & { isSample: boolean; earlier?: EarlierReading };

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
  /** The URL that the page was read at, if it was redirected. */
  redirected_to?: string;
  /** Set once it is read: when its text was fetched, and the hash of what a snapshot holds of it. */
  fetched_at?: string;
  sha256?: string;
  /** The earlier research whose kept text it is, and its number there. It is not opened again. */
  previous?: { task_id: string; document: number };
  /** A share of the best document's score. */
  relevance: number;
  /** Other places with the same story. */
  duplicates: { source: string; title: string; address: string }[];
};

export type ChosenDocument = ResearchDocument & { text: string; figures: Figure[] };

/** A figure of one item, even if the item was not among those read. */
export type FindingPoint = Figure & {
  source: string;
  title: string;
  at: string | null;
  document: number | null;
  isSample: boolean;
  /** A model noted it; else it came with the item. */
  isNoted?: true;
};

/** `findings`: those beyond the depth of the analysis. */
export type LeftOutCounts = { irrelevant: number; duplicates: number; beyond_depth: number; findings?: number };

/** `rows`: its records are the rows of a table, of which some may be left out. */
export type RecordedDocument = {
  document: number;
  records: StoredFindings[];
  rows?: 'all' | 'cut';
};
