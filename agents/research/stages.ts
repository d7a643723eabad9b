/** Shared by the stages of the research agent: its ports, and the state that one stage hands to the next. */

import type * as v from 'valibot';
import type { Documents } from '../../engines/documents/documents.ts';
import { PASSAGES_ONLY } from '../../engines/models/keyless.ts';
import type { ModelOf } from '../../engines/models/models.ts';
import type { QueuedRender } from '../../engines/reports/report-document.ts';
import type { OpenPage } from '../../engines/sources/open-page.ts';
import type { GatherFiles } from '../../engines/sources/stored-files.ts';
import type { FindSearchConnector } from '../../engines/sources/web-search.ts';
import { type AgentInput, WEB_SEARCH } from '../../shared/agents/agent-input.ts';
import type { Semaphore } from '../../shared/core/semaphore.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import type { Blobs, Clock, Ids } from '../../shared/ports.ts';
import type { Gather } from '../../shared/sources/source.ts';
import {
  type AgentReport,
  activityRecorder,
  type Effort,
  type Snapshot,
  type StageActivity,
  TaskFailure,
  type Work,
} from '../../shared/tasks/agent.ts';
import type { TaskAddress } from '../../shared/tasks/rows.ts';
import type { Question } from '../generate-answer.ts';
import { RESEARCH_PROMPT } from '../prompts/research.ts';
import { type Checkpoint, resumeState, storeCheckpoint, storeResult, structuredAnswer } from '../runtime.ts';
import {
  confidenceIn,
  isBacked,
  outcomeOf,
  type ResearchResults,
  resultsOf,
  scopeNotes,
  shortened,
  unusableNotesIn,
} from './results.ts';
import { misspeltSections, type ResearchRequest, type ResearchState } from './state.ts';

type EarlierResearch = Pick<ResearchResults, 'documents' | 'findings'> & { texts: (Snapshot & { text: string })[] };

/** Undefined if its results are gone. */
export type ReadEarlierResearch = (address: TaskAddress) => Promise<EarlierResearch | undefined>;

export type ResearchPorts = {
  blobs: Blobs;
  clock: Clock;
  ids: Ids;
  documents: Pick<Documents, 'testPatterns' | 'applyRule'>;
  gather: Gather;
  openPage: OpenPage;
  earlierResearch: ReadEarlierResearch;
  gatherFiles: GatherFiles;
  /** Without it, research reads only the sources that it is given. */
  searchConnector?: FindSearchConnector;
  render: QueuedRender;
  modelOf: ModelOf;
  /** How many tokens of a document the model is shown whole; without it, the usual number. */
  wholeTokens?(id: string): number;
};

export type ResearchSetting = {
  ports: ResearchPorts;
  wish: ResearchRequest;
  input: AgentInput<'research_agent'>;
  /** Limit the sources queried at once: by all tasks of this process, and by this task. */
  gatherings: Semaphore;
  ownGatherings: Semaphore;
};

type StoredState = Omit<ResearchState, 'activity'>;

const knownAtFirst = ({ sources }: ResearchRequest): StoredState => ({
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
  thrownOutFor: {},
  written: [],
  queries: 0,
  work: {
    rounds: 0,
    ended_by: null,
    search_queries: 0,
    queries_from_cache: 0,
    pages_opened: 0,
    pages_refused: 0,
    pages_from_cache: 0,
    byRole: [],
  },
});

/** State that an older version stored may lack what was added since. */
export const resume = async ({ ports, wish }: ResearchSetting, carried: unknown): Promise<ResearchState> => ({
  ...knownAtFirst(wish),
  ...(await resumeState(ports, carried, () => knownAtFirst(wish))),
  activity: activityRecorder(ports.clock),
});

type Progress = { known: ResearchState; stages: string[] };

/** This report is what the task shows, however it goes on from here. */
export async function checkpoint(
  setting: ResearchSetting,
  address: TaskAddress,
  { known, stages }: Progress,
): Promise<Checkpoint<StoredState> & { activity: StageActivity }> {
  const { ports, wish } = setting;
  const results = resultsOf(wish, known);
  const report = reportOf(wish, { known, stages });
  const { activity: _, ...stored } = known;
  const kept = await storeCheckpoint(ports, address, { known: stored, report, results, shown: shortened(results) });
  return { ...kept, activity: closeActivity(setting, known) };
}

/** What a stage had come to when it failed was paid for: it is the partial result. */
export async function keepingRest<T>(
  { ports, wish }: ResearchSetting,
  { address }: Work,
  { progress, run }: { progress: Progress; run: () => Promise<T> },
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof TaskFailure)) throw error;
    // A task that waits shows nothing yet: it goes on from its last checkpoint.
    if (error.wait) throw error;
    const results = resultsOf(wish, progress.known);
    const parts = { report: reportOf(wish, progress), results, shown: shortened(results), written: [] };
    const { code, message, mayPass } = error;
    throw new TaskFailure(code, message, { cause: error, mayPass, partial: await storeResult(ports, address, parts) });
  }
}

/** What the stage did, with what is used of the budget by now. A stage that did nothing used nothing. */
export function closeActivity({ ports, wish }: ResearchSetting, known: ResearchState): StageActivity {
  if (known.activity.take().events.length === 0) return known.activity.take();
  const { rounds, startedAt = ports.clock.now(), byRole } = known.work;
  const { depth, analysis } = wish;
  const used = {
    rounds,
    documents: known.documents.filter(({ status }) => status === 'read').length,
    findings: known.findings.length,
    tokens: byRole.reduce((sum, one) => sum + one.input_tokens + one.output_tokens, 0),
    minutes: Math.floor((ports.clock.now() - startedAt) / MINUTE_MS),
    requests: known.queries,
  };
  const limits = {
    rounds: depth.rounds,
    documents: depth.documents + (depth.rounds - 1) * depth.moreDocuments,
    findings: analysis.findings,
    tokens: depth.tokens,
    minutes: depth.minutes,
  };
  known.activity.tell({ kind: 'budget', used, limits });
  return known.activity.take();
}

const GATHERING = 'gathering';
const NOTHING_FOUND =
  'Nothing was found that answers the query: name other sources, attach files, or let your operator set up web search.';

/** The report without results and files. */
export function reportOf(wish: ResearchRequest, { known, stages }: Progress): Omit<AgentReport, 'results' | 'files'> {
  const { sources, documents, findings, written, queries } = known;
  const read = documents.filter(({ status }) => status === 'read').length;
  const isDead = stages.at(-1) === GATHERING && sources.every(({ status }) => status === 'dead');
  return {
    ...(isDead ? { stages: stages.slice(0, -1), failedStage: GATHERING } : { stages }),
    hasContent: documents.length > 0 || findings.length > 0 || sources.some(({ items }) => items > 0),
    sources: read,
    queries,
    preview: {
      sources: sources.length,
      sources_dead: sources.filter(({ status }) => status === 'dead').length,
      items: sources.reduce((sum, { items }) => sum + items, 0),
      documents: documents.length,
      read,
      findings: findings.length,
      // Sections without content are none yet.
      deliverables: written.filter(isBacked).length,
    },
    confidence: confidenceIn(wish, known),
    effort: effortIn(wish, { known, stages }),
    byRole: known.work.byRole,
    warnings: [
      ...(wish.hasModel ? [] : [PASSAGES_ONLY]),
      ...(outcomeOf(known) === 'nothing_found' ? [NOTHING_FOUND] : []),
      ...misspeltSections(wish.deliverables),
      ...(known.previous?.isGone ? [wish.texts.previousGone] : []),
      ...scopeNotes(wish, known),
      ...unusableNotesIn(wish.texts, known),
    ],
  };
}

function effortIn({ depth }: ResearchRequest, { known, stages }: Progress): Effort {
  const { rounds, documents, moreDocuments, tokens, minutes } = depth;
  const { byRole: _, startedAt: __, ...counts } = known.work;
  return {
    ...counts,
    ended_by: counts.ended_by ?? (stages.includes('writing') ? endOf(known) : null),
    budget: { rounds, documents: documents + (rounds - 1) * moreDocuments, tokens, minutes },
  };
}

/** Why the rounds ended that no further one was refused. */
function endOf({ plan, sources }: ResearchState): Effort['ended_by'] {
  if (plan?.subQuestions.every(({ status }) => status === 'covered')) return 'covered';
  return sources.some(({ source }) => source === WEB_SEARCH) ? 'rounds' : 'no_search';
}

type Role = ResearchState['work']['byRole'][number]['role'];

/** Counts the answers of each model under a role. */
export function countAnswers(known: ResearchState, role: Role): NonNullable<Question<v.GenericSchema>['onAnswer']> {
  const { byRole } = known.work;
  return ({ inputTokens, outputTokens }, model) => {
    known.queries++;
    let own = byRole.find((one) => one.role === role && one.model === model);
    if (!own) {
      own = { role, model, calls: 0, input_tokens: 0, output_tokens: 0, cached_input_tokens: 0 };
      byRole.push(own);
    }
    own.calls++;
    own.input_tokens += inputTokens.total ?? 0;
    own.output_tokens += outputTokens.total ?? 0;
    own.cached_input_tokens += inputTokens.cacheRead ?? 0;
  };
}

/** Sends one question to a language model and counts its answers. Returns undefined if no answer is usable. */
export async function ask<T extends v.GenericSchema>(
  known: ResearchState,
  { role, ...question }: Question<T> & { role: Role },
): Promise<v.InferOutput<T> | undefined> {
  const onAnswer = countAnswers(known, role);
  const answer = await structuredAnswer({ ...question, onAnswer });
  known.promptVersion = RESEARCH_PROMPT;
  if (answer === undefined) known.unusable = (known.unusable ?? 0) + 1;
  return answer;
}
