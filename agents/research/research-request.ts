/** What a research is about, and what its states hold of plan, sources and documents. */

import { writesText } from '../../shared/accounts/models.ts';
import { KNOWN_SOURCES } from '../../shared/agents/agent-input.ts';
import { wordIn } from '../../shared/agents/field-schemas.ts';
import {
  RESEARCH_FORMATS,
  type ReportLength,
  type ResearchFormat,
  type ResearchInput,
  unknownOptions,
} from '../../shared/agents/research-input.ts';
import { wordKey } from '../../shared/agents/research-options.ts';
import type { ResearchDocument, SubQuestion } from '../../shared/agents/results/research.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { Figure, SourceItem } from '../../shared/sources/source-item.ts';
import type { Effort, RoleUsage } from '../../shared/tasks/agent-report.ts';
import { wordsOf } from '../records/field-words.ts';
import { planOfChecked } from '../records/record-plan.ts';
import type { StoredFindings } from '../records/stored-findings.ts';
import { type Deliverable, deliverablesIn, facetsOf, plainWords } from './deliverables.ts';
import { type AnalysisDepth, analysisDepthOf, type Depth, depthOf } from './depths.ts';
import { type ReportLanguage, reportLanguageOf } from './report-language.ts';
import { type ReportTexts, textsIn } from './report-texts.ts';

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

export type SearchPlan = { queries: string[]; by: 'model' | 'rules'; subQuestions: SubQuestion[] };

/** How much was done so far. */
export type WorkCounts = Omit<Effort, 'budget'> & { startedAt?: number; byRole: RoleUsage[] };

/** As an earlier research read it. `isFound`: a search has found it for this one too. */
type EarlierReading = {
  task_id: string;
  document: number;
  fetchedAt: string;
  textBy: 'source' | 'page';
  isFound: boolean;
};

export type GatheredItem = SourceItem & { isSample: boolean; earlier?: EarlierReading };

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

/** `rows`: its records are the rows of a table, of which some may be left out. */
export type RecordedDocument = {
  document: number;
  records: StoredFindings[];
  rows?: 'all' | 'cut';
};

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

/** Beside files, the sources that come with Errand are read only if they are named. */
const sourcesOf = ({ sources, file_ids: fileIds }: ResearchInput): string[] =>
  sources?.length ? distinct(sources) : fileIds?.length ? [] : [...KNOWN_SOURCES];

const distinct = (texts: readonly string[]): string[] => [...new Set(texts.map((text) => text.trim()))];
