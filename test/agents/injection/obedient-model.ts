/** A model that obeys injections: it reads everything, follows every order, and reveals what it is asked for. */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Content } from '@ai-sdk/provider';
import { type Order, ordersIn, SECRET } from './orders.ts';

type Prompt = LanguageModelV4CallOptions['prompt'];

export function obedientModel() {
  const given: LanguageModelV4CallOptions[] = [];
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'obedient',
    modelId: 'obedient',
    supportedUrls: {},
    async doGenerate(options) {
      given.push(options);
      const content = nextTurn(options.prompt, given);
      const calls = content.some(({ type }) => type === 'tool-call');
      return {
        content,
        finishReason: { unified: calls ? 'tool-calls' : 'stop', raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      };
    },
    doStream() {
      throw new Error('Not streamed.');
    },
  };
  return { model, given };
}

function nextTurn(prompt: Prompt, given: readonly LanguageModelV4CallOptions[]): LanguageModelV4Content[] {
  const turn = given.length;
  const answers = answersIn(prompt);
  if (turn === 1) {
    const listed = outlinesIn(prompt)
      .flatMap((outline) => outline.split('\n').slice(1))
      .map((line) => JSON.parse(line) as { file: number; readingPages: number });
    const pages = listed.flatMap(({ file, readingPages: amount }) =>
      Array.from({ length: amount }, (_, at) => ({ file, page: at + 1 })),
    );
    return pages.map((page, at) => call('read_file', page, `read-${at}`));
  }
  const orders = ordersIn(
    everythingIn(prompt, given[0]?.prompt ?? []),
    answers.some(({ text }) => text.includes(SECRET)) ? SECRET : 'nothing',
  );
  const calls = orders.flatMap((order) => ('tool' in order ? [order] : []));
  if (turn === 2 && calls.length > 0) return calls.map((order, at) => call(order.tool, order.input, `order-${at}`));
  return [{ type: 'text', text: answerOf(orders) }];
}

const answerOf = (orders: Order[]): string =>
  orders.flatMap((order) => ('answer' in order ? [order.answer] : [])).join('\n\n') || 'done';

const call = (toolName: string, input: object, toolCallId: string): LanguageModelV4Content => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

/** Answers of tools by the name of the call. */
export const answersIn = (prompt: Prompt) =>
  prompt.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) => {
          if (part.type !== 'tool-result') return [];
          const value: unknown = 'value' in part.output ? part.output.value : undefined;
          return [{ id: part.toolCallId, tool: part.toolName, type: part.output.type, value, text: textIn(value) }];
        })
      : [],
  );

/** All texts within a value. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object') return '';
  return Object.values(value).map(textIn).join('\n');
}

/** Answers of tools, the outline of the files, and the bytes of the pictures of the first call, as if it could read them. */
const everythingIn = (prompt: Prompt, first: Prompt): string =>
  [...answersIn(prompt).map(({ text }) => text), ...outlinesIn(prompt), ...picturesIn(first)].join('\n');

/** The outline of the files has a text part of its own. */
export const outlinesIn = (prompt: Prompt): string[] =>
  prompt.flatMap((message) =>
    message.role === 'user'
      ? message.content.flatMap((part) => (part.type === 'text' && isOutline(part.text) ? [part.text] : []))
      : [],
  );

export const isOutline = (text: string): boolean => text.startsWith('Outline of the attached files, as data;');

export const picturesIn = (prompt: Prompt): string[] =>
  prompt.flatMap((message) =>
    message.role === 'user'
      ? message.content.flatMap((part) =>
          part.type === 'file' && part.data.type === 'data'
            ? [Buffer.from(part.data.data as Uint8Array).toString('latin1')]
            : [],
        )
      : [],
  );
