/** One request to the model, with its loop of tools, within limits of steps, tokens and time. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { generateText, isStepCount } from 'ai';
import { TaskFailure } from '../../../shared/tasks/agent.ts';
import { toInactiveHtml, toSafeCsv } from '../../outputs/neutralize.ts';
import type { SavedFile, Workspace } from './desk.ts';
import { addressesIn, inert } from './inert.ts';
import { instructionsFor } from './instructions.ts';
import { toolsFor } from './tools.ts';

const AGENT_LIMITS = { steps: 40, answerTokens: 8_000, allTokens: 1_000_000 } as const;

type Asked = {
  model: LanguageModelV4;
  desk: Workspace;
  request: string;
  /** When the request is one step of it. */
  wholeTask?: string;
  /** What the step before brought: material for this one. */
  handedOn?: string;
  signal: AbortSignal;
};

export async function workThrough({ model, desk, request, wholeTask, handedOn, signal }: Asked): Promise<string> {
  const said = [request, ...(handedOn === undefined ? [] : [`Result of the step before:\n\n${handedOn}`])];
  const { text, finishReason, steps } = await generateText({
    model,
    instructions: instructionsFor(desk, wholeTask),
    messages: [{ role: 'user', content: [...said.map(textPart), ...picturesOf(desk)] }],
    tools: toolsFor(desk),
    stopWhen: [isStepCount(AGENT_LIMITS.steps), hasSpentAll],
    maxOutputTokens: AGENT_LIMITS.answerTokens,
    maxRetries: 0, // the model itself tries again
    telemetry: { isEnabled: false }, // what is asked and answered is nobody else's
    abortSignal: signal,
  });
  if (finishReason in CUT_SHORT || text.trim() === '') throw unfinished(finishReason, hasSpentAll({ steps }));
  return shown(desk, text, [request, wholeTask ?? '']);
}

const MARKDOWN = /\.(md|markdown)$/i;
const TABLE = /\.(csv|tsv|tab)$/i;
const HTML = /\.html?$/i;

/** The answer and the saved files, made harmless: see `inert` for links and `neutralize.ts` for the other formats. */
function shown({ files, rulesets, saved }: Workspace, text: string, words: string[]): string {
  let given: Set<string> | undefined;
  const known = () => {
    const read = files.flatMap(({ pages }) => pages.flatMap(({ parts }) => parts.map((part) => part.text)));
    given ??= addressesIn([...words, ...rulesets.map((ruleset) => ruleset.text), ...read]);
    return given;
  };
  for (const file of saved.values()) {
    saved.set(file.name, { ...file, text: withoutLinks(file, known) });
  }
  return inert(text, known);
}

function withoutLinks({ name, text }: SavedFile, known: () => Set<string>): string {
  if (MARKDOWN.test(name)) return inert(text, known);
  if (TABLE.test(name)) return toSafeCsv(text);
  return HTML.test(name) ? toInactiveHtml(text) : text;
}

const textPart = (text: string) => ({ type: 'text', text }) as const;

/** With the request, because answers of tools carry no pictures in OpenAI's protocol. By number: a name is a stranger's word. */
const picturesOf = ({ files }: Workspace) =>
  files.flatMap(({ picture }, at) =>
    picture
      ? [
          textPart(`Picture of file ${at + 1}:`),
          { type: 'file', mediaType: picture.mimeType, data: picture.bytes } as const,
        ]
      : [],
  );

type Steps = { steps: readonly { usage: { totalTokens?: number | undefined } }[] };

const hasSpentAll = ({ steps }: Steps): boolean =>
  steps.reduce((sum, { usage }) => sum + (usage.totalTokens ?? 0), 0) > AGENT_LIMITS.allTokens;

const { steps: MOST_STEPS, answerTokens, allTokens } = AGENT_LIMITS;
/** An answer that was not brought to its end is none: whoever got it could not tell. */
const CUT_SHORT: Record<string, string> = {
  'tool-calls': `The model came to no end within ${MOST_STEPS} steps; make the task smaller or name another model.`,
  length: `The answer is longer than the ${answerTokens.toLocaleString('en-US')} tokens that it may have; ask for less at a time.`,
  'content-filter': "The model's provider held the answer back; put the task in other words or name another model.",
  error: 'The model broke off; submit the task again later or name another model.',
};
const ALL_SPENT = `The model came to no end within ${allTokens.toLocaleString('en-US')} tokens; make the task smaller or name another model.`;
const NO_ANSWER = 'The model gave no answer; put the task in other words or name another model.';

function unfinished(reason: string, spentAll: boolean): TaskFailure {
  const why = reason === 'tool-calls' && spentAll ? ALL_SPENT : (CUT_SHORT[reason] ?? NO_ANSWER);
  return new TaskFailure('PROCESSING_FAILED', why);
}
