/** How much of a source's words a reading has kept. */

/** Marks of lists and footnotes are the format's, not the author's words. */
const MARKS = /^\s*(?:\d+\.|-)\s|\[\^\w+\]:?|^\|[-| :]+\|$/gm;

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** The share of the wanted words that were found, each as often as it is wanted. */
export function recallOf(wanted: string, found: string): { share: number; missing: string[] } {
  const there = new Map<string, number>();
  for (const word of wordsOf(found)) there.set(word, (there.get(word) ?? 0) + 1);
  const words = wordsOf(wanted.replaceAll(MARKS, ' '));
  const missing = words.filter((word) => {
    const left = there.get(word) ?? 0;
    there.set(word, left - 1);
    return left <= 0;
  });
  return { share: 1 - missing.length / words.length, missing };
}
