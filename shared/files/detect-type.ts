/** Accepted file types, and detection of a file's type by its bytes. */
import { Problem } from '../core/problem.ts';
import type { Arrived, Blobs, Bytes } from '../ports.ts';

/** An entry of a ZIP's central directory, which is at the end of the file and alone defines its contents. */
export type ZipEntry = { method: number; flags: number; packed: number; at: number };
/** `end` is exclusive. */
type DirectoryLocation = { from: number; end: number; entries: number };

const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;
const DIRECTORY = 0x02014b50;
const DIRECTORY_BYTES = 46;

/** How much of the end of a file may hold the end-of-directory record. */
const ZIP_END_BYTES = END_BYTES + MAX_COMMENT;

/** The record is at the very end, followed only by a comment. `undefined`: not a complete ZIP. */
export function findDirectory(tail: Buffer, size: number): DirectoryLocation | undefined {
  const last = tail.length - END_BYTES;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at--) {
    if (tail.readUInt32LE(at) !== END) continue;
    const end = size - tail.length + at;
    const from = tail.readUInt32LE(at + 16);
    return from <= end ? { from, end, entries: tail.readUInt16LE(at + 10) } : undefined;
  }
  return undefined;
}

export function parseDirectory(bytes: Buffer, amount: number): Map<string, ZipEntry> | 'damaged' {
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  for (let n = 0; n < amount; n++) {
    if (at + DIRECTORY_BYTES > bytes.length || bytes.readUInt32LE(at) !== DIRECTORY) return 'damaged';
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + DIRECTORY_BYTES, at + DIRECTORY_BYTES + nameLength);
    entries.set(name.replaceAll('\\', '/').replace(/^\//, ''), {
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      packed: bytes.readUInt32LE(at + 20),
      at: bytes.readUInt32LE(at + 42),
    });
    at += DIRECTORY_BYTES + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

/** The type of a file by its bytes. Uploads, imports and document readers all use it. */
type FileKind =
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
  const starts = ({ at, bytes: wanted }: Signature) =>
    bytes.subarray(at, at + wanted.length).equals(Buffer.from(wanted, 'latin1'));
  const known = SIGNATURES.find(starts);
  if (known) return known.kind;
  const first = bytes.toString('latin1', 0, WITHIN_BYTES);
  if (isText(bytes)) {
    if (RTF_FIRST.test(withoutBom(first))) return 'rtf';
    return first.includes(PDF) && PDF_OBJECT.test(bytes.toString('latin1')) ? 'pdf' : 'text';
  }
  if ([...REFUSED, FILM].some(starts)) return 'other';
  if (first.includes(RTF)) return 'rtf';
  return first.includes(PDF) ? 'pdf' : 'other';
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
const withoutBom = (first: string): string =>
  BYTE_ORDER_MARKS.some(([, mark]) => first.startsWith(mark))
    ? first.slice(2).replaceAll('\0', '')
    : first.replace(/^\xef\xbb\xbf/, '');

/** Text in UTF-8, in UTF-16 with a byte-order mark, or in an 8-bit code page: no control characters but white space. */
function isText(bytes: Buffer): boolean {
  const mark = bytes.toString('latin1', 0, 2);
  const wide = BYTE_ORDER_MARKS.find(([, wanted]) => mark === wanted);
  const units = wide ? Array.from(new TextDecoder(wide[0]).decode(bytes), (unit) => unit.charCodeAt(0)) : bytes;
  return !units.some(isControl);
}

const SPACE_FROM = 0x09; // tab, line feed, vertical tab, form feed, carriage return
const SPACE_TO = 0x0d;
const ESCAPE = 0x1b; // logs of terminals contain it
const DELETE = 0x7f;

const isControl = (code: number): boolean =>
  code === DELETE || (code < 0x20 && (code < SPACE_FROM || code > SPACE_TO) && code !== ESCAPE);

/** Accepted files: documents, images, data and any text; no programs, archives, audio, video or disk images. */
const words = (text: string): string[] => text.trim().split(/\s+/);

/** Refused by extension, independent of the bytes. */
const REFUSED_EXTENSIONS = new Set(
  words(`
    exe dll com scr msi msix sys drv ocx cpl so dylib o a ko elf bin app apk ipa deb rpm pkg class pyc wasm
    iso img dmg vhd vhdx vmdk vdi qcow qcow2 toast
    zip zipx jar war ear tar gz tgz bz2 tbz2 xz txz 7z rar zst lz lz4 lzma z cab ar cpio
    mp3 wav flac ogg oga opus m4a aac wma aif aiff mid midi amr
    mp4 m4v mov avi mkv webm wmv flv mpg mpeg 3gp 3g2 ogv ts2 vob`),
);

const OFFICE_ZIP = words('docx docm xlsx xlsm pptx pptm odt ods odp');

/** The extensions allowed for a binary format. Text may have any extension that is not refused. */
const EXTENSIONS: Partial<Record<FileKind, readonly string[]>> = {
  pdf: ['pdf'],
  png: ['png'],
  jpeg: ['jpg', 'jpeg'],
  gif: ['gif'],
  webp: ['webp'],
  docx: OFFICE_ZIP,
  xlsx: OFFICE_ZIP,
  pptx: OFFICE_ZIP,
  'open document': OFFICE_ZIP,
  'compound file': words('doc xls ppt'),
};

/** Programs export RTF and HTML as .doc, and HTML and CSV as .xls; readers go by the bytes. */
const TEXT_TOO = new Set(['doc', 'xls']);

/** Formats that become a compound file when protected by a password, and the entry that shows it. */
const LOCKED = new Set(words('docx docm xlsx xlsm pptx pptm'));
const LOCKED_ENTRY = Buffer.from('EncryptedPackage', 'utf16le');

const BINARY_EXTENSIONS = new Set(Object.values(EXTENSIONS).flat());

/** Whether a name has the extension of a document or picture that is not text. */
export const hasBinaryExtension = (fileName: string): boolean => BINARY_EXTENSIONS.has(extensionOf(fileName));

const extensionOf = (fileName: string): string => /\.([^.]+)$/u.exec(fileName)?.[1]?.toLowerCase() ?? '';

export function checkFileName(fileName: string): void {
  const extension = extensionOf(fileName);
  if (REFUSED_EXTENSIONS.has(extension)) throw new Problem('invalid', `Unsupported file type: .${extension}`);
}

/** Rejects by its head a file that no later byte can make acceptable, so that a fetch can stop early. */
export function checkHead(head: Uint8Array, fileName: string): void {
  const kind = detectFromHead(head);
  if (kind !== 'zip' && !mayBeLocked(kind, fileName)) checkKind(kind, fileName);
}

/** Checks the bytes that arrived and returns their type. `gone`: they were removed before the check had read enough. */
export async function checkBytes(
  blobs: Pick<Blobs, 'read'>,
  { at, size, head }: Arrived,
  fileName: string,
): Promise<FileKind | 'gone'> {
  const read = async (from: number, to: number) =>
    to < head.byteLength ? Buffer.from(head.subarray(from, to + 1)) : wholeOf(await blobs.read(at, { from, to }));
  const kind = await detectType({ size, head, read });
  if (kind === 'gone') return kind;
  if (!mayBeLocked(kind, fileName)) checkKind(kind, fileName);
  else if (!Buffer.from(head).includes(LOCKED_ENTRY)) {
    const from = entriesAt(Buffer.from(head));
    const entries = from < size ? await read(from, Math.min(from + ENTRIES_BYTES, size) - 1) : Buffer.alloc(0);
    if (entries === undefined) return 'gone';
    if (!entries.includes(LOCKED_ENTRY)) throw unsupported();
  }
  return kind;
}

function checkKind(kind: FileKind, fileName: string): void {
  const extension = extensionOf(fileName);
  if (kind === 'text' || kind === 'rtf') {
    // A name without a known extension accepts any text; the extension of a binary format accepts only that format.
    if (BINARY_EXTENSIONS.has(extension) && !TEXT_TOO.has(extension)) throw mismatched(extension);
    return;
  }
  const extensions = EXTENSIONS[kind];
  if (!extensions) throw unsupported();
  if (extension !== '' && !extensions.includes(extension)) throw mismatched(extension);
}

const mayBeLocked = (kind: FileKind, fileName: string): boolean =>
  kind === 'compound file' && LOCKED.has(extensionOf(fileName));

const unsupported = () => new Problem('invalid', 'Unsupported file type');
const mismatched = (extension: string) =>
  new Problem('invalid', `Unsupported file type: the content does not match the extension .${extension}`);

async function wholeOf(body: Bytes | undefined): Promise<Buffer | undefined> {
  if (!body) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const ENTRIES_BYTES = 4_096;
const HEADER_BYTES = 512;

/** The offset of the directory in a compound file, from its header. */
function entriesAt(head: Buffer): number {
  if (head.length < HEADER_BYTES) return head.length;
  const sectorBytes = head.readUInt16LE(30) === 12 ? 4_096 : 512;
  return (head.readUInt32LE(48) + 1) * sectorBytes;
}

/** MIME types: their syntax, and the type of each detected kind of file. */
const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
/** RFC 9110: a type and a subtype, with parameters such as `; charset=utf-8`. */
const MIME_TYPE = new RegExp(`^${TOKEN}/${TOKEN}([ \\t]*;[ \\t]*${TOKEN}=(${TOKEN}|"[^"\\\\\\p{Cc}]*"))*$`, 'u');

export const isMimeType = (text: string): boolean => MIME_TYPE.test(text);

const OFFICE = 'application/vnd.openxmlformats-officedocument.';
const OPEN = 'application/vnd.oasis.opendocument.';

const TYPES: Partial<Record<FileKind, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  text: 'text/plain',
  rtf: 'application/rtf',
  docx: `${OFFICE}wordprocessingml.document`,
  xlsx: `${OFFICE}spreadsheetml.sheet`,
  pptx: `${OFFICE}presentationml.presentation`,
};

/** Where several types share one kind, the extension decides. */
const TYPES_BY_EXTENSION: Partial<Record<FileKind, Record<string, string>>> = {
  text: {
    csv: 'text/csv',
    htm: 'text/html',
    html: 'text/html',
    json: 'application/json',
    md: 'text/markdown',
    xml: 'application/xml',
  },
  'open document': { odt: `${OPEN}text`, ods: `${OPEN}spreadsheet`, odp: `${OPEN}presentation` },
  'compound file': {
    doc: 'application/msword',
    xls: 'application/vnd.ms-excel',
    ppt: 'application/vnd.ms-powerpoint',
  },
  docx: { docm: 'application/vnd.ms-word.document.macroEnabled.12' },
  xlsx: { xlsm: 'application/vnd.ms-excel.sheet.macroEnabled.12' },
  pptx: { pptm: 'application/vnd.ms-powerpoint.presentation.macroEnabled.12' },
};

/** `undefined`: bytes and name do not determine the type. */
export function mimeTypeOf(kind: FileKind, fileName: string): string | undefined {
  const extension = /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return TYPES_BY_EXTENSION[kind]?.[extension] ?? TYPES[kind];
}
