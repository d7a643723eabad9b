/** A scripted model that records its requests. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import { expect } from 'vitest';
import { strictFaults } from '../engines/models/strict-faults.ts';

type Ending = Awaited<ReturnType<LanguageModelV4['doGenerate']>>['finishReason']['unified'];
/** `spent` is the tokens of the call. */
type Move = ({ call: string; input: object } | { text: string; ending?: Ending }) & { spent?: number };

export function scriptedModel(...moves: Move[]) {
  const given: LanguageModelV4CallOptions[] = [];
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    async doGenerate(options) {
      const move = moves[given.length] ?? { text: 'done' };
      given.push(options);
      if (options.responseFormat?.type === 'json') expect(strictFaults(options.responseFormat.schema)).toEqual([]);
      const content: LanguageModelV4Content[] =
        'text' in move
          ? [{ type: 'text', text: move.text }]
          : [
              {
                type: 'tool-call',
                toolCallId: `c${given.length}`,
                toolName: move.call,
                input: JSON.stringify(move.input),
              },
            ];
      return {
        content,
        finishReason: { unified: 'text' in move ? (move.ending ?? 'stop') : 'tool-calls', raw: undefined },
        usage: {
          inputTokens: { total: move.spent ?? 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 2, text: 2, reasoning: 0 },
        },
        warnings: [],
      };
    },
    doStream() {
      throw new Error('Not streamed.');
    },
  };
  /** What the tools answered, in their order. */
  const answers = (): LanguageModelV4ToolResultPart['output'][] =>
    (given.at(-1)?.prompt ?? []).flatMap((message) =>
      message.role === 'tool'
        ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
        : [],
    );
  return { model, given, answers };
}
