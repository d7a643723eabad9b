/** How far to go: how much is looked for and read, and how much is taken out of what was read. */
import { keyOf } from './plain-words.ts';

export type Depth = { name: string; queries: number; itemsOfSource: number; documents: number };
export type AnalysisDepth = { name: string; ofDocument: number; findings: number };

const DEPTHS: (Depth & { also: string[] })[] = [
  {
    name: 'overview',
    also: ['quick', 'brief', 'basic', 'shallow', 'light', 'summary'],
    queries: 2,
    itemsOfSource: 30,
    documents: 6,
  },
  { name: 'standard', also: ['medium', 'normal', 'moderate'], queries: 4, itemsOfSource: 60, documents: 12 },
  {
    name: 'comprehensive',
    also: ['deep', 'in_depth', 'detailed', 'thorough', 'extensive', 'exhaustive', 'full'],
    queries: 8,
    itemsOfSource: 120,
    documents: 30,
  },
];

const ANALYSES: (AnalysisDepth & { also: string[] })[] = [
  { name: 'basic', also: ['quick', 'brief', 'overview', 'shallow', 'light'], ofDocument: 1, findings: 8 },
  { name: 'detailed', also: ['standard', 'medium', 'normal', 'moderate'], ofDocument: 3, findings: 30 },
  {
    name: 'expert',
    also: ['deep', 'in_depth', 'thorough', 'comprehensive', 'advanced', 'exhaustive'],
    ofDocument: 6,
    findings: 80,
  },
];

const USUAL = 1;

type Named = { name: string; also: string[] };

/** What nobody knows is taken for the middle. */
function understood<T extends Named>(all: readonly T[], asked: string | null | undefined): Omit<T, 'also'> {
  const key = keyOf(asked ?? '');
  const { also: _, ...found } = (all.find(({ name, also }) => name === key || also.includes(key)) ?? all[USUAL]) as T;
  return found;
}

export const depthOf = (asked: string | null | undefined): Depth => understood(DEPTHS, asked);
export const analysisDepthOf = (asked: string | null | undefined): AnalysisDepth => understood(ANALYSES, asked);
