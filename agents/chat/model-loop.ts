/** A step of a task with its model: calls of tools, an answer, its check and one repair, within limits of steps, tokens and time. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { generateText, isStepCount, type ModelMessage } from 'ai';
import { toSafeCsv } from '../../engines/outputs/escape-csv.ts';
import { toInactiveHtml } from '../../engines/outputs/escape-html.ts';
import { addressesIn, toInert } from '../../engines/outputs/inert-markdown.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import {
  ANSWER_MISSING,
  chatInstructions,
  earlierResults,
  LAST_TURN,
  type PromptStep,
  repairRequest,
  type StepResult,
} from '../prompts/chat.ts';
import { type AnswerCheck, type AnswerFault, type CheckAnswer, checkWarnings, THE_ANSWER } from './answer-checker.ts';
import { filesOutline } from './outline.ts';
import { pictureShow } from './pictures.ts';
import type { AnswerText } from './rules/compared-answer.ts';
import { toolsFor } from './tools.ts';
import { passagesOf, type SavedFile, type Workspace } from './workspace.ts';

const AGENT_LIMITS = { steps: 40, repairSteps: 10, answerTokens: 8_000, allTokens: 1_000_000 } as const;

export type LoopResult = { text: string; warnings: string[] };

/** Asks for the answer, has it checked, and returns what is not confirmed to the model once. */
export async function runModelLoop(input: LoopInput): Promise<LoopResult> {
  const { workspace, request, step, earlier = [] } = input;
  const userTexts = [request, ...earlierResults(earlier)];
  const conversation = openConversation(input, userTexts);
  const words = [request, step?.wholeTask ?? ''];
  let answer: string | undefined;
  try {
    answer = await conversation.answerTo([]);
    const check = await checkAnswer(input, answer);
    const repaired = check?.faults.length ? await repairedAnswer(conversation, check.faults) : undefined;
    if (repaired === undefined) return finishLoop(input, answer, words, check);
    answer = repaired;
    return finishLoop(input, answer, words, (await checkAnswer(input, answer)) ?? check);
  } catch (error) {
    // The answer is there: that nobody could look at it a second time does not take it away.
    if (answer !== undefined && isRefused(error)) return finishLoop(input, answer, words, undefined);
    if (!(error instanceof TaskFailure) || !(error.code === 'BUDGET_EXCEEDED' || error.partial)) throw error;
    const text = makeOutputSafe(workspace, answer ?? conversation.lastText(), words);
    throw new TaskFailure(error.code, error.message, { partial: { text } });
  }
}

/**
 * Makes the answer and the saved files safe to open: see `toInert` for links and `engines/outputs/escape-*.ts` for the other formats.
 */
export function makeOutputSafe({ files, rulesets, saved }: Workspace, text: string, words: string[]): string {
  let addresses: Set<string> | undefined;
  const knownAddresses = () => {
    const visibleTexts = passagesOf(files).map((passage) => passage.text);
    addresses ??= addressesIn([...words, ...rulesets.map((ruleset) => ruleset.text), ...visibleTexts]);
    return addresses;
  };
  for (const file of saved.values()) {
    saved.set(file.name, { ...file, text: safeText(file, knownAddresses) });
  }
  return toInert(text, knownAddresses);
}

type LoopInput = {
  model: LanguageModelV4;
  workspace: Workspace;
  request: string;
  /** Set if `request` is only one step of a task. */
  step?: PromptStep | undefined;
  /** The results of all earlier steps, as material for this one. */
  earlier?: readonly StepResult[];
  /** Without files there is nothing to check an answer by. */
  check?: CheckAnswer | undefined;
  signal: AbortSignal;
};

/** No later attempt would end otherwise. */
const isRefused = (error: unknown): boolean =>
  error instanceof TaskFailure && error.code === 'PROCESSING_FAILED' && !error.mayPass && error.wait === undefined;

const NOTHING_TO_CHECK: AnswerCheck = { faults: [], uncheckedCount: 0 };

const checkAnswer = async ({ workspace, check }: LoopInput, text: string): Promise<AnswerCheck | undefined> =>
  check
    ? check({
        texts: textsOf(text, workspace),
        toolResults: workspace.toolResults,
        savedNames: [...workspace.saved.keys()],
      })
    : NOTHING_TO_CHECK;

const finishLoop = (
  { workspace }: LoopInput,
  text: string,
  words: string[],
  check: AnswerCheck | undefined,
): LoopResult => ({
  text: makeOutputSafe(workspace, text, words),
  warnings: check ? checkWarnings(check) : [UNCHECKED],
});

const UNCHECKED = 'The answer could not be compared with its files; nobody looked at it a second time.';

/** Undefined if the model gives no better answer: the first one stands, with warnings. */
async function repairedAnswer(conversation: Conversation, faults: readonly AnswerFault[]): Promise<string | undefined> {
  try {
    return await conversation.answerTo([repairRequest(faults)], AGENT_LIMITS.repairSteps);
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}

/** The answer, and the files that this step saved and still has. */
const textsOf = (text: string, { saved, written }: Workspace): AnswerText[] => [
  { where: THE_ANSWER, text },
  ...[...written].flatMap(([name, statements]) => (saved.has(name) ? [{ where: name, text: statements }] : [])),
];

/** What the model is asked and answers in one step of a task, over one list of messages. */
type Conversation = {
  /** The next answer, after calls of tools; `requests` are said first. */
  answerTo(requests: readonly string[], steps?: number): Promise<string>;
  /** The last text that the model wrote, also one beside a call of a tool. */
  lastText(): string;
};

function openConversation({ model, workspace, step, signal }: LoopInput, userTexts: readonly string[]): Conversation {
  const instructions = chatInstructions({ workspace, now: workspace.now(), step }).join('\n\n');
  const pictures = pictureShow(workspace);
  const outline = workspace.files.length > 0 ? filesOutline(workspace.files) : undefined;
  const tools = toolsFor(workspace, { pictures, isOutlineShortened: outline?.isShortened ?? false });
  const texts = [...userTexts, ...(outline ? [outline.text] : [])];
  const messages: ModelMessage[] = [{ role: 'user', content: [...texts.map(textPart), ...pictures.parts()] }];
  let lastText = '';
  let calls = 0;
  let spent = 0;
  const hasSpentAll = () => spent > allTokens;

  async function runTurn(steps: number) {
    const generation = await generateText({
      model,
      instructions,
      messages,
      tools,
      // Tools stay in the request, because the Bedrock library would drop their results without them.
      prepareStep({ stepNumber, messages: allMessages }) {
        const shownMessages = calls === 0 ? allMessages : pictures.laterMessages(allMessages);
        const isLast = stepNumber === steps - 1 || spent > LAST_STEP_SHARE * allTokens;
        return { messages: isLast ? [...shownMessages, { role: 'user', content: LAST_TURN }] : shownMessages };
      },
      stopWhen: [isStepCount(steps), hasSpentAll],
      maxOutputTokens: AGENT_LIMITS.answerTokens,
      maxRetries: 0, // the model retries by itself
      telemetry: { isEnabled: false }, // prompts and responses are private
      onStepEnd: ({ text, usage }) => {
        calls++;
        spent += usage.totalTokens ?? 0;
        if (text.trim() !== '') lastText = text;
      },
      abortSignal: signal,
    });
    messages.push(...generation.responseMessages.filter(({ content }) => content.length > 0));
    return generation;
  }

  return {
    lastText: () => lastText,
    async answerTo(requests, steps = AGENT_LIMITS.steps) {
      messages.push(...requests.map((content) => ({ role: 'user', content }) as const));
      let { text, finishReason } = await runTurn(steps);
      if (isNoAnswer(finishReason, text)) {
        messages.push({ role: 'user', content: ANSWER_MISSING });
        ({ text, finishReason } = await runTurn(steps));
      }
      if (finishReason in CUT_SHORT || text.trim() === '') throw unfinishedFailure(finishReason, hasSpentAll());
      return text;
    },
  };
}

/** An answer that is empty or withheld may be another one when it is asked for again. */
const isNoAnswer = (finishReason: string, text: string): boolean =>
  finishReason === 'content-filter' || (!(finishReason in CUT_SHORT) && text.trim() === '');

const MARKDOWN = /\.(md|markdown)$/i;
const TABLE = /\.(csv|tsv|tab)$/i;
const HTML = /\.html?$/i;

/** Files from a report or table writer are safe already. */
function safeText({ name, text, base64 }: SavedFile, knownAddresses: () => Set<string>): string {
  if (base64 !== undefined) return text;
  if (MARKDOWN.test(name)) return toInert(text, knownAddresses);
  if (TABLE.test(name)) return toSafeCsv(text);
  return HTML.test(name) ? toInactiveHtml(text) : text;
}

const textPart = (text: string) => ({ type: 'text', text }) as const;

/** From this share of the tokens on, the model must answer with what it has. */
const LAST_STEP_SHARE = 0.9;

const { steps: MAX_STEPS, answerTokens, allTokens } = AGENT_LIMITS;
/** Finish reasons that fail the task: a reader could not tell that the answer was cut short. */
const CUT_SHORT: Record<string, string> = {
  'tool-calls': `The model did not finish within ${MAX_STEPS} steps; make the task smaller or name another model.`,
  length: `The answer exceeds the limit of ${answerTokens.toLocaleString('en-US')} tokens; ask for less at a time.`,
  'content-filter': "The model's provider withheld the answer; rephrase the task or name another model.",
  error: 'The model’s answer broke off. Submit the task again later or use another model.',
};
const ALL_SPENT = `The model did not finish within ${allTokens.toLocaleString('en-US')} tokens; make the task smaller or name another model.`;
const NO_ANSWER = 'The model returned no answer; rephrase the task or name another model.';

function unfinishedFailure(reason: string, spentAll: boolean): TaskFailure {
  const why = reason === 'tool-calls' && spentAll ? ALL_SPENT : (CUT_SHORT[reason] ?? NO_ANSWER);
  // The work reached a limit of the agent, so the partial result is delivered.
  return new TaskFailure('PROCESSING_FAILED', why, reason === 'tool-calls' ? { partial: {} } : {});
}
