/**
 * What is known of each model, and how a call is made to fit it.
 *
 * The figures are from general knowledge and were not read from a provider, see `KNOWN_IN`. An operator corrects and
 * extends them. A model that is not in the table gets cautious values.
 */
import { APICallError, type LanguageModelV4, type LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { MINUTE_MS } from '../../shared/core/time.ts';
import { isTooLong, REFUSING_STATUSES, withCachePoints } from './context.ts';
import { withGenerate } from './streaming.ts';

/** In US dollars for a million tokens, and when that was so. */
type Price = { input: number; output: number; asOf: string };

type ModelProfile = {
  /** The tokens of a request and its answer together. */
  context: number;
  /** The tokens of an answer, with those spent on reasoning. */
  output: number;
  vision: boolean;
  reasoning: boolean;
  /** Whether answers can be held to a schema: by the provider, else by the arguments of a tool, else only in words. */
  schema: SchemaMode;
  /** Whether Bedrock caches the beginning of a request up to a mark. */
  cachePoints?: boolean;
  /** More than the usual time to the first token. */
  firstTokenMs?: number;
  price?: Price;
};

type SchemaMode = 'strict' | 'tool' | 'prompt';

/** When the figures of the table were true, to the best of our knowledge. */
const KNOWN_IN = '2025-10';

const CAUTIOUS: ModelProfile = { context: 32_000, output: 8_000, vision: false, reasoning: false, schema: 'strict' };

/** The cautious output of a model that reasons: half of it may go into that. */
const REASONING_OUTPUT = 16_000;

type Row = [name: RegExp, profile: Partial<ModelProfile>];

const price = (input: number, output: number): Pick<ModelProfile, 'price'> => ({
  price: { input, output, asOf: KNOWN_IN },
});
const vision = true;
const cachePoints = true;
const reasoning = true;

/** Names without the region prefix of inference profiles. The first row that matches counts. */
const BEDROCK: readonly Row[] = [
  [
    /^anthropic\.claude-opus-4-5/,
    { cachePoints, context: 200_000, output: 64_000, vision, reasoning, ...price(5, 25) },
  ],
  [/^anthropic\.claude-opus-4/, { cachePoints, context: 200_000, output: 32_000, vision, reasoning, ...price(15, 75) }],
  [
    /^anthropic\.claude-sonnet-4/,
    { cachePoints, context: 200_000, output: 64_000, vision, reasoning, ...price(3, 15) },
  ],
  [/^anthropic\.claude-haiku-4/, { cachePoints, context: 200_000, output: 64_000, vision, reasoning, ...price(1, 5) }],
  [/^anthropic\.claude-(opus|sonnet|haiku)-[5-9]/, { context: 200_000, output: 64_000, vision, reasoning }],
  [
    /^anthropic\.claude-3-7-sonnet/,
    { cachePoints, context: 200_000, output: 64_000, vision, reasoning, ...price(3, 15) },
  ],
  [/^anthropic\.claude-3-5-sonnet/, { context: 200_000, output: 8_192, vision, ...price(3, 15) }],
  [/^anthropic\.claude-3-5-haiku/, { context: 200_000, output: 8_192, ...price(0.8, 4) }],
  [/^anthropic\.claude-3-haiku/, { context: 200_000, output: 4_096, vision, ...price(0.25, 1.25) }],
  [/^anthropic\.claude-3-sonnet/, { context: 200_000, output: 4_096, vision, ...price(3, 15) }],
  [/^anthropic\.claude-3-opus/, { context: 200_000, output: 4_096, vision, ...price(15, 75) }],
  [/^amazon\.nova-micro/, { cachePoints, context: 128_000, output: 10_000, ...price(0.035, 0.14) }],
  [/^amazon\.nova-lite/, { cachePoints, context: 300_000, output: 10_000, vision, ...price(0.06, 0.24) }],
  [/^amazon\.nova-pro/, { cachePoints, context: 300_000, output: 10_000, vision, ...price(0.8, 3.2) }],
  [/^amazon\.nova-premier/, { cachePoints, context: 1_000_000, output: 10_000, vision, ...price(2.5, 12.5) }],
  [/^amazon\.nova-(2-)?(lite|pro|premier)/, { context: 300_000, output: 10_000, vision }],
  [/^meta\.llama3-2-(11|90)b/, { context: 128_000, output: 8_192, vision, schema: 'tool' }],
  [/^meta\.llama3-[123]/, { context: 128_000, output: 8_192, schema: 'tool' }],
  [/^meta\.llama4-/, { context: 128_000, output: 8_192, vision, schema: 'tool' }],
  [/^mistral\.pixtral/, { context: 128_000, output: 8_192, vision, schema: 'tool' }],
];

/** Names without the vendor prefix that some servers add. */
const OPENAI: readonly Row[] = [
  [/^gpt-5-nano/, { context: 400_000, output: 128_000, vision, reasoning, ...price(0.05, 0.4) }],
  [/^gpt-5-mini/, { context: 400_000, output: 128_000, vision, reasoning, ...price(0.25, 2) }],
  [/^gpt-5(-20\d\d.*|-codex)?$/, { context: 400_000, output: 128_000, vision, reasoning, ...price(1.25, 10) }],
  [/^gpt-5/, { context: 400_000, output: 128_000, vision, reasoning }],
  [/^gpt-4\.1-nano/, { context: 1_000_000, output: 32_768, vision, ...price(0.1, 0.4) }],
  [/^gpt-4\.1-mini/, { context: 1_000_000, output: 32_768, vision, ...price(0.4, 1.6) }],
  [/^gpt-4\.1/, { context: 1_000_000, output: 32_768, vision, ...price(2, 8) }],
  [/^gpt-4o-mini/, { context: 128_000, output: 16_384, vision, ...price(0.15, 0.6) }],
  [/^gpt-4o/, { context: 128_000, output: 16_384, vision, ...price(2.5, 10) }],
  [/^gpt-4-turbo/, { context: 128_000, output: 4_096, vision, schema: 'tool', ...price(10, 30) }],
  [/^o3-mini/, { context: 200_000, output: 100_000, reasoning, ...price(1.1, 4.4) }],
  [/^o3-pro/, { context: 200_000, output: 100_000, vision, reasoning, firstTokenMs: 30 * MINUTE_MS, ...price(20, 80) }],
  [/^o3/, { context: 200_000, output: 100_000, vision, reasoning, ...price(2, 8) }],
  [/^o4-mini/, { context: 200_000, output: 100_000, vision, reasoning, ...price(1.1, 4.4) }],
  [/^o4/, { context: 200_000, output: 100_000, vision, reasoning }],
  [/^(deepseek-r|qwq|magistral|gpt-oss)/, { reasoning }],
  [/^(llava|bakllava|moondream|minicpm-v|pixtral)/, { vision }],
  [/^(meta-)?llama-?4/, { vision, context: 128_000 }],
  [/^gemma-?3([:-](4b|12b|27b|latest)|$)/, { vision, context: 128_000 }],
  [/^qwen[\d.]*-?vl/, { vision }],
  [/-vision/, { vision }],
];

const REGION = /^(global|us|us-gov|eu|apac|jp|au|ca)\./;

const TABLES: Readonly<Record<string, (name: string) => Partial<ModelProfile> | undefined>> = {
  bedrock: (name) => rowFor(BEDROCK, name.replace(REGION, '')),
  openai: (name) => rowFor(OPENAI, name.toLowerCase().split('/').at(-1) ?? ''),
};

const rowFor = (rows: readonly Row[], name: string) => rows.find(([known]) => known.test(name))?.[1];

/** The operator's own profiles, by the id of the model. */
export type OwnProfiles = Readonly<Record<string, Partial<ModelProfile>>>;

export function profileOf(id: string, own: OwnProfiles = {}): ModelProfile {
  const slash = id.indexOf('/');
  const provider = id.slice(0, slash);
  const known = Object.hasOwn(TABLES, provider) ? TABLES[provider]?.(id.slice(slash + 1)) : undefined;
  const named = { ...known, ...(Object.hasOwn(own, id) ? own[id] : undefined) };
  return { ...CAUTIOUS, ...(named.reasoning ? { output: REASONING_OUTPUT } : {}), ...named };
}

/** A task without a model costs nothing. */
export const priceCheck =
  (own: OwnProfiles = {}) =>
  (id: string): boolean =>
    id.startsWith('offline/') || profileOf(id, own).price !== undefined;

/** What a provider has refused of a model since the process began. */
type Setting = 'strict' | 'tool' | 'reasoning' | 'temperature';

export type Refusals = Set<Setting>;

/** Reasoning is part of the output and comes first, so a cap for the answer alone would leave nothing of it. */
const REASONING_TOKENS = 16_000;

/**
 * Makes each call fit the model. A provider that refuses a schema or the effort of reasoning is asked again without it,
 * and is not sent it again by this process.
 */
export const withProfile = (model: LanguageModelV4, profile: ModelProfile, refused: Refusals): LanguageModelV4 =>
  withGenerate(model, async (options) => {
    const newlyRefused = new Set<Setting>();
    for (;;) {
      const fitted = fitCall(options, profile, new Set([...refused, ...newlyRefused]));
      try {
        const answer = await model.doGenerate(fitted.options);
        for (const setting of newlyRefused) refused.add(setting);
        return fitted.mode === 'tool' ? answerOfTool(answer) : answer;
      } catch (error) {
        const setting = refusedIn(error, fitted.sent);
        if (setting === undefined) throw error;
        newlyRefused.add(setting);
      }
    }
  });

type Fitted = { options: LanguageModelV4CallOptions; mode: SchemaMode | undefined; sent: Setting[] };

function fitCall(options: LanguageModelV4CallOptions, profile: ModelProfile, refused: Refusals): Fitted {
  const { reasoning: effort, temperature, ...rest } = options;
  const sendsEffort = effort !== undefined && effort !== 'provider-default' && !refused.has('reasoning');
  // Most models that reason refuse a temperature.
  const sendsTemperature = temperature !== undefined && !profile.reasoning && !refused.has('temperature');
  const mode = modeFor(options, profile, refused);
  const sent: Setting[] = [];
  if (sendsEffort) sent.push('reasoning');
  if (sendsTemperature) sent.push('temperature');
  if (mode === 'strict' || mode === 'tool') sent.push(mode);
  return {
    options: {
      ...rest,
      ...(sendsEffort ? { reasoning: effort } : {}),
      ...(sendsTemperature ? { temperature } : {}),
      ...outputCap(options, profile),
      ...(profile.cachePoints ? { prompt: withCachePoints(options.prompt) } : {}),
      ...(mode === undefined ? {} : HELD_BY[mode](options)),
    },
    mode,
    sent,
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
function refusedIn(error: unknown, sent: readonly Setting[]): Setting | undefined {
  if (!APICallError.isInstance(error) || !REFUSING_STATUSES.has(error.statusCode ?? 0) || isTooLong(error)) {
    return undefined;
  }
  const detail = `${error.message} ${error.responseBody ?? ''}`;
  const about = Object.entries(ABOUT).find(([, words]) => words.test(detail))?.[0] ?? 'schema';
  return sent.find((setting) => (Object.hasOwn(ABOUT, setting) ? setting : 'schema') === about) ?? sent[0];
}

/** What a provider says of a setting that it refuses; what names none of these is about the schema. */
const ABOUT: Partial<Record<Setting, RegExp>> = {
  reasoning: /reasoning|thinking|effort/i,
  temperature: /temperature|sampling|top_p/i,
};
