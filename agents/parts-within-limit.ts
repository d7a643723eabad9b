/** The parts of a document that are searched where all of it would take too long. */
export function partsWithinLimit<Part extends { text: string }>(parts: readonly Part[], characters: number): Part[] {
  let remaining = characters;
  return parts.filter(({ text }) => {
    const isWithin = remaining > 0;
    remaining -= text.length;
    return isWithin;
  });
}
