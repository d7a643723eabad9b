/** The known values of research options; docs/guides/research.md explains them. */

/** The common key of `In-depth`, `in depth` and `in_depth`. */
export const wordKey = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_');

type KnownWords = Readonly<Record<string, readonly string[]>>;

/** Each word with its synonyms. */
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

/** The default for absent or unknown options. */
export const DEFAULT_DEPTH = 'standard';
export const DEFAULT_ANALYSIS_DEPTH = 'detailed';

export type Option = 'research_type' | 'depth' | 'analysis_depth';

export const RESEARCH_OPTIONS = {
  research_type: RESEARCH_TYPES,
  depth: DEPTH_WORDS,
  analysis_depth: ANALYSIS_DEPTH_WORDS,
} as const satisfies Record<Option, KnownWords>;
