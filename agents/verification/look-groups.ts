/** Who looks a second time at which statements, where some rest on pictures. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { PromptPicture } from '../generate-answer.ts';

type LookInput = {
  model: LanguageModelV4;
  verifier?: LanguageModelV4 | undefined;
  verifierAcceptsImages?: boolean | undefined;
  pictures?: readonly PromptPicture[] | undefined;
};

/** `pictures`: those that the group may be shown. */
type LookGroup<Looked> = { model: LanguageModelV4; pictures: readonly PromptPicture[]; looked: readonly Looked[] };

/**
 * A verifier that accepts no images cannot judge what rests on pictures alone, and its provider refuses a request with one: these
 * statements go to the model that answered.
 */
export function lookGroups<Looked>(
  { model, verifier, verifierAcceptsImages = false, pictures = [] }: LookInput,
  statements: readonly Looked[],
  isPictured: (statement: Looked) => boolean,
): LookGroup<Looked>[] {
  const groups: LookGroup<Looked>[] =
    !verifier || verifierAcceptsImages
      ? [{ model: verifier ?? model, pictures, looked: statements }]
      : [
          { model: verifier, pictures: [], looked: statements.filter((statement) => !isPictured(statement)) },
          { model, pictures, looked: statements.filter(isPictured) },
        ];
  return groups.filter(({ looked }) => looked.length > 0);
}
