/** How far to go: how much is looked for and read, and how much is taken out of what was read. */
import {
  ANALYSIS_DEPTH_WORDS,
  DEFAULT_ANALYSIS_DEPTH,
  DEFAULT_DEPTH,
  DEPTH_WORDS,
  knownWord,
} from '../../../shared/agents/research-input.ts';

export type Depth = { name: string; queries: number; itemsOfSource: number; documents: number };
export type AnalysisDepth = { name: string; ofDocument: number; findings: number };

const DEPTHS: Record<keyof typeof DEPTH_WORDS, Omit<Depth, 'name'>> = {
  overview: { queries: 2, itemsOfSource: 30, documents: 6 },
  standard: { queries: 4, itemsOfSource: 60, documents: 12 },
  comprehensive: { queries: 8, itemsOfSource: 120, documents: 30 },
};

const ANALYSES: Record<keyof typeof ANALYSIS_DEPTH_WORDS, Omit<AnalysisDepth, 'name'>> = {
  basic: { ofDocument: 1, findings: 8 },
  detailed: { ofDocument: 3, findings: 30 },
  expert: { ofDocument: 6, findings: 80 },
};

export function depthOf(asked: string | null | undefined): Depth {
  const name = knownWord(DEPTH_WORDS, asked ?? '') ?? DEFAULT_DEPTH;
  return { name, ...DEPTHS[name] };
}

export function analysisDepthOf(asked: string | null | undefined): AnalysisDepth {
  const name = knownWord(ANALYSIS_DEPTH_WORDS, asked ?? '') ?? DEFAULT_ANALYSIS_DEPTH;
  return { name, ...ANALYSES[name] };
}
