/** The agent behind `input.type: "chat"`: reads the attached files, works through the workflow steps, answers or fills a record. */

import { getHeapStatistics } from 'node:v8';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Documents } from '../../engines/documents/documents.ts';
import type { FileReader } from '../../engines/documents/file-reader.ts';
import { keylessAnswer, MAX_PASSAGES, PASSAGES_ONLY } from '../../engines/models/keyless.ts';
import type { ModelOf } from '../../engines/models/models.ts';
import type { QueuedRender } from '../../engines/reports/report-document.ts';
import { type Semaphore, semaphore } from '../../shared/core/semaphore.ts';
import type { WorkflowStep } from '../../shared/knowledge/workflows.ts';
import type { Blobs, Clock, Ids, Table } from '../../shared/ports.ts';
import type { Agent, Stage, Work } from '../../shared/tasks/agent.ts';
import { type ChatInput, withWarnings } from '../../shared/tasks/details.ts';
import type { Result } from '../../shared/tasks/results.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import { ruleApplier } from '../apply-rule.ts';
import { CHAT_PROMPT, type StepResult } from '../prompts/chat.ts';
import { verifierOf } from '../verification/verifier.ts';
import { fileWriter } from '../write-files.ts';
import { answerChecker, type CheckAnswer } from './answer-checker.ts';
import { loadQueryFiles, readAttached } from './attached-files.ts';
import { joinedParts } from './document-pages.ts';
import { fileCache } from './file-cache.ts';
import { chatRecordStages, type StepsDone } from './record-stages.ts';
import { rulesetsOf } from './rulesets.ts';
import { deliveredSteps, stepFiles, withSteps } from './step-results.ts';
import { storeArchive } from './store-archive.ts';
import {
  passagesOf,
  type SavedFile,
  shownPictures,
  type Workspace,
  type WorkspaceFile,
  warningsOf,
} from './workspace.ts';

export type ChatPorts = {
  table: Table;
  blobs: Blobs;
  clock: Clock;
  ids: Ids;
  documents: Documents;
  fileReader: FileReader;
  render: QueuedRender;
  modelOf: ModelOf;
  /** Returns true if the model accepts images. The text in images is extracted for every model. */
  acceptsImages(id: string): boolean;
  /** How many tokens of a document the model is shown whole; without it, the usual number. */
  wholeTokens?(id: string): number;
};

/** The share of the first step's progress that reading files takes; the model's work is the rest. */
const READING_SHARE = 0.5;

/** A character takes one or two bytes, and searching the text takes as much again. */
const HEAP_BYTES_EACH = 8;

export const chatAgent = (ports: ChatPorts, memory = chatMemory()): Agent => {
  return {
    checkpointVersion: 1,
    stages(stored) {
      const input = stored as ChatInput;
      const { fileIds, outputSchema } = input;
      // With a schema, the record is the answer to the prompt; the steps of workflows come before it.
      const defaultSteps = outputSchema ? [] : [undefined];
      const steps: readonly (WorkflowStep | undefined)[] = input.steps.length > 0 ? input.steps : defaultSteps;
      const readFiles = (work: Work) =>
        readAttached(ports, {
          organization: work.address.organization,
          fileIds,
          pictures: ports.acceptsImages(input.model),
          memory,
          signal: work.signal,
          report: (share) => work.report(share * READING_SHARE),
        });
      const withFiles = fileIds.length > 0 ? fileCache(memory, readFiles) : withoutFiles;
      const stepStages = steps.map((step, at): Stage => {
        const isLast = !outputSchema && at === steps.length - 1;
        return {
          name: step ? step.name : 'answering',
          async run(work, carried) {
            const before = carried as StepState;
            const stepState = await withFiles(work, (files) =>
              runStep(ports, { work, input, step, number: at + 1, files, before }),
            );
            return isLast ? resultOf(ports, { work, input, state: stepState }) : stepState;
          },
        };
      });
      if (!outputSchema) return stepStages;
      const resultsOfSteps = (stepState: StepsDone) => resultsBefore(input, input.steps.length + 1, stepState);
      return [...stepStages, ...chatRecordStages({ ports, input, withFiles, resultsOfSteps })];
    },
  };
};

/** The state that one step hands to the next. */
type StepState = StepsDone & {
  /** There was no language model. */
  isPassagesOnly?: true;
  /** The results before `text`. Checkpoints of version 0.1.0 have none. */
  earlier?: StepResult[];
};

const maxCharacters = (): number => Math.floor(getHeapStatistics().heap_size_limit / HEAP_BYTES_EACH);

const withoutFiles = <T>(_: Work, run: (files: WorkspaceFile[]) => Promise<T>): Promise<T> => run([]);

/** Limits the file content that all chats of this process hold, in characters. */
const chatMemory = (): Semaphore => semaphore({ name: 'chatMemory', capacity: maxCharacters() });

let modelLoop: Promise<typeof import('./model-loop.ts')> | undefined;

/**
 * Loads the model library once, and only in a process that runs a task: it costs more start-up time than everything
 * else.
 */
function loadModelLoop() {
  modelLoop ??= import('./model-loop.ts');
  return modelLoop;
}

type StepRun = {
  work: Work;
  input: ChatInput;
  step: WorkflowStep | undefined;
  /** From 1. */
  number: number;
  files: WorkspaceFile[];
  before?: StepState;
};

/** Several passages may stand in one place, and a search names at least ten places. */
const MAX_SEARCH_PASSAGES = 60;

/** Searches in the threads, where a text of a stranger cannot hold up others. */
const applierFor = (ports: ChatPorts, { address: { organization }, signal }: Work) =>
  ruleApplier(ports.documents, { organization, signal });

/** Without a language model, a step shows the passages nearest to its instruction. */
async function showPassages(ports: ChatPorts, { work, input, step, files }: StepRun): Promise<string> {
  const passages = passagesOf(files);
  // A thread costs a chat without files more than everything else does.
  if (passages.length === 0) return keylessAnswer({ nearest: [], leading: [] });
  const applyRule = applierFor(ports, work);
  const query = step ? step.instruction : input.prompt;
  const nearest = await applyRule('searchPassages', { query, passages, limit: MAX_PASSAGES });
  const leading =
    nearest?.length === 0 ? await applyRule('leadingPassages', { passages, limit: MAX_PASSAGES }) : undefined;
  return keylessAnswer({ nearest, leading });
}

async function runStep(ports: ChatPorts, stepRun: StepRun): Promise<StepState> {
  const { work, input, step, number, files, before } = stepRun;
  const earlier = before ? resultsBefore(input, number, before) : [];
  const model = await ports.modelOf(input.model, work, input.reasoningEffort);
  if (!model) return { text: await showPassages(ports, stepRun), saved: [], earlier, isPassagesOnly: true };
  const { runModelLoop: workThrough } = await loadModelLoop();
  const saved = new Map(before?.saved.map((file) => [file.name, file]));
  const rulesets = await rulesetsOf(ports.table, work.address.organization, input.rulesets);
  const { signal, address } = work;
  const request = { organization: address.organization, signal };
  const workspace: Workspace = {
    files,
    rulesets,
    saved,
    toolResults: [],
    written: new Map(),
    query: (sql) => ports.documents.query(async () => ({ files: await loadQueryFiles(files, signal), sql }), request),
    search: async (query, passages) =>
      (await applierFor(ports, work)('searchPassages', { query, passages, limit: MAX_SEARCH_PASSAGES })) ?? [],
    render: (...document) => ports.render(...document, request),
    writeWorkbook: (sheets) => fileWriter(ports.documents, request)('writeWorkbook', sheets),
    now: () => ports.clock.now(),
  };
  const { text, warnings } = await workThrough({
    model,
    workspace,
    request: step ? step.instruction : input.prompt,
    ...(step ? { step: { number, names: input.steps.map(({ name }) => name), wholeTask: input.prompt } } : {}),
    earlier,
    check: files.length > 0 ? await checkerFor(ports, stepRun, { model, workspace, earlier }) : undefined,
    signal: work.signal,
  }).catch(async (error) => {
    throw await withPartial(ports, { work, input, error, earlier, saved: [...saved.values()] });
  });
  const allWarnings = [...(before?.warnings ?? []), ...warnings];
  return { text, saved: [...saved.values()], earlier, promptVersion: CHAT_PROMPT, ...withWarnings(allWarnings) };
}

type Answering = { model: LanguageModelV4; workspace: Workspace; earlier: readonly StepResult[] };

/** Compares the answer with the files, and with what else the model was given: the request, the rulesets, earlier results. */
async function checkerFor(
  ports: ChatPorts,
  stepRun: StepRun,
  { model, workspace, earlier }: Answering,
): Promise<CheckAnswer> {
  const { work, input, step, files } = stepRun;
  const verifying = { modelOf: ports.modelOf, effort: input.reasoningEffort, answeredBy: input.model };
  const otherSources = [
    { name: 'the request', text: [input.prompt, step?.instruction ?? ''].join('\n\n') },
    ...workspace.rulesets,
    ...earlier.map(({ number, text }) => ({ name: `the result of step ${number}`, text })),
  ];
  return answerChecker({
    applyRule: applierFor(ports, work),
    sources: [
      ...files.map(({ name, pages }) => ({ name, parts: joinedParts(pages), isFile: true })),
      ...otherSources.map(({ name, text }) => ({ name, parts: [{ label: '', text }], isFile: false })),
    ],
    pictures: files.map(shownPictures),
    model,
    verifier: await verifierOf(verifying, input.verifyModel, work),
    verifierAcceptsImages: input.verifyModel !== undefined && ports.acceptsImages(input.verifyModel),
    now: ports.clock.now(),
    signal: work.signal,
  });
}

const resultsBefore = ({ steps }: ChatInput, number: number, { text, earlier = [] }: StepState): StepResult[] => [
  ...earlier,
  { number: number - 1, name: steps[number - 2]?.name ?? '', text },
];

type Interrupted = { work: Work; input: ChatInput; error: unknown; earlier: StepResult[]; saved: SavedFile[] };

/**
 * Adds the partial result to a failure: the last text of this step, else of the one before, the results of the steps that
 * were done, and the files. Steps that were done are delivered with any failure that no other attempt follows.
 */
async function withPartial(ports: ChatPorts, { work, input, error, earlier, saved }: Interrupted) {
  if (!(error instanceof TaskFailure)) return error;
  const steps = deliveredSteps(input, earlier);
  const isFinal = !error.mayPass && error.wait === undefined;
  if (!error.partial && !(isFinal && steps.length > 0)) return error;
  const text = error.partial?.text || earlier.at(-1)?.text;
  const files = [...saved, ...stepFiles(steps, saved)];
  const partial = {
    ...(text ? { text } : {}),
    ...withSteps(steps),
    ...(files.length > 0 ? { archive: await storeArchive(ports, work, files) } : {}),
  };
  return new TaskFailure(error.code, error.message, { cause: error.cause, partial });
}

type FinishedTask = { work: Work; input: ChatInput; state: StepState };

async function resultOf(ports: ChatPorts, { work, input, state }: FinishedTask): Promise<Result> {
  const { text, saved, promptVersion, isPassagesOnly, warnings = [] } = state;
  const steps = deliveredSteps(input, resultsBefore(input, input.steps.length + 1, state));
  const files = [...saved, ...stepFiles(steps, saved)];
  return {
    text,
    ...withSteps(steps),
    ...(promptVersion ? { promptVersion } : {}),
    ...(isPassagesOnly ? { isPassagesOnly } : {}),
    ...withWarnings([...(isPassagesOnly ? [PASSAGES_ONLY] : []), ...warningsOf(saved), ...warnings]),
    ...(files.length > 0 ? { archive: await storeArchive(ports, work, files) } : {}),
  };
}
