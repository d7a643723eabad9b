/** One question to a language model, answered in the form of a schema or not at all. */

import type * as v from 'valibot';
import type { Question } from './generate-answer.ts';

/**
 * `undefined` when there was an answer, and nothing in it that could be used. The library of models costs more start-up
 * than all the rest: only a process that asks one pays it.
 */
export async function structuredAnswer<T extends v.GenericSchema>(
  question: Question<T>,
): Promise<v.InferOutput<T> | undefined> {
  const { generateAnswer } = await import('./generate-answer.ts');
  return generateAnswer(question);
}
