/** Makes a text one that a font can show, where no other font can stand in. */
import type { Font } from './open-font.ts';

/** For any number of characters that the font lacks: that something stood there is told. */
const REPLACEMENT = '□';
/** Pictures and what only changes the look of others go without a trace. */
const ORNAMENT =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Cf}\p{Cc}\p{Variation_Selector}\p{Co}]/u;

export function toShowable(text: string, { glyphOf }: Pick<Font, 'glyphOf'>): string {
  let shown = '';
  for (const letter of text.normalize('NFC')) shown += letterOf(letter, glyphOf);
  return shown.replaceAll(/□(?:\s*□)+/gu, REPLACEMENT);
}

function letterOf(letter: string, glyphOf: Font['glyphOf']): string {
  if (glyphOf(letter.codePointAt(0) ?? 0) !== 0) return letter;
  if (/\s/u.test(letter)) return ' ';
  if (ORNAMENT.test(letter)) return '';
  // What looks the same (NFKC), or the letter without its marks.
  for (const other of [letter.normalize('NFKC'), letter.normalize('NFKD').replaceAll(/\p{M}/gu, '')]) {
    if (other && Array.from(other).every((part) => glyphOf(part.codePointAt(0) ?? 0) !== 0)) return other;
  }
  return /\p{M}/u.test(letter) ? '' : REPLACEMENT;
}
