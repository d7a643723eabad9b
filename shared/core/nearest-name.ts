/** The known name that is closest to a misspelled one. */

/** Longer names are not compared: callers choose the length, and the comparison takes quadratic time. */
const MAX_CHARACTERS = 40;
const MAX_EDITS = 2;
const CHARACTERS_PER_EDIT = 3;

export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const plainName = plain(name);
  if (plainName.length > MAX_CHARACTERS) return undefined;
  const max = Math.min(MAX_EDITS, Math.floor(plainName.length / CHARACTERS_PER_EDIT));
  const ranked = [...candidates]
    .map((candidate) => ({ candidate, edits: editsBetween(plainName, plain(candidate)) }))
    .filter(({ edits }) => edits <= max)
    .sort((a, b) => a.edits - b.edits);
  return ranked[0]?.candidate;
}

/** `outputFormat`, `output-format` and `output_format` are the same name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]+/g, '');

/** Levenshtein distance in which a swap of two neighbours counts as one edit. */
function editsBetween(a: string, b: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const differs = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + differs);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) edits = Math.min(edits, (beforeLast[j - 2] ?? 0) + 1);
      row.push(edits);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
