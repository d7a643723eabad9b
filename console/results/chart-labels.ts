/** Labels in the room that they have: wrapped between words, and what still does not fit ends in an ellipsis. */

const MOST_LINES = 3;
const MOST_LETTERS = 200;

/** `widthOf` measures a text as it is drawn. */
export function linesFor(label: string, room: number, widthOf: (text: string) => number): string[] {
  const lines: string[] = [];
  const text = label.length > MOST_LETTERS ? `${label.slice(0, MOST_LETTERS)}…` : label;
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = [...lines.slice(-1), word].join(' ');
    if (lines.length > 0 && (widthOf(longer) <= room || lines.length === MOST_LINES)) lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines.map((line) => shortened(line, room, widthOf));
}

function shortened(line: string, room: number, widthOf: (text: string) => number): string {
  if (widthOf(line) <= room) return line;
  const letters = [...line.replace(/…$/, '')];
  while (letters.length > 1 && widthOf(`${letters.join('')}…`) > room) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}
