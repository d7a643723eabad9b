/** Asks the model library for a structured answer. `runtime.ts` imports this file only when it is needed. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { generateText, NoObjectGeneratedError, NoOutputGeneratedError, Output } from 'ai';
import type * as v from 'valibot';
import { modelSchema } from '../engines/models/model-schema.ts';

export async function generateAnswer<T extends v.GenericSchema>(
  question: Question<T>,
): Promise<v.InferOutput<T> | undefined> {
  const { model, rules, messages, schema, answerTokens, signal } = question;
  try {
    const { output } = await generateText({
      model,
      instructions: rules,
      messages: messages.map((content) => ({ role: 'user', content }) as const),
      output: Output.object({ schema: modelSchema(schema) }),
      maxOutputTokens: answerTokens,
      maxRetries: 0, // the model retries by itself
      telemetry: { isEnabled: false }, // prompts and answers are private
      abortSignal: signal,
    });
    return output;
  } catch (error) {
    if (NoOutputGeneratedError.isInstance(error) || NoObjectGeneratedError.isInstance(error)) return undefined;
    throw error;
  }
}

export type Question<T extends v.GenericSchema> = {
  model: LanguageModelV4;
  rules: string;
  /** Each string becomes a message: first the request, then the material. */
  messages: string[];
  schema: T;
  answerTokens: number;
  signal: AbortSignal;
};
