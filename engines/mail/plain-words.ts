/** Takes out of foreign words what would act instead of being read: line ends in a header, signs that turn or hide text. */

/** Controls, marks of direction, what has no width, and what no line holds. */
const UNSAFE_CHARACTERS =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{AD}\u{200B}-\u{200D}\u{2060}-\u{2064}\u{FEFF}\p{Cs}\p{Co}]+/gu;

/** One line, of at most so many characters: what is cut ends with `…`, between two words where there are any. */
export function oneLine(text: string, max: number): string {
  const line = text.toWellFormed().replaceAll(UNSAFE_CHARACTERS, ' ').replaceAll(/\s+/gu, ' ').trim();
  return cut(line, max);
}

/** As paragraphs, each one line. */
export function paragraphsOf(text: string, max: number): string[] {
  const paragraphs = text.split(/\r\n?|\n/u).map((line) => oneLine(line, max));
  const shown: string[] = [];
  let left = max;
  for (const paragraph of paragraphs.filter((line) => line !== '')) {
    if (left < 20) break;
    shown.push(cut(paragraph, left));
    left -= paragraph.length;
  }
  return shown;
}

function cut(line: string, max: number): string {
  if (line.length <= max) return line;
  const short = line
    .slice(0, max - 1)
    .toWellFormed()
    .replace(/\u{FFFD}$/u, '');
  const space = short.lastIndexOf(' ');
  return `${(space > max / 2 ? short.slice(0, space) : short).trimEnd()}…`;
}

/** Undefined = no address that a reader should be led to. */
export function safeLink(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isPlain && url.href.length <= 2_048 ? url.href : undefined;
}
