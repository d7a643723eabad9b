/** Makes the file names of strangers safe: spaces and the letters of every script stay. */

const MAX_BYTES = 200;
const FALLBACK = 'file';
/** Longer names lose their middle before they are processed. */
const MAX_READ = 1_000;
const LAST_LOOKED_AT = 200;
// Control and format characters (direction marks, but not the joiners that some scripts need), and the characters
// of paths.
const UNWANTED = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}/\\:*?"<>|]/gu;

export function cleanFileName(name: string): string {
  const cleaned = toBoundedName(name)
    .normalize('NFC')
    .replace(UNWANTED, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '');
  return toShortName(cleaned) || FALLBACK;
}

const toBoundedName = (name: string): string =>
  name.length <= MAX_READ ? name : name.slice(0, MAX_READ - LAST_LOOKED_AT) + name.slice(-LAST_LOOKED_AT);

/** Shortens the stem between grapheme clusters and keeps a short extension. */
function toShortName(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const extension = /\.[^.\s]{1,15}$/u.exec(name)?.[0] ?? '';
  let stem = '';
  let bytesLeft = MAX_BYTES - Buffer.byteLength(extension);
  for (const { segment } of new Intl.Segmenter().segment(name.slice(0, name.length - extension.length))) {
    bytesLeft -= Buffer.byteLength(segment);
    if (bytesLeft < 0) break;
    stem += segment;
  }
  return (stem.trimEnd() || FALLBACK) + extension;
}
