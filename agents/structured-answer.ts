/** One question to a language model, answered in the form of a schema or not at all. */

import type * as v from 'valibot';
import type { Question } from './generate-answer.ts';

/**
 * Returns undefined if the answer is not usable. Loads the model library only when called, as it costs more start-up
 * time than everything else.
 */
export async function structuredAnswer<T extends v.GenericSchema>(
  question: Question<T>,
): Promise<v.InferOutput<T> | undefined> {
  const { generateAnswer } = await import('./generate-answer.ts');
  return generateAnswer(question);
}
