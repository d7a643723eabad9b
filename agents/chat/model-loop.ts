/** One request to the model with its loop of tool calls, within limits of steps, tokens and time. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { generateText, isStepCount } from 'ai';
import { addressesIn, inert, toInactiveHtml, toSafeCsv } from '../../engines/outputs/neutralize.ts';
import { TaskFailure } from '../../shared/tasks/agent.ts';
import { chatInstructions, earlierResults, type PromptStep, type StepResult } from '../prompts/chat.ts';
import { toolsFor } from './tools.ts';
import { passagesOf, type SavedFile, type Workspace } from './workspace.ts';

const AGENT_LIMITS = { steps: 40, answerTokens: 8_000, allTokens: 1_000_000 } as const;

type Asked = {
  model: LanguageModelV4;
  desk: Workspace;
  request: string;
  /** Set if `request` is only one step of a task. */
  step?: PromptStep | undefined;
  /** The results of all earlier steps, as material for this one. */
  earlier?: readonly StepResult[];
  signal: AbortSignal;
};

export async function workThrough({ model, desk, request, step, earlier = [], signal }: Asked): Promise<string> {
  const said = [request, ...earlierResults(earlier)];
  const words = [request, step?.wholeTask ?? ''];
  let written = '';
  const ended = generateText({
    model,
    instructions: chatInstructions({ desk, now: desk.now(), step }).join('\n\n'),
    messages: [{ role: 'user', content: [...said.map(textPart), ...picturesOf(desk)] }],
    tools: toolsFor(desk),
    // Tools stay in the request, because the Bedrock library would drop their results without them.
    prepareStep: ({ stepNumber, steps: done, messages }) =>
      stepNumber === MAX_STEPS - 1 || spentIn(done) > LAST_STEP_SHARE * allTokens
        ? { messages: [...messages, { role: 'user', content: FINISH }] }
        : {},
    stopWhen: [isStepCount(AGENT_LIMITS.steps), hasSpentAll],
    maxOutputTokens: AGENT_LIMITS.answerTokens,
    maxRetries: 0, // the model retries by itself
    telemetry: { isEnabled: false }, // prompts and responses are private
    onStepEnd: (done) => {
      if (done.text.trim() !== '') written = done.text;
    },
    abortSignal: signal,
  });
  try {
    const { text, finishReason, steps } = await ended;
    if (finishReason in CUT_SHORT || text.trim() === '') throw unfinished(finishReason, hasSpentAll({ steps }));
    return shown(desk, text, words);
  } catch (error) {
    if (!(error instanceof TaskFailure) || !(error.code === 'BUDGET_EXCEEDED' || error.partial)) throw error;
    throw new TaskFailure(error.code, error.message, { partial: { text: shown(desk, written, words) } });
  }
}

const MARKDOWN = /\.(md|markdown)$/i;
const TABLE = /\.(csv|tsv|tab)$/i;
const HTML = /\.html?$/i;

/**
 * Makes the answer and the saved files safe to open: see `inert` for links and `neutralize.ts` for the other formats.
 */
export function shown({ files, rulesets, saved }: Workspace, text: string, words: string[]): string {
  let given: Set<string> | undefined;
  const known = () => {
    const read = passagesOf(files).map((passage) => passage.text);
    given ??= addressesIn([...words, ...rulesets.map((ruleset) => ruleset.text), ...read]);
    return given;
  };
  for (const file of saved.values()) {
    saved.set(file.name, { ...file, text: withoutLinks(file, known) });
  }
  return inert(text, known);
}

/** Files from a report or table writer are safe already. */
function withoutLinks({ name, text, base64 }: SavedFile, known: () => Set<string>): string {
  if (base64 !== undefined) return text;
  if (MARKDOWN.test(name)) return inert(text, known);
  if (TABLE.test(name)) return toSafeCsv(text);
  return HTML.test(name) ? toInactiveHtml(text) : text;
}

const textPart = (text: string) => ({ type: 'text', text }) as const;

/**
 * Images go into the request, because tool results cannot carry images in OpenAI's protocol. They are referred to by
 * number, as file names are untrusted text.
 */
const picturesOf = ({ files }: Workspace) =>
  files.flatMap(({ pictures = [] }, at) =>
    pictures.flatMap(({ mimeType: mediaType, bytes: data, page }) => [
      textPart(`Picture of ${page === undefined ? '' : `page ${page} of `}file ${at + 1}:`),
      { type: 'file', mediaType, data } as const,
    ]),
  );

type Steps = { steps: readonly { usage: { totalTokens?: number | undefined } }[] };

const spentIn = (steps: Steps['steps']): number => steps.reduce((sum, { usage }) => sum + (usage.totalTokens ?? 0), 0);

const hasSpentAll = ({ steps }: Steps): boolean => spentIn(steps) > AGENT_LIMITS.allTokens;

/** From this share of the tokens on, the model must answer with what it has. */
const LAST_STEP_SHARE = 0.9;
const FINISH =
  'This is your last turn: calls of tools are not answered any more. Give the result with what you have, and say what is not done.';

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

function unfinished(reason: string, spentAll: boolean): TaskFailure {
  const why = reason === 'tool-calls' && spentAll ? ALL_SPENT : (CUT_SHORT[reason] ?? NO_ANSWER);
  // The work reached a limit of the agent, so the partial result is delivered.
  return new TaskFailure('PROCESSING_FAILED', why, reason === 'tool-calls' ? { partial: {} } : {});
}
