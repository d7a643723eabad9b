/** File names as strangers give them, made harmless: spaces and the letters of every script stay. */

const MOST_BYTES = 200;
const FALLBACK = 'file';
// Control and format characters (among them the ones that turn the writing direction), and what paths are made of.
const UNWANTED = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}/\\:*?"<>|]/gu;

export function cleanFileName(name: string): string {
  const cleaned = name
    .normalize('NFC')
    .replace(UNWANTED, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '');
  return shortened(cleaned) || FALLBACK;
}

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
  return stem.trimEnd() + extension;
}
