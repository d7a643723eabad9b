/** File names as strangers give them, made harmless: spaces and the letters of every script stay. */

const MOST_BYTES = 200;
const FALLBACK = 'file';
/** More of a name is never looked at: its middle goes first. */
const MOST_LOOKED_AT = 1_000;
const LAST_LOOKED_AT = 200;
// Control and format characters (those that turn the writing direction, not the joiners that words need), and what
// paths are made of.
const UNWANTED = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}/\\:*?"<>|]/gu;

export function cleanFileName(name: string): string {
  const cleaned = bounded(name)
    .normalize('NFC')
    .replace(UNWANTED, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '');
  return shortened(cleaned) || FALLBACK;
}

const bounded = (name: string): string =>
  name.length <= MOST_LOOKED_AT ? name : name.slice(0, MOST_LOOKED_AT - LAST_LOOKED_AT) + name.slice(-LAST_LOOKED_AT);

/** Cuts the stem between characters as people see them, and keeps a short extension. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MOST_BYTES) return name;
  const extension = /\.[^.\s]{1,15}$/u.exec(name)?.[0] ?? '';
  let stem = '';
  let left = MOST_BYTES - Buffer.byteLength(extension);
  for (const { segment } of new Intl.Segmenter().segment(name.slice(0, name.length - extension.length))) {
    left -= Buffer.byteLength(segment);
    if (left < 0) break;
    stem += segment;
  }
  return (stem.trimEnd() || FALLBACK) + extension;
}
