/** Names that people give to organizations and keys. */
import { Problem } from '../core/problem.ts';

const MOST_CHARACTERS = 100;
/** What would break a line, or turn the text around it. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

export function displayName(text: string): string {
  const name = text.normalize('NFC').trim();
  if (Array.from(name).length <= MOST_CHARACTERS && VISIBLE.test(name) && !UNFIT.test(name)) return name;
  throw new Problem('invalid', `A name has 1 to ${MOST_CHARACTERS} characters, none of them a control character.`);
}
