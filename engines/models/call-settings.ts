/** Makes each call fit what is known of its model, and what its provider has refused. */
import { APICallError, type LanguageModelV4, type LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { isTooLong, REFUSING_STATUSES, withCachePoints } from './context.ts';
import type { ModelProfile, SchemaMode } from './profile.ts';
import { withGenerate } from './streaming.ts';

/** What a provider has refused of a model since the process began. */
type CallSetting = 'strict' | 'tool' | 'reasoning' | 'temperature';

export type Refusals = Set<CallSetting>;

/** Reasoning is part of the output and comes first, so a cap for the answer alone would leave nothing of it. */
const REASONING_TOKENS = 16_000;

/**
 * Makes each call fit the model. A provider that refuses a schema or the effort of reasoning is asked again without it,
 * and is not sent it again by this process.
 */
export const withProfile = (model: LanguageModelV4, profile: ModelProfile, refused: Refusals): LanguageModelV4 =>
  withGenerate(model, async (options) => {
    const newlyRefused = new Set<CallSetting>();
    for (;;) {
      const fitted = fitCall(options, profile, new Set([...refused, ...newlyRefused]));
      try {
        const answer = await model.doGenerate(fitted.options);
        for (const setting of newlyRefused) refused.add(setting);
        return fitted.mode === 'tool' ? answerOfTool(answer) : answer;
      } catch (error) {
        const setting = refusedIn(error, fitted.sentSettings);
        if (setting === undefined) throw error;
        newlyRefused.add(setting);
      }
    }
  });

type Fitted = { options: LanguageModelV4CallOptions; mode: SchemaMode | undefined; sentSettings: CallSetting[] };

function fitCall(options: LanguageModelV4CallOptions, profile: ModelProfile, refused: Refusals): Fitted {
  const { reasoning: effort, temperature, ...otherOptions } = options;
  const sendsEffort = effort !== undefined && effort !== 'provider-default' && !refused.has('reasoning');
  // Most models that reason refuse a temperature.
  const sendsTemperature = temperature !== undefined && !profile.reasoning && !refused.has('temperature');
  const mode = modeFor(options, profile, refused);
  const sentSettings: CallSetting[] = [];
  if (sendsEffort) sentSettings.push('reasoning');
  if (sendsTemperature) sentSettings.push('temperature');
  if (mode === 'strict' || mode === 'tool') sentSettings.push(mode);
  return {
    options: {
      ...otherOptions,
      ...(sendsEffort ? { reasoning: effort } : {}),
      ...(sendsTemperature ? { temperature } : {}),
      ...outputCap(options, profile),
      ...(profile.cachePoints ? { prompt: withCachePoints(options.prompt) } : {}),
      ...(mode === undefined ? {} : HELD_BY[mode](options)),
    },
    mode,
    sentSettings,
  };
}

function outputCap(
  { maxOutputTokens }: LanguageModelV4CallOptions,
  { reasoning: reasons, output }: ModelProfile,
): Pick<LanguageModelV4CallOptions, 'maxOutputTokens'> {
  if (maxOutputTokens === undefined) return {};
  return { maxOutputTokens: Math.min(output, maxOutputTokens + (reasons ? REASONING_TOKENS : 0)) };
}

const MODES: readonly SchemaMode[] = ['strict', 'tool', 'prompt'];

function modeFor({ responseFormat }: LanguageModelV4CallOptions, { schema }: ModelProfile, refused: Refusals) {
  if (responseFormat?.type !== 'json' || responseFormat.schema === undefined) return undefined;
  return MODES.slice(MODES.indexOf(schema)).find((mode) => mode === 'prompt' || !refused.has(mode));
}

const ANSWER_TOOL = 'answer';

type WithFormat = Pick<LanguageModelV4CallOptions, 'prompt' | 'responseFormat'>;

const schemaIn = ({ responseFormat }: WithFormat) =>
  responseFormat?.type === 'json' ? (responseFormat.schema ?? {}) : {};

const HELD_BY: Record<SchemaMode, (options: WithFormat) => Partial<LanguageModelV4CallOptions>> = {
  strict: ({ responseFormat }) => (responseFormat ? { responseFormat } : {}),
  tool: (options) => ({
    responseFormat: { type: 'text' },
    tools: [{ type: 'function', name: ANSWER_TOOL, description: 'Takes the answer.', inputSchema: schemaIn(options) }],
    toolChoice: { type: 'tool', toolName: ANSWER_TOOL },
  }),
  prompt: (options) => ({
    responseFormat: { type: 'text' },
    prompt: [
      ...options.prompt.filter(({ role }) => role === 'system'),
      {
        role: 'system',
        content: `Answer with one JSON value that this JSON Schema allows, and nothing else:\n${JSON.stringify(schemaIn(options))}`,
      },
      ...options.prompt.filter(({ role }) => role !== 'system'),
    ],
  }),
};

type Answer = Awaited<ReturnType<LanguageModelV4['doGenerate']>>;

/** Turns the arguments of the tool into the text of the answer. */
function answerOfTool(answer: Answer): Answer {
  const call = answer.content.find((part) => part.type === 'tool-call');
  if (call?.type !== 'tool-call') return answer;
  return {
    ...answer,
    content: [{ type: 'text', text: call.input }],
    finishReason: { ...answer.finishReason, unified: 'stop' },
  };
}

/** Returns the setting to leave out next, or undefined if the request fails for another reason. */
function refusedIn(error: unknown, sentSettings: readonly CallSetting[]): CallSetting | undefined {
  if (!APICallError.isInstance(error) || !REFUSING_STATUSES.has(error.statusCode ?? 0) || isTooLong(error)) {
    return undefined;
  }
  const detail = `${error.message} ${error.responseBody ?? ''}`;
  const about = Object.entries(ABOUT).find(([, words]) => words.test(detail))?.[0] ?? 'schema';
  return (
    sentSettings.find((setting) => (Object.hasOwn(ABOUT, setting) ? setting : 'schema') === about) ?? sentSettings[0]
  );
}

/** What a provider says of a setting that it refuses; what names none of these is about the schema. */
const ABOUT: Partial<Record<CallSetting, RegExp>> = {
  reasoning: /reasoning|thinking|effort/i,
  temperature: /temperature|sampling|top_p/i,
};
