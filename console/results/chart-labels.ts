/** Fits the labels of a chart into their room: wrapped between words, else shortened with an ellipsis. */

const MAX_LINES = 3;
const MAX_CHARACTERS = 200;

/** `widthOf` measures a text in the font of the chart. */
export function linesFor(label: string, room: number, widthOf: (text: string) => number): string[] {
  const lines: string[] = [];
  const text = label.length > MAX_CHARACTERS ? `${label.slice(0, MAX_CHARACTERS)}…` : label;
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = [...lines.slice(-1), word].join(' ');
    if (lines.length > 0 && (widthOf(longer) <= room || lines.length === MAX_LINES)) lines.splice(-1, 1, longer);
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

/** The distance between labels, so that at most `max` are shown; the first is always one of them. */
export function everyNth(count: number, max: number): number {
  return Math.max(1, Math.ceil(count / Math.max(1, max)));
}

let pen: CanvasRenderingContext2D | null | undefined;

/** The width of a text in the page's font, at the size of chart labels in `chart.css`. */
export function widthOfText(text: string): number {
  pen ??= document.createElement('canvas').getContext('2d');
  if (!pen) return text.length * 6;
  pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}
