/** Asks the library of models for a structured answer. Imported by who needs it, when it does: structured-answer.ts. */
import { generateText, NoObjectGeneratedError, NoOutputGeneratedError, Output } from 'ai';
import type * as v from 'valibot';
import { toldSchema } from '../model/told-schema.ts';
import type { Answer, Question } from './structured-answer.ts';

export async function generateAnswer<T extends v.GenericSchema>(question: Question<T>): Promise<Answer<T>> {
  const { model, rules, messages, schema, answerTokens, signal } = question;
  try {
    const { output, totalUsage } = await generateText({
      model,
      instructions: rules,
      messages: messages.map((content) => ({ role: 'user', content }) as const),
      output: Output.object({ schema: toldSchema(schema) }),
      maxOutputTokens: answerTokens,
      maxRetries: 0, // the model itself tries again
      telemetry: { isEnabled: false }, // what is asked and answered is nobody else's
      abortSignal: signal,
    });
    return { value: output, tokens: tokensOf(totalUsage) };
  } catch (error) {
    if (NoOutputGeneratedError.isInstance(error)) return { value: undefined, tokens: [0, 0] };
    if (!NoObjectGeneratedError.isInstance(error)) throw error;
    return { value: undefined, tokens: tokensOf(error.usage) };
  }
}

type Tokens = { inputTokens?: number | undefined; outputTokens?: number | undefined };

const tokensOf = (usage?: Tokens): [number, number] => [usage?.inputTokens ?? 0, usage?.outputTokens ?? 0];
