/** Questions to a language model that are answered in the form of a schema, and how many of them were not. */

import type * as v from 'valibot';
import type { Question } from './generate-answer.ts';

/** Warns that work was done without the model after it had been paid for. */
export const unusableNotes = (questions: number): string[] =>
  questions === 0
    ? []
    : [
        `The model gave no usable answer to ${questions} ${questions === 1 ? 'question' : 'questions'}, also when asked again: that part was done without it.`,
      ];

/**
 * One question to a language model, answered in the form of a schema; undefined if no answer is usable, also not the
 * second. Loads the model library only when called, as it costs more start-up time than everything else.
 */
export async function structuredAnswer<T extends v.GenericSchema>(
  question: Question<T>,
): Promise<v.InferOutput<T> | undefined> {
  const { generateAnswer } = await import('./generate-answer.ts');
  return generateAnswer(question);
}

/** How many answers a model gave, and to how many questions none was usable. */
export type AnswerCounts = { calls: number; unusable: number; onAnswer?: Question<v.GenericSchema>['onAnswer'] };

/** The same, counted. */
export async function countedAnswer<T extends v.GenericSchema>(
  counts: AnswerCounts,
  question: Omit<Question<T>, 'onAnswer'>,
): Promise<v.InferOutput<T> | undefined> {
  const onAnswer: typeof counts.onAnswer = (...answered) => {
    counts.calls++;
    counts.onAnswer?.(...answered);
  };
  const answer = await structuredAnswer({ ...question, onAnswer });
  if (answer === undefined) counts.unusable++;
  return answer;
}
