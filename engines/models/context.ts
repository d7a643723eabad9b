/** Keeps a request within the context of its model, and marks what the provider may cache. */
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Message,
  type LanguageModelV4Prompt,
} from '@ai-sdk/provider';
import { withGenerate } from './streaming.ts';

type Request = Pick<LanguageModelV4CallOptions, 'prompt' | 'tools'>;

/**
 * About four bytes of UTF-8 make a token. This is right for English, and more accurate for other scripts than counting
 * characters.
 */
export const TOKEN_BYTES = 4;
/** An estimate for one image; providers charge about 80 to 1,600, by size. */
const PICTURE_TOKENS = 1_000;

export const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / TOKEN_BYTES);

const isPicture = (part: object): boolean => 'type' in part && part.type === 'file';

export function estimateTokens({ prompt, tools = [] }: Request): number {
  const parts = prompt.flatMap(({ content }): object[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : [...content],
  );
  const texts = parts.filter((part) => !isPicture(part));
  return tokensIn(JSON.stringify([texts, tools])) + (parts.length - texts.length) * PICTURE_TOKENS;
}

/** A result this short is not worth a replacement. */
const SHORT = 400;
/** The newest messages with results are shortened last and least, as the model has not worked with them yet. */
const NEWEST = 2;
const NEWEST_LENGTHS = [16_000, 8_000, 4_000, 2_000, 1_000, SHORT];

/**
 * Replaces the results of tools, the oldest first, by their beginning until the request fits, then leaves out pictures, and then shortens the
 * newest results. The model can call the tool again. Returns the request itself if it fits already.
 */
function compact<R extends Request>(request: R, maxTokens: number): R {
  let excess = estimateTokens(request) - maxTokens;
  if (excess <= 0) return request;
  let prompt: LanguageModelV4Prompt = [...request.prompt];
  const shorten = (at: number, length: number) => {
    const message = prompt[at];
    if (excess <= 0 || !message) return;
    const shorter = withShortResults(message, length);
    excess -= tokensIn(JSON.stringify(message)) - tokensIn(JSON.stringify(shorter));
    prompt[at] = shorter;
  };
  const results = prompt.flatMap(({ role }, at) => (role === 'tool' ? [at] : []));
  for (const at of results.slice(0, -NEWEST)) shorten(at, SHORT);
  prompt = withoutPictures(prompt, Math.ceil(excess / PICTURE_TOKENS));
  excess = estimateTokens({ ...request, prompt }) - maxTokens;
  for (const length of NEWEST_LENGTHS) for (const at of results.slice(-NEWEST)) shorten(at, length);
  return { ...request, prompt };
}

const NO_ROOM = { type: 'text', text: '(left out, as the request has no room for it)' } as const;

/** Leaves out the last pictures, as what is read in them is among the texts. */
function withoutPictures(prompt: LanguageModelV4Prompt, count: number): LanguageModelV4Prompt {
  let toRemove = count;
  return prompt
    .toReversed()
    .map((message): LanguageModelV4Message => {
      if (message.role !== 'user') return message;
      const content = message.content.toReversed().map((part) => (isPicture(part) && toRemove-- > 0 ? NO_ROOM : part));
      return { ...message, content: content.toReversed() };
    })
    .toReversed();
}

const LEFT_OUT = ' ... (left out to save space; call the tool again, for this alone, if you need the rest)';

function withShortResults(message: LanguageModelV4Message, length: number): LanguageModelV4Message {
  if (message.role !== 'tool') return message;
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result' || !('value' in part.output)) return part;
    const { value } = part.output;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (text.length <= length + LEFT_OUT.length) return part;
    const shorter = `${text.slice(0, length).toWellFormed()}${LEFT_OUT}`;
    return { ...part, output: { type: 'text' as const, value: shorter } };
  });
  return { ...message, content };
}

/** Each library reads the mark of its provider alone. */
const CACHE_MARKS = {
  anthropic: { cacheControl: { type: 'ephemeral' } },
  bedrock: { cachePoint: { type: 'default' } },
};

/**
 * Lets Anthropic and Bedrock cache what each call of a loop repeats: the instructions with the tools, and the conversation so
 * far. Other providers cache by themselves.
 */
export const withCachePoints = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt =>
  prompt.map((message, at) =>
    at === 0 || at === prompt.length - 1
      ? { ...message, providerOptions: { ...message.providerOptions, ...CACHE_MARKS } }
      : message,
  );

/** These statuses say that the request itself is at fault. */
export const REFUSING_STATUSES: ReadonlySet<number> = new Set([400, 422]);

const TOO_LONG = /context.{0,10}(length|window|size)|too (long|many tokens)|maximum.{0,40}tokens|exceed.{0,40}context/i;

const LARGER_THAN_MINUTE = /request too large/i;

/** Whether the provider says that the request is longer than the model's context. */
export const isTooLong = (error: unknown): boolean =>
  APICallError.isInstance(error) &&
  (error.statusCode === 413 ||
    // More than the limit of a minute: OpenAI's protocol says so with the status of a busy model.
    (error.statusCode === 429 && LARGER_THAN_MINUTE.test(`${error.message} ${error.responseBody ?? ''}`)) ||
    (REFUSING_STATUSES.has(error.statusCode ?? 0) && TOO_LONG.test(`${error.message} ${error.responseBody ?? ''}`)));

/**
 * Sends a request that is longer than the context with shorter results of tools: before the call by our estimate, and once
 * more if the provider finds it too long.
 */
export const withinContext = (model: LanguageModelV4, context: number): LanguageModelV4 =>
  withGenerate(model, async (call) => {
    const options = compact(call, context - (call.maxOutputTokens ?? 0));
    try {
      return await model.doGenerate(options);
    } catch (error) {
      const shorter = isTooLong(error) ? compact(options, estimateTokens(options) / 2) : options;
      if (shorter === options || estimateTokens(shorter) === estimateTokens(options)) throw error;
      return model.doGenerate(shorter);
    }
  });
