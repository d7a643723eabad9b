/** The type of a file by its bytes. Uploads, imports and document readers all use it. */

import { findDirectory, parseDirectory, ZIP_END_BYTES } from './zip-directory.ts';

export type FileKind =
  | 'pdf'
  | 'png'
  | 'jpeg'
  | 'gif'
  | 'webp'
  | 'docx'
  | 'xlsx'
  | 'pptx'
  | 'open document'
  | 'compound file'
  | 'rtf'
  | 'text'
  | 'other';

/** How much of a file detection needs, except for a ZIP: the signature of a disk image is behind 32 KB. */
export const HEAD_BYTES = 65_536;

type Signature = { at: number; bytes: string };

/** In Latin-1. The first match decides. */
const SIGNATURES: readonly (Signature & { kind: FileKind | 'zip' })[] = [
  { kind: 'pdf', at: 0, bytes: '%PDF-' },
  { kind: 'png', at: 0, bytes: '\x89PNG\r\n\x1a\n' },
  { kind: 'jpeg', at: 0, bytes: '\xff\xd8\xff' },
  { kind: 'gif', at: 0, bytes: 'GIF87a' },
  { kind: 'gif', at: 0, bytes: 'GIF89a' },
  { kind: 'webp', at: 8, bytes: 'WEBP' },
  { kind: 'compound file', at: 0, bytes: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1' },
  { kind: 'zip', at: 0, bytes: 'PK\x03\x04' },
  // Formats whose head may consist of text only.
  { kind: 'other', at: 257, bytes: 'ustar' },
  { kind: 'other', at: 0, bytes: '!<arch>\n' },
  { kind: 'other', at: 0, bytes: '070701' },
  { kind: 'other', at: 32_769, bytes: 'CD001' },
];

/** Programs, archives, audio, video and disk images. Later signatures do not count after one of these, unless all is text. */
const REFUSED: readonly Signature[] = [
  ...['MZ', '\x7fELF', '\xca\xfe\xba\xbe', '\0asm', 'dex\n'],
  ...['\xfe\xed\xfa\xce', '\xfe\xed\xfa\xcf', '\xce\xfa\xed\xfe', '\xcf\xfa\xed\xfe', '\xbe\xba\xfe\xca'],
  ...[
    'PK',
    '\x1f\x8b',
    'BZh',
    '\xfd7zXZ',
    '7z\xbc\xaf',
    'Rar!',
    'MSCF',
    '\x28\xb5\x2f\xfd',
    '\x04\x22\x4d\x18',
    'LZIP',
  ],
  ...['ID3', '\xff\xfb', 'OggS', 'fLaC', 'RIFF', 'FORM', '\x1aE\xdf\xa3', '\0\0\x01\xba', '\x30\x26\xb2\x75'],
  ...['QFI\xfb', 'KDMV', 'conectix', 'vhdxfile'],
].map((bytes) => ({ at: 0, bytes }));
const FILM: Signature = { at: 4, bytes: 'ftyp' };

/** Byte-order marks, printer headers and NULs may precede these two. */
const WITHIN_BYTES = 1_024;
const RTF = '{\\rtf';
const RTF_FIRST = /^\s*\{\\rtf/;
const PDF = '%PDF-';
/** A text may mention PDF, but contains no PDF objects. */
const PDF_OBJECT = /\b\d+ \d+ obj\b/;

/** Detects by the first bytes only; the contents of a ZIP are listed at its end. */
export function detectFromHead(head: Uint8Array): FileKind | 'zip' {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const hasSignature = ({ at, bytes: signatureBytes }: Signature) =>
    bytes.subarray(at, at + signatureBytes.length).equals(Buffer.from(signatureBytes, 'latin1'));
  const signature = SIGNATURES.find(hasSignature);
  if (signature) return signature.kind;
  const start = bytes.toString('latin1', 0, WITHIN_BYTES);
  if (isText(bytes)) {
    if (RTF_FIRST.test(withoutBom(start))) return 'rtf';
    return start.includes(PDF) && PDF_OBJECT.test(bytes.toString('latin1')) ? 'pdf' : 'text';
  }
  if ([...REFUSED, FILM].some(hasSignature)) return 'other';
  if (start.includes(RTF)) return 'rtf';
  return start.includes(PDF) ? 'pdf' : 'other';
}

/** A file whose parts are fetched on demand; `to` is inclusive, and `undefined` means that the file is gone. */
type FileParts = { size: number; head: Uint8Array; read(from: number, to: number): Promise<Buffer | undefined> };

/** Larger than the directory of any office file. */
const MAX_DIRECTORY_BYTES = 8_388_608;

/** `gone`: the file was removed before detection had read enough. */
export async function detectType(file: FileParts): Promise<FileKind | 'gone'> {
  const kind = detectFromHead(file.head.subarray(0, HEAD_BYTES));
  if (kind !== 'zip') return kind;
  const tailFrom = Math.max(0, file.size - ZIP_END_BYTES);
  const tail = await file.read(tailFrom, file.size - 1);
  if (!tail) return 'gone';
  const location = findDirectory(tail, file.size);
  if (!location || location.end - location.from > MAX_DIRECTORY_BYTES || location.from === location.end) return 'other';
  const isInTail = location.from >= tailFrom;
  const bytes = isInTail ? tail.subarray(location.from - tailFrom) : await file.read(location.from, location.end - 1);
  if (!bytes) return 'gone';
  const entries = parseDirectory(bytes, location.entries);
  return entries === 'damaged' ? 'other' : detectZip([...entries.keys()]);
}

const MAIN_ENTRIES: readonly [RegExp, FileKind][] = [
  [/^word\/document\d*\.xml$/, 'docx'],
  [/^xl\/workbook\d*\.xml$/, 'xlsx'],
  [/^ppt\/presentation\d*\.xml$/, 'pptx'],
  [/^content\.xml$/, 'open document'],
];
/** Entries of programs in a ZIP, which may contain the entries of an office file as well. */
const PROGRAM_ENTRY = /^(META-INF\/MANIFEST\.MF|AndroidManifest\.xml|AppxManifest\.xml|classes\.dex)$/;
const OPEN_DOCUMENT_ENTRY = /^(mimetype|META-INF\/manifest\.xml)$/;

function detectZip(names: readonly string[]): FileKind {
  if (names.some((name) => PROGRAM_ENTRY.test(name))) return 'other';
  const kind = MAIN_ENTRIES.find(([main]) => names.some((name) => main.test(name)))?.[1] ?? 'other';
  return kind === 'open document' && !names.some((name) => OPEN_DOCUMENT_ENTRY.test(name)) ? 'other' : kind;
}

const BYTE_ORDER_MARKS = [
  ['utf-16le', '\xff\xfe'],
  ['utf-16be', '\xfe\xff'],
] as const;

/** The start of a text without its byte-order mark, and for UTF-16 without the zero bytes. */
const withoutBom = (start: string): string =>
  BYTE_ORDER_MARKS.some(([, mark]) => start.startsWith(mark))
    ? start.slice(2).replaceAll('\0', '')
    : start.replace(/^\xef\xbb\xbf/, '');

/** Text in UTF-8, in UTF-16 with a byte-order mark, or in an 8-bit code page: no control characters but white space. */
function isText(bytes: Buffer): boolean {
  const mark = bytes.toString('latin1', 0, 2);
  const wide = BYTE_ORDER_MARKS.find(([, markBytes]) => mark === markBytes);
  const units = wide ? Array.from(new TextDecoder(wide[0]).decode(bytes), (unit) => unit.charCodeAt(0)) : bytes;
  return !units.some(isControl);
}

const SPACE_FROM = 0x09; // tab, line feed, vertical tab, form feed, carriage return
const SPACE_TO = 0x0d;
const ESCAPE = 0x1b; // logs of terminals contain it
const DELETE = 0x7f;

const isControl = (code: number): boolean =>
  code === DELETE || (code < 0x20 && (code < SPACE_FROM || code > SPACE_TO) && code !== ESCAPE);
