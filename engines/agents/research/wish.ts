/** What was asked for, understood: known words by their meaning in docs/research.md, all others as they stand. */

import { KNOWN_SOURCES } from '../../../shared/agents/agent-input.ts';
import {
  knownWord,
  RESEARCH_TYPES,
  type ResearchFormat,
  type ResearchInput,
  unknownOptions,
  wordKey,
} from '../../../shared/agents/research-input.ts';
import { type Deliverable, deliverablesIn } from './deliverables.ts';
import { type AnalysisDepth, analysisDepthOf, type Depth, depthOf } from './depths.ts';
import { plainWords } from './plain-words.ts';

export type ResearchRequest = {
  query: string;
  researchType: string | null;
  /** Words that the type of research looks for besides the question's own. */
  facets: string[];
  /** As they were asked for, and those of them that narrow anything. */
  scope: string[];
  places: string[];
  depth: Depth;
  analysis: AnalysisDepth;
  sources: string[];
  deliverables: Deliverable[];
  format: ResearchFormat;
  /** Options that were given a word that is not known. */
  unknownOptions: string[];
};

const FACETS: Record<keyof typeof RESEARCH_TYPES, string[]> = {
  market_analysis: ['market size and growth', 'prices and demand', 'market share'],
  competitive_analysis: ['competitors and market share', 'strategy and new products', 'prices'],
  trend_analysis: ['change over the years', 'growth and decline', 'forecast'],
  company_profile: ['revenue and profit', 'strategy and management', 'products and employees'],
  financial_analysis: ['revenue and profit', 'debt and cash flow', 'forecast'],
  risk_assessment: ['risk and uncertainty', 'losses and disruption', 'regulation'],
  literature_review: ['study and results', 'methods and evidence', 'limits and criticism'],
};

const EVERYWHERE = new Set(['global', 'worldwide', 'world', 'international', 'everywhere', 'any']);

export function wishOf(asked: ResearchInput): ResearchRequest {
  const scope = distinct(asked.geographic_scope ?? []);
  return {
    // No pattern is to meet a thousand spaces.
    query: asked.query.replaceAll(/\s+/g, ' ').trim(),
    researchType: asked.research_type ?? null,
    facets: facetsOf(asked.research_type ?? ''),
    scope,
    places: scope.filter((place) => !EVERYWHERE.has(wordKey(place))).map(plainWords),
    depth: depthOf(asked.depth),
    analysis: analysisDepthOf(asked.analysis_depth),
    sources: asked.sources?.length ? distinct(asked.sources) : [...KNOWN_SOURCES],
    deliverables: deliverablesIn(asked.deliverables),
    format: asked.output_format ?? 'json',
    unknownOptions: unknownOptions(asked),
  };
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts.map((text) => text.trim()))];

function facetsOf(type: string): string[] {
  const known = knownWord(RESEARCH_TYPES, type);
  if (known) return FACETS[known];
  return plainWords(type) === '' ? [] : [plainWords(type)];
}
