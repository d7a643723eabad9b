/** Asks the model about the documents of a task, some side by side: instructions, open fields of records, summaries and classes. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { DocumentPart } from '../../engines/documents/document.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import { PROCESSING_PROMPT } from '../prompts/processing.ts';
import { fillRecord } from '../records/fill-record.ts';
import { finishRecord } from '../records/finish-record.ts';
import { restoredFindings } from '../records/merge-findings.ts';
import { testPatternsBy } from '../records/test-patterns.ts';
import { readJson } from '../runtime.ts';
import { ruleApplier } from '../text-work.ts';
import { verifierOf } from '../verification/verifier.ts';
import { classifyByModel } from './classification.ts';
import { answerInstructions, passagesFor, shownPicture } from './instructions.ts';
import { checkUsable } from './read-stage.ts';
import { checkpoint, type ProcessingSetting, resume } from './stages.ts';
import { isProcessed, type KeptPicture, type Processed, type ProcessingState } from './state.ts';
import { summarizeByModel } from './summaries.ts';

/** Asks about a group of documents, given by their indexes; the answers of all are one checkpoint. */
export const askStage = (setting: ProcessingSetting, group: readonly number[], isLast: boolean): Stage => ({
  name: 'asking',
  async run(work, carried) {
    const { ports, input } = setting;
    const { address, report } = work;
    const before = await resume(setting, carried);
    checkUsable(before.documents);
    const model = await ports.modelOf(input.model, work, input.asked.reasoning_effort);
    const effort = input.asked.reasoning_effort;
    const verifier = model && (await verifierOf({ modelOf: ports.modelOf, effort }, input.verifyModel, work));
    let done = 0;
    const answers = await sideBySide(work.signal, group, async (at, signal) => {
      const answer = await askDocument(
        setting,
        { organization: address.organization, signal },
        { before, at, model, verifier },
      );
      done++;
      report(done / group.length);
      return answer;
    });
    const known = withAnswers(before, answers);
    if (model && known.queries > before.queries) known.promptVersion = PROCESSING_PROMPT;
    return checkpoint(setting, address, { known, stages: isLast ? ['reading', 'asking'] : ['reading'] });
  },
});

/**
 * The results in the order of the entries, whichever ends first. A failure aborts the others and is thrown once they have
 * ended, so that nothing is paid for behind the task's back.
 */
async function sideBySide<Entry, Answer>(
  signal: AbortSignal,
  entries: readonly Entry[],
  work: (entry: Entry, signal: AbortSignal) => Promise<Answer>,
): Promise<Answer[]> {
  const failing = new AbortController();
  const either = AbortSignal.any([signal, failing.signal]);
  let failure: { cause: unknown } | undefined;
  const results = await Promise.all(
    entries.map(async (entry) => {
      try {
        return [await work(entry, either)];
      } catch (cause) {
        failure ??= { cause };
        failing.abort(cause);
        return [];
      }
    }),
  );
  if (failure) throw failure.cause;
  return results.flat();
}

type Asking = { organization: string; signal: AbortSignal };
type Turn = {
  before: ProcessingState;
  at: number;
  model: LanguageModelV4 | undefined;
  verifier: LanguageModelV4 | undefined;
};

/** What the model added to one document, with the number of its answers and of the questions without a usable one. */
type Answered = { at: number; document: Processed | undefined; calls: number; unusable: number };

async function askDocument(
  { ports, plan, input }: ProcessingSetting,
  request: Asking,
  { before, at, model, verifier }: Turn,
): Promise<Answered> {
  const state = before.documents[at];
  const textAt = before.texts[at + 1];
  const answered: Answered = { at, document: undefined, calls: 0, unusable: 0 };
  if (!state || !isProcessed(state) || textAt === undefined) return answered;
  let document = state;
  const add = (more: Partial<Processed>, { calls, unusable }: Pick<Answered, 'calls' | 'unusable'>) => {
    document = { ...document, ...more };
    answered.calls += calls;
    answered.unusable += unusable;
  };
  const { signal } = request;
  const all = await readJson<DocumentPart[]>(ports, textAt);
  const { name } = document;
  const { instructions, record } = plan;
  const now = ports.clock.now();
  const applyRule = ruleApplier(ports.documents, request);
  const pictures = model ? await picturesOf(ports, before, at) : [];
  if (instructions.length > 0) {
    const about = { name, parts: all, instructions, applyRule };
    const answers = model
      ? await answerInstructions({ ...about, model, verifier, pictures, now, signal })
      : await passagesFor(about);
    const { values, share } = answers;
    add({ values: [...document.values, ...values], asked: instructions.map(() => share) }, answers);
  }
  if (!model) return { ...answered, document };
  const parts = all.filter(({ hidden }) => !hidden);
  const about = { document: at + 1, applyRule, signal, model, verifier, name, now, parts };
  if (record) {
    const wholeTokens = ports.wholeTokens?.(input.model);
    const verifierSees = input.verifyModel !== undefined && ports.sees(input.verifyModel);
    const shown = pictures.map(shownPicture);
    const question = { model, verifier, verifierSees, name, now, signal, wholeTokens, pictures: shown };
    const asked = { plan: record, parts, document: at + 1, applyRule, question };
    const { known, ...counts } = await recordedBy(ports, request, asked);
    add(known, counts);
  }
  // What was found without the model stays where it gave no usable answer.
  if (plan.length) {
    const { summary, ...counts } = await summarizeByModel({ ...about, length: plan.length });
    add(summary.length > 0 ? { summary } : {}, counts);
  }
  if (plan.labels) {
    const { found, ...counts } = await classifyByModel({ ...about, labels: plan.labels });
    add(found ? { class: found } : {}, counts);
  }
  return { ...answered, document };
}

/** The record of one document, as the model and a second look fill it. */
async function recordedBy(ports: ProcessingSetting['ports'], request: Asking, asked: Parameters<typeof fillRecord>[0]) {
  const { plan } = asked;
  const testPatterns = testPatternsBy(ports.documents, request);
  const { findings, read, calls, unusable } = await fillRecord(asked);
  const record = await finishRecord({ plan, testPatterns }, restoredFindings(plan, findings));
  return { known: { record, ...(read ? { read_places: read } : {}) }, calls, unusable };
}

async function picturesOf(
  ports: ProcessingSetting['ports'],
  { pictures }: ProcessingState,
  at: number,
): Promise<KeptPicture[]> {
  const picturesAt = pictures?.[at + 1];
  return picturesAt === undefined ? [] : readJson<KeptPicture[]>(ports, picturesAt);
}

/** The state after a group, whose texts and pictures are not needed any more. */
function withAnswers(before: ProcessingState, answers: readonly Answered[]): ProcessingState {
  const known: ProcessingState = {
    ...before,
    documents: [...before.documents],
    texts: { ...before.texts },
    pictures: { ...before.pictures },
  };
  for (const { at, document, calls, unusable } of answers) {
    if (document) known.documents[at] = document;
    known.queries += calls;
    if (unusable > 0) known.unusable = (known.unusable ?? 0) + unusable;
    delete known.texts[at + 1];
    delete known.pictures?.[at + 1];
  }
  return known;
}
