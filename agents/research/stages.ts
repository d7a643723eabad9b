/** Shared by the stages of the research agent: its ports, and what makes a stage of a function from one state to the next. */

import type { Documents } from '../../engines/documents/documents.ts';
import { PASSAGES_ONLY } from '../../engines/models/keyless.ts';
import type { ModelOf } from '../../engines/models/models.ts';
import type { QueuedRender } from '../../engines/reports/report-document.ts';
import type { OpenPage } from '../../engines/sources/open-page.ts';
import type { GatherFiles } from '../../engines/sources/stored-files.ts';
import type { FindSearchConnector } from '../../engines/sources/web-search.ts';
import { type AgentInput, WEB_SEARCH } from '../../shared/agents/agent-input.ts';
import type { ResearchResults } from '../../shared/agents/results/research.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { Semaphore } from '../../shared/core/semaphore.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import type { Blobs, Clock, Ids } from '../../shared/ports.ts';
import type { Gather } from '../../shared/sources/source-item.ts';
import { type ActivityRecorder, activityRecorder, type StageActivity } from '../../shared/tasks/activity-recorder.ts';
import type { Stage, Work } from '../../shared/tasks/agent.ts';
import type { AgentReport, Effort, Snapshot } from '../../shared/tasks/agent-report.ts';
import type { TaskAddress } from '../../shared/tasks/rows.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import { type ApplyRule, ruleApplier } from '../apply-rule.ts';
import { type Checkpoint, resumeState, storeCheckpoint, storeResult } from '../checkpoints.ts';
import { confidenceIn } from './confidence.ts';
import { misspeltSections } from './deliverables.ts';
import { type CallCounts, noCalls, withCalls } from './model-calls.ts';
import { scopeNotes, unusableNotesIn } from './notes.ts';
import { isBacked, outcomeOf } from './outcome.ts';
import { initialState, type ReportableState, type StartedState, toReportable } from './pipeline-states.ts';
import { publishedSoFar } from './report-sections.ts';
import type { ResearchRequest } from './research-request.ts';
import { resultsOf, shortenedReport } from './results.ts';

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
  request: ResearchRequest;
  input: AgentInput<'research_agent'>;
  /** Limit the sources queried at once: by all tasks of this process, and by this task. */
  gatherSlots: Semaphore;
  taskGatherSlots: Semaphore;
};

/** What a stage works with beside its state. `activity` and `calls` are meters: what runs side by side writes into them. */
export type StageRun = ResearchSetting & {
  work: Work;
  activity: ActivityRecorder;
  calls: CallCounts;
  applyRule: ApplyRule;
};

type EarlierResearch = Pick<ResearchResults, 'documents' | 'findings'> & { texts: (Snapshot & { text: string })[] };

/** Undefined without a model. */
export const mainModel = ({ ports, input, work }: StageRun): ReturnType<ModelOf> =>
  ports.modelOf(input.model, work, input.asked.reasoning_effort);

/** For plans and choices: the model itself where there is no cheaper one. */
export const cheapModel = ({ ports, input, work }: StageRun): ReturnType<ModelOf> =>
  ports.modelOf(input.cheapModel ?? input.model, work, input.asked.reasoning_effort);

const STAGES = ['planning', 'gathering', 'ranking', 'reading', 'writing'] as const;

/** The stages in their order, as a task shows them, with this one as the last. */
export const stagesTo = (last: (typeof STAGES)[number]): string[] => STAGES.slice(0, STAGES.indexOf(last) + 1);

/** Thrown by a stage that fails half-way: `state` is what it had come to. */
export class StageCutShort extends Error {
  override name = 'StageCutShort';
  readonly state: StartedState;

  constructor(state: StartedState, cause: unknown) {
    super('The stage was cut short.', { cause });
    this.state = state;
  }
}

/** If `run` fails, this state is what the stage had come to, unless `run` itself had come further. */
export async function keepStateOnFailure<T>(state: StartedState, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof StageCutShort ? error : new StageCutShort(state, error);
  }
}

/** What the worker is told with a checkpoint. `roundsOver`: the stages of further rounds have nothing to do. */
type Advice = { mayRepeat?: boolean; roundsOver?: true };

type StageParts<Before extends StartedState, After extends StartedState> = {
  name: string;
  mayRepeat?: boolean;
  /** The names of the stages that are complete before it. */
  before: readonly string[];
  /** The names of those that are complete after it. */
  after: readonly string[] | ((state: After) => readonly string[]);
  /** Returns the state that it gets if there is nothing to do. */
  next(state: Before, run: StageRun): Promise<After>;
  advice?(state: After): Advice;
  /** In place of a checkpoint: the last stage stores the result. */
  store?(state: After, run: StageRun): Promise<object>;
};

/** Makes a stage of a function from one state to the next: it resumes the state, stores the next one, and keeps what was reached if it fails. */
export const stageOf = <Before extends StartedState, After extends StartedState>(
  setting: ResearchSetting,
  parts: StageParts<Before, After>,
): Stage => ({
  name: parts.name,
  ...definedFields({ mayRepeat: parts.mayRepeat }),
  async run(work, carried) {
    const { ports, request } = setting;
    // Only the first stage has no stored state to go on from.
    const state = await resumeState<Before>(ports, carried, () => initialState(request) as Before);
    const { address, signal } = work;
    const run: StageRun = {
      ...{ ...setting, work, activity: activityRecorder(ports.clock), calls: noCalls() },
      applyRule: ruleApplier(ports.documents, { organization: address.organization, signal }),
    };
    const next = await keepStateOnFailure(state, () => parts.next(state, run)).catch((error: StageCutShort) =>
      failWithPartial(run, parts.before, error),
    );
    if ((next as StartedState) === state) return carried;
    const after = withCalls(next, run.calls);
    const stages = typeof parts.after === 'function' ? parts.after(after) : parts.after;
    const activity = closeActivity(run, toReportable(after));
    if (parts.store) return { ...(await parts.store(after, run)), activity };
    const stored = await checkpoint(run, { state: after, stages });
    return { ...stored, ...adviceOf(run, parts.advice?.(after)), activity };
  },
});

const GATHERING = 'gathering';
const NOTHING_FOUND =
  'Nothing was found that answers the query: name other sources, attach files, or let your operator set up web search.';

/** The report without results and files. */
export function reportOf(
  request: ResearchRequest,
  { state, stages }: Progress<ReportableState>,
): Omit<AgentReport, 'results' | 'files'> {
  const { sources, documents, findings, written, queries } = state;
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
    confidence: confidenceIn(request, state),
    effort: effortIn(request, { state, stages }),
    byRole: state.work.byRole,
    warnings: [
      ...(request.hasModel ? [] : [PASSAGES_ONLY]),
      ...(outcomeOf(state) === 'nothing_found' ? [NOTHING_FOUND] : []),
      ...misspeltSections(request.deliverables),
      ...(state.previous?.isGone ? [request.texts.previousGone] : []),
      ...scopeNotes(request, state),
      ...unusableNotesIn(request.texts, state),
    ],
  };
}

/** Where no model has answered, a repetition costs only its time, unless the stage knows of another price. */
const adviceOf = ({ calls }: StageRun, advice: Advice = {}): Advice => ({
  ...(calls.byRole.length === 0 ? { mayRepeat: true } : {}),
  ...advice,
});

type Progress<State extends StartedState> = { state: State; stages: readonly string[] };

/** This report is what the task shows, however it goes on from here. */
async function checkpoint<State extends StartedState>(
  { ports, request, work: { address } }: StageRun,
  { state, stages }: Progress<State>,
): Promise<Checkpoint<State>> {
  const published = publishedSoFar(request, toReportable(state));
  const results = resultsOf(request, published);
  const report = reportOf(request, { state: published, stages });
  return storeCheckpoint(ports, address, { known: state, report, results, shortResults: shortenedReport(results) });
}

/** What a stage had come to when it failed was paid for: it is the partial result. */
async function failWithPartial(
  { ports, request, work, calls }: StageRun,
  stages: readonly string[],
  { state, cause }: StageCutShort,
): Promise<never> {
  if (!(cause instanceof TaskFailure)) throw cause;
  // A task that waits shows nothing yet: it goes on from its last checkpoint.
  if (cause.wait) throw cause;
  const published = publishedSoFar(request, toReportable(withCalls(state, calls)));
  const results = resultsOf(request, published);
  const report = reportOf(request, { state: published, stages });
  const parts = { report, results, shortResults: shortenedReport(results), written: [] };
  const { code, message, mayPass } = cause;
  throw new TaskFailure(code, message, { cause, mayPass, partial: await storeResult(ports, work.address, parts) });
}

/** What the stage did, with what is used of the budget by now. A stage that did nothing used nothing. */
function closeActivity({ ports, request, activity }: StageRun, state: ReportableState): StageActivity {
  if (activity.take().events.length === 0) return activity.take();
  const { rounds, startedAt = ports.clock.now(), byRole } = state.work;
  const { depth, analysis } = request;
  const used = {
    rounds,
    documents: state.documents.filter(({ status }) => status === 'read').length,
    findings: state.findings.length,
    tokens: byRole.reduce((sum, usage) => sum + usage.input_tokens + usage.output_tokens, 0),
    minutes: Math.floor((ports.clock.now() - startedAt) / MINUTE_MS),
    requests: state.queries,
  };
  const limits = {
    rounds: depth.rounds,
    documents: depth.documents + (depth.rounds - 1) * depth.moreDocuments,
    findings: analysis.findings,
    tokens: depth.tokens,
    minutes: depth.minutes,
  };
  activity.record({ kind: 'budget', used, limits });
  return activity.take();
}

function effortIn({ depth }: ResearchRequest, { state, stages }: Progress<ReportableState>): Effort {
  const { rounds, documents, moreDocuments, tokens, minutes } = depth;
  const { byRole: _, startedAt: __, ...counts } = state.work;
  return {
    ...counts,
    ended_by: counts.ended_by ?? (stages.includes('writing') ? endOf(state) : null),
    budget: { rounds, documents: documents + (rounds - 1) * moreDocuments, tokens, minutes },
  };
}

/** Why the rounds ended that no further one was refused. */
function endOf({ plan, sources, work }: ReportableState): Effort['ended_by'] {
  if (plan?.subQuestions.every(({ status }) => status === 'covered')) return 'covered';
  return work.rounds > 1 || sources.some(({ source }) => source === WEB_SEARCH) ? 'rounds' : 'no_search';
}
