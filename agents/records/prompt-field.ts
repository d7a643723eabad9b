/** A field of a schema as models see it. */

import type { Field } from './field-words.ts';
import { pathOf } from './record-plan.ts';

const MAX_TEXT = 200;

export type PromptField = ReturnType<typeof toPromptField>;

/** A field as models see it. `within` is what is said of the objects and arrays that it is part of. */
export function toPromptField({ names, leaf, around = [] }: Field) {
  const { kind, format, values, title, description } = leaf;
  return {
    path: pathOf(names),
    type: format ?? kind,
    values,
    title: title?.slice(0, MAX_TEXT),
    description: description?.slice(0, MAX_TEXT),
    ...(around.length > 0 ? { within: around.map((text) => text.slice(0, MAX_TEXT)) } : {}),
  };
}
