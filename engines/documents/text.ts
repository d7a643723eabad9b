/** Plain text and source code: decoding of bytes, detection of HTML and CSV, and parts by line numbers. */
import { type DocumentKind, type DocumentPart, unreadable } from './document.ts';

const BYTE_ORDER_MARKS = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
] as const;

/** The encoding declaration of XML and HTML, which must be near the beginning. */
const DECLARED = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)|<meta[^>]*?\scharset\s*=\s*["']?([\w.:-]+)/i;
const DECLARED_WITHIN = 1_024;

/** Decodes by the byte order mark, as UTF-8 if valid, by the declared encoding, or else as Windows-1252. */
export function decodeText(bytes: Uint8Array): string {
  const mark = BYTE_ORDER_MARKS.find((entry) => entry.bytes.every((byte, at) => bytes[at] === byte));
  if (mark) return new TextDecoder(mark.encoding).decode(bytes);
  return decodeStrictly(bytes, 'utf-8') ?? decodeStrictly(bytes, declaredIn(bytes)) ?? decodeAs(bytes, 'windows-1252');
}

function declaredIn(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, DECLARED_WITHIN)).toString('latin1');
  const [, byXml, byHtml] = DECLARED.exec(head) ?? [];
  return byXml ?? byHtml ?? 'windows-1252';
}

/** Returns undefined if the bytes are not valid in this encoding, or the encoding is unknown. */
function decodeStrictly(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Accepts any encoding name of the WHATWG list; an unknown one is read as Windows-1252. */
export function decodeAs(bytes: Uint8Array, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const HTML = /^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b/i;
const MARKUP = /^\s*</;
const HEAD_LENGTH = 1_024;

/** HTML is detected from the bytes. CSV is known only by the file name; some programs export it as .xls. */
export function kindOfText(bytes: Uint8Array, name: string): DocumentKind {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_LENGTH)).replace(/^ï»¿/, '');
  const wide = /^(ÿþ|þÿ)/.test(head) ? head.replaceAll('\0', '').slice(2) : head;
  if (HTML.test(wide) || /\.x?html?$/i.test(name)) return 'html';
  if (/\.xls$/i.test(name) && !MARKUP.test(wide)) return 'csv';
  return /\.(csv|tsv|tab)$/i.test(name) ? 'csv' : 'text';
}

const MIN_PART_LENGTH = 2_000;
const MAX_PART_LENGTH = 4_000;

/** Divides plain text into parts that end at an empty line if possible. */
export function readText(bytes: Uint8Array, { textLength }: { textLength: number }): DocumentPart[] {
  const text = decodeText(bytes);
  if (text.length > textLength) throw unreadable('tooLarge');
  return piecesOf(text.replace(/\r?\n$/, '').split(/\r\n|\r|\n/));
}

function piecesOf(lines: string[]): DocumentPart[] {
  const parts: DocumentPart[] = [];
  let open: string[] = [];
  let length = 0;
  const close = (last: number) => {
    parts.push(...partOf(open, last));
    open = [];
    length = 0;
  };
  for (const [at, line] of lines.entries()) {
    if (length > 0 && length + line.length > MAX_PART_LENGTH) close(at);
    open.push(line);
    length += line.length + 1;
    if (length >= MAX_PART_LENGTH || (length >= MIN_PART_LENGTH && line.trim() === '')) close(at + 1);
  }
  close(lines.length);
  return parts;
}

/** `last` is the one-based number of the last line. */
function partOf(lines: string[], last: number): DocumentPart[] {
  const text = lines.join('\n');
  if (text.trim() === '') return [];
  const firstLine = last - lines.length + 1;
  const label = lines.length === 1 ? `line ${last}` : `lines ${firstLine}-${last}`;
  if (text.length <= 2 * MAX_PART_LENGTH) return [{ label, text, firstLine }];
  const pieces = text.match(new RegExp(`[\\s\\S]{1,${MAX_PART_LENGTH}}`, 'gu')) ?? [];
  return pieces.map((piece, at) => ({ label: `${label}, part ${at + 1}`, text: piece, firstLine }));
}
