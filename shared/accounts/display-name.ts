/** Names of organizations and keys. */

import { Problem } from '../core/problem.ts';

const MAX_CHARACTERS = 100;
/** Characters that break a line or change the direction of the surrounding text. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

export function displayName(text: string): string {
  const name = text.normalize('NFC').trim();
  if (Array.from(name).length <= MAX_CHARACTERS && VISIBLE.test(name) && !UNFIT.test(name)) return name;
  throw new Problem('invalid', `A name has 1 to ${MAX_CHARACTERS} characters, none of them a control character.`);
}
