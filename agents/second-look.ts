/** Asks a model, which sees nothing but statements and quotes, whether each statement follows from its quotes. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { type AnswerCounts, countedAnswer } from './runtime.ts';

const ANSWER_TOKENS = 8_000;

const verdicts = v.object({ answers: v.array(v.object({ number: v.number(), follows: v.boolean() })) });

type SecondLook = { model: LanguageModelV4; rules: string; signal: AbortSignal };

/** Whether each of these follows from the quotes that it is shown with. Without an answer, it does not. */
export async function secondLook(
  counts: AnswerCounts,
  asked: SecondLook,
  shown: readonly object[],
): Promise<(at: number) => boolean> {
  const answer = await countedAnswer(counts, {
    ...asked,
    messages: [shown.map((one, at) => JSON.stringify({ number: at + 1, ...one })).join('\n')],
    schema: verdicts,
    answerTokens: ANSWER_TOKENS,
  });
  const agreed = new Set(answer?.answers.filter(({ follows }) => follows).map(({ number }) => number));
  return (at) => agreed.has(at + 1);
}
