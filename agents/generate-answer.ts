/**
 * Asks a model for an answer in the form of a schema. `structured-answer.ts` imports this file only when it is needed, as it loads
 * the model library.
 */
import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4Usage } from '@ai-sdk/provider';
import type * as v from 'valibot';
import { modelSchema, readAnswer } from '../engines/models/model-schema.ts';
import { strictSchema } from '../engines/models/strict-schema.ts';

export type PromptPicture = { name: string; mediaType: string; bytes: Uint8Array };

export type Question<T extends v.GenericSchema> = {
  model: LanguageModelV4;
  rules: string;
  /** Each string becomes a message: first the request, then the material. */
  messages: string[];
  /** Go along with the material. */
  pictures?: readonly PromptPicture[];
  schema: T;
  answerTokens: number;
  signal: AbortSignal;
  /** Is called for each answer of the model with this id, usable or not: all are paid for. */
  onAnswer?(usage: LanguageModelV4Usage, model: string): void;
};

/** These answers were cut, and would be again. */
const ENDED_EARLY: ReadonlySet<string> = new Set(['length', 'error']);
const WITHHELD = 'it was withheld, so there is nothing of it.';
const MAX_SHOWN = 20_000;

/** Asks once more, with what was wrong, if the first answer is empty, withheld, or does not have the form. Returns undefined without a usable answer. */
export async function generateAnswer<T extends v.GenericSchema>(
  question: Question<T>,
): Promise<v.InferOutput<T> | undefined> {
  const prompt: LanguageModelV4Prompt = [
    { role: 'system', content: question.rules },
    ...question.messages.map((text) => ({ role: 'user' as const, content: [textPart(text)] })),
    ...(question.pictures ?? []).map(({ name, mediaType, bytes: data }) => ({
      role: 'user' as const,
      content: [textPart(`${name}:`), { type: 'file' as const, mediaType, data: { type: 'data' as const, data } }],
    })),
  ];
  const firstAnswer = await ask(question, prompt);
  if (!('fault' in firstAnswer)) return firstAnswer.value;
  if (firstAnswer.fault === undefined) return undefined;
  const request = `That answer cannot be used: ${firstAnswer.fault} Give the whole answer again, as JSON alone.`;
  const secondAnswer = await ask(question, [
    ...prompt,
    ...(firstAnswer.text.trim() === ''
      ? []
      : [{ role: 'assistant' as const, content: [textPart(firstAnswer.text.slice(0, MAX_SHOWN))] }]),
    { role: 'user', content: [textPart(request)] },
  ]);
  return 'fault' in secondAnswer ? undefined : secondAnswer.value;
}

/** A fault that asking again cannot mend is undefined. */
type AnswerResult<T extends v.GenericSchema> =
  | { value: v.InferOutput<T> }
  | { fault: string | undefined; text: string };

async function ask<T extends v.GenericSchema>(
  { model, schema, answerTokens, signal, onAnswer }: Question<T>,
  prompt: LanguageModelV4Prompt,
): Promise<AnswerResult<T>> {
  const { content, finishReason, usage } = await model.doGenerate({
    prompt,
    responseFormat: { type: 'json', schema: strictSchema(await modelSchema(schema).jsonSchema) },
    maxOutputTokens: answerTokens,
    // The same question about the same document gets the same answer, as far as the model can.
    temperature: 0,
    abortSignal: signal,
  });
  onAnswer?.(usage, model.modelId);
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  if (ENDED_EARLY.has(finishReason.unified)) return { fault: undefined, text };
  if (finishReason.unified === 'content-filter') return { fault: WITHHELD, text: '' };
  const result = readAnswer(schema, text);
  return 'fault' in result ? { ...result, text } : result;
}

const textPart = (text: string) => ({ type: 'text', text }) as const;
