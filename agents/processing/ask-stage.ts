/** Asks the model about the documents of a task, some side by side: instructions, open fields of records, summaries and classes. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { DocumentPart } from '../../engines/documents/document.ts';
import type { Stage, Work } from '../../shared/tasks/agent.ts';
import { ruleApplier } from '../apply-rule.ts';
import { readStoredJson } from '../checkpoints.ts';
import { PROCESSING_PROMPT } from '../prompts/processing.ts';
import { fillRecord } from '../records/fill-record.ts';
import { finishRecord } from '../records/finish-record.ts';
import { restoredFindings } from '../records/stored-findings.ts';
import { testPatternsBy } from '../records/test-patterns.ts';
import { verifierOf } from '../verification/verifier.ts';
import { classifyByModel } from './classification.ts';
import { type ConcurrentWork, startConcurrently } from './concurrent-work.ts';
import { answerInstructions, passagesFor, toPromptPicture } from './instructions.ts';
import { checkUsable } from './read-stage.ts';
import { checkpoint, type ProcessingSetting, resume } from './stages.ts';
import { isProcessed, type ProcessedDocument, type ProcessingState, type StoredPicture } from './state.ts';
import { summarizeByModel } from './summaries.ts';

/**
 * Asks about a group of documents, given by their indexes. Each stage ends as soon as one more document is done, and is
 * stored at once: whatever happens to the others, no finished document is asked about and paid for twice.
 */
export function askStages(setting: ProcessingSetting, group: readonly number[], isLast: boolean): Stage[] {
  let asking: ConcurrentWork<AskResult> | undefined;
  return group.map((_, before): Stage => {
    const isEnd = isLast && before === group.length - 1;
    return {
      name: 'asking',
      mayRepeat: !setting.plan.hasModel,
      async run(work, carried) {
        const state = await resume(setting, carried);
        checkUsable(state.documents);
        // A worker that takes over in the middle of a group asks only about what is still open.
        asking ??= await askOpen(setting, work, { state, open: group.filter((at) => isOpen(state, at)) });
        await asking.until(before + 1 - (group.length - asking.size));
        const answers = [...asking.outcomes.values()].filter(({ at }) => isOpen(state, at));
        // The stage before may have taken the answers about several documents.
        if (answers.length === 0 && !isEnd) return carried;
        const stages = isEnd ? ['reading', 'asking'] : ['reading'];
        return checkpoint(setting, work.address, { state: withAnswers(state, answers), stages });
      },
    };
  });
}

/** The text of a document is kept until it was asked about. */
const isOpen = ({ texts }: ProcessingState, at: number): boolean => texts[at + 1] !== undefined;

type OpenDocuments = { state: ProcessingState; open: readonly number[] };

async function askOpen(setting: ProcessingSetting, work: Work, { state, open }: OpenDocuments) {
  const { ports, input } = setting;
  const effort = input.asked.reasoning_effort;
  const model = await ports.modelOf(input.model, work, effort);
  const verifier =
    model && (await verifierOf({ modelOf: ports.modelOf, effort, answeredBy: input.model }, input.verifyModel, work));
  const request = { organization: work.address.organization, signal: work.signal };
  return startConcurrently(open, (at) => askDocument(setting, request, { before: state, at, model, verifier }));
}

type AskRequest = { organization: string; signal: AbortSignal };
type DocumentQuestion = {
  before: ProcessingState;
  at: number;
  model: LanguageModelV4 | undefined;
  verifier: LanguageModelV4 | undefined;
};

/** What the model added to one document, with the number of its answers and of the questions without a usable one. */
type AskResult = { at: number; document: ProcessedDocument | undefined; calls: number; unusable: number };

async function askDocument(
  { ports, plan, input }: ProcessingSetting,
  request: AskRequest,
  { before, at, model, verifier }: DocumentQuestion,
): Promise<AskResult> {
  const state = before.documents[at];
  const textAt = before.texts[at + 1];
  const result: AskResult = { at, document: undefined, calls: 0, unusable: 0 };
  if (!state || !isProcessed(state) || textAt === undefined) return result;
  let document = state;
  const add = (more: Partial<ProcessedDocument>, { calls, unusable }: Pick<AskResult, 'calls' | 'unusable'>) => {
    document = { ...document, ...more };
    result.calls += calls;
    result.unusable += unusable;
  };
  const { signal } = request;
  const allParts = await readStoredJson<DocumentPart[]>(ports, textAt);
  const { name } = document;
  const { instructions, record } = plan;
  const now = ports.clock.now();
  const applyRule = ruleApplier(ports.documents, request);
  const pictures = model ? await picturesOf(ports, before, at) : [];
  if (instructions.length > 0) {
    const about = { name, parts: allParts, instructions, applyRule };
    const answers = model
      ? await answerInstructions({ ...about, model, verifier, pictures, now, signal })
      : await passagesFor(about);
    const { values, share } = answers;
    add({ values: [...document.values, ...values], asked: instructions.map(() => share) }, answers);
  }
  if (!model) return { ...result, document };
  const parts = allParts.filter(({ hidden }) => !hidden);
  const about = { document: at + 1, applyRule, signal, model, verifier, name, now, parts };
  if (record) {
    const wholeTokens = ports.wholeTokens?.(input.model);
    const verifierAcceptsImages = input.verifyModel !== undefined && ports.acceptsImages(input.verifyModel);
    const promptPictures = pictures.map(toPromptPicture);
    const question = {
      model,
      verifier,
      verifierAcceptsImages,
      name,
      now,
      signal,
      wholeTokens,
      pictures: promptPictures,
    };
    const fillRequest = { plan: record, parts, document: at + 1, applyRule, question };
    const { changes, ...counts } = await recordByModel(ports, request, fillRequest);
    add(changes, counts);
  }
  // What was found without the model stays where it gave no usable answer.
  if (plan.length) {
    const { summary, ...counts } = await summarizeByModel({ ...about, length: plan.length });
    add(summary.length > 0 ? { summary } : {}, counts);
  }
  if (plan.labels) {
    const { documentClass, ...counts } = await classifyByModel({ ...about, labels: plan.labels });
    add(documentClass ? { class: documentClass } : {}, counts);
  }
  return { ...result, document };
}

/** The record of one document, as the model and a second look fill it. */
async function recordByModel(
  ports: ProcessingSetting['ports'],
  request: AskRequest,
  fillRequest: Parameters<typeof fillRecord>[0],
) {
  const { plan } = fillRequest;
  const testPatterns = testPatternsBy(ports.documents, request);
  const { findings, read, calls, unusable } = await fillRecord(fillRequest);
  const record = await finishRecord({ plan, testPatterns }, restoredFindings(plan, findings));
  return { changes: { record, ...(read ? { read_places: read } : {}) }, calls, unusable };
}

async function picturesOf(
  ports: ProcessingSetting['ports'],
  { pictures }: ProcessingState,
  at: number,
): Promise<StoredPicture[]> {
  const picturesAt = pictures?.[at + 1];
  return picturesAt === undefined ? [] : readStoredJson<StoredPicture[]>(ports, picturesAt);
}

/** The state after some documents, whose texts and pictures are not needed any more. */
function withAnswers(before: ProcessingState, answers: readonly AskResult[]): ProcessingState {
  const state: ProcessingState = {
    ...before,
    documents: [...before.documents],
    texts: { ...before.texts },
    pictures: { ...before.pictures },
  };
  for (const { at, document, calls, unusable } of answers) {
    if (document) state.documents[at] = document;
    state.queries += calls;
    if (calls > 0) state.promptVersion = PROCESSING_PROMPT;
    if (unusable > 0) state.unusable = (state.unusable ?? 0) + unusable;
    delete state.texts[at + 1];
    delete state.pictures?.[at + 1];
  }
  return state;
}
