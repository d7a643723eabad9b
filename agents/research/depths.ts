/** How much a research searches and reads, and how much it takes from that. */

import {
  ANALYSIS_DEPTH_WORDS,
  DEFAULT_ANALYSIS_DEPTH,
  DEFAULT_DEPTH,
  DEPTH_WORDS,
  knownWord,
} from '../../shared/agents/research-options.ts';

/** The search depth limits how much is searched and read; the analysis depth limits how much is taken from it. */
export type Depth = {
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
export type AnalysisDepth = { name: string; ofDocument: number; findings: number };

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

export function depthOf(word: string | null | undefined): Depth {
  const name = knownWord(DEPTH_WORDS, word ?? '') ?? DEFAULT_DEPTH;
  return { name, ...DEPTHS[name] };
}

export function analysisDepthOf(word: string | null | undefined): AnalysisDepth {
  const name = knownWord(ANALYSIS_DEPTH_WORDS, word ?? '') ?? DEFAULT_ANALYSIS_DEPTH;
  return { name, ...ANALYSES[name] };
}
