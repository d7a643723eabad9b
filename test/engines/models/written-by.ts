/** The model of an id that writes: `offline/extractive` has none. */
import type { LanguageModelV4 } from '@ai-sdk/provider';

export async function writtenBy(model: Promise<LanguageModelV4 | undefined>): Promise<LanguageModelV4> {
  const found = await model;
  if (!found) throw new Error('This model does not write.');
  return found;
}
