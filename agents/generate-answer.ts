/** Asks the library of models for a structured answer. Imported by who needs it, when it does: structured-answer.ts. */
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
      maxRetries: 0, // the model itself tries again
      telemetry: { isEnabled: false }, // what is asked and answered is nobody else's
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
  /** Each in a message of its own: what is wished, then the material. */
  messages: string[];
  schema: T;
  answerTokens: number;
  signal: AbortSignal;
};
