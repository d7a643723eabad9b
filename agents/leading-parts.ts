/** The parts of a document that are searched where all of it would take too long. */
export function leadingParts<Part extends { text: string }>(parts: readonly Part[], characters: number): Part[] {
  let left = characters;
  return parts.filter(({ text }) => {
    const isWithin = left > 0;
    left -= text.length;
    return isWithin;
  });
}
