/** The input of the research agent. */
import type * as v from 'valibot';
import { inside, list, maybe, modelFields, modelTexts, oneOf, words } from './fields.ts';

/** The `input` of a research agent. */
const MAX_QUERY = 10_000;
const FORMATS = ['json', 'markdown', 'html', 'pdf'] as const;
export type ResearchFormat = (typeof FORMATS)[number];

export const researchInput = (sources: readonly string[]) =>
  inside({
    ...modelFields(),
    query: words(MAX_QUERY),
    research_type: maybe(words()),
    sources: maybe(list(oneOf(sources))),
    geographic_scope: maybe(list(words())),
    depth: maybe(words()),
    analysis_depth: maybe(words()),
    deliverables: maybe(list(words())),
    output_format: maybe(oneOf(FORMATS)),
  });

/** Descriptions for the contract; a function, so that bundles leave it out. */
export const researchTexts = () => ({
  ...modelTexts(),
  query: `The question to answer from the sources; at most ${MAX_QUERY} characters.`,
  research_type: 'Adds words to the search queries, such as `market_analysis`; any text, default none.',
  sources: 'Names from `GET /sources`; default: the three that come with Errand.',
  geographic_scope: 'Places that documents should be about, such as `Germany`; default: no restriction.',
  depth: 'How many documents are read: `overview` 6, `standard` 12 (default), `comprehensive` 30.',
  analysis_depth: 'How many findings are kept: `basic` 8, `detailed` 30 (default), `expert` 80.',
  deliverables:
    'The sections of the report, such as `key_findings` and `charts`, or titles of your own; default: seven.',
  output_format: 'The format of the report file; `json` by default. The results are always JSON.',
});

export type ResearchInput = v.InferOutput<ReturnType<typeof researchInput>>;

// The known values of research options; docs/guides/research.md explains them.

/** The key that `In-depth`, `in depth` and `in_depth` share. */
export const wordKey = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_');

type KnownWords = Readonly<Record<string, readonly string[]>>;

/** Each word with the others that mean the same. */
export const DEPTH_WORDS = {
  overview: ['quick', 'brief', 'basic', 'shallow', 'light', 'summary'],
  standard: ['medium', 'normal', 'moderate'],
  comprehensive: ['deep', 'in_depth', 'detailed', 'thorough', 'extensive', 'exhaustive', 'full'],
} as const satisfies KnownWords;

export const ANALYSIS_DEPTH_WORDS = {
  basic: ['quick', 'brief', 'overview', 'shallow', 'light'],
  detailed: ['standard', 'medium', 'normal', 'moderate'],
  expert: ['deep', 'in_depth', 'thorough', 'comprehensive', 'advanced', 'exhaustive'],
} as const satisfies KnownWords;

export const RESEARCH_TYPES = {
  market_analysis: [],
  competitive_analysis: [],
  trend_analysis: [],
  company_profile: [],
  financial_analysis: [],
  risk_assessment: [],
  literature_review: [],
} as const satisfies KnownWords;

export function knownWord<const T extends KnownWords>(words: T, value: string): (keyof T & string) | undefined {
  const key = wordKey(value);
  return Object.keys(words).find((word) => word === key || words[word]?.includes(key));
}

/** What is used when an option is not known, or not given. */
export const DEFAULT_DEPTH = 'standard';
export const DEFAULT_ANALYSIS_DEPTH = 'detailed';

type Option = 'research_type' | 'depth' | 'analysis_depth';

export const RESEARCH_OPTIONS = {
  research_type: RESEARCH_TYPES,
  depth: DEPTH_WORDS,
  analysis_depth: ANALYSIS_DEPTH_WORDS,
} as const satisfies Record<Option, KnownWords>;

/** The options that were given a word that is not known. */
export const unknownOptions = (input: Pick<ResearchInput, Option>): Option[] =>
  (Object.keys(RESEARCH_OPTIONS) as Option[]).filter((option) => {
    const value = input[option];
    return value != null && knownWord(RESEARCH_OPTIONS[option], value) === undefined;
  });
