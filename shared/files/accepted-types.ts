/** The file types that are accepted, by name and by declared type. */
import { Problem } from '../core/problem.ts';
import type { Arrived, Blobs, Bytes } from '../ports.ts';
import { detectFromHead, detectType, type FileKind } from './detect-type.ts';

/** Which files are taken: documents, pictures, data and any text; nothing that runs, packs, plays or boots. */
const words = (text: string): string[] => text.trim().split(/\s+/);

/** Refused by name, whatever the bytes. */
const REFUSED = new Set(
  words(`
    exe dll com scr msi msix sys drv ocx cpl so dylib o a ko elf bin app apk ipa deb rpm pkg class pyc wasm
    iso img dmg vhd vhdx vmdk vdi qcow qcow2 toast
    zip zipx jar war ear tar gz tgz bz2 tbz2 xz txz 7z rar zst lz lz4 lzma z cab ar cpio
    mp3 wav flac ogg oga opus m4a aac wma aif aiff mid midi amr
    mp4 m4v mov avi mkv webm wmv flv mpg mpeg 3gp 3g2 ogv ts2 vob`),
);

const OFFICE_ZIP = words('docx docm xlsx xlsm pptx pptm odt ods odp');

/** What the bytes of a known binary format may be called. Text may be called anything that is not refused. */
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

/** Programs export RTF and HTML as .doc, HTML and CSV as .xls, and readers go by the bytes. */
const TEXT_TOO = new Set(['doc', 'xls']);

/** What lies in a compound file once it has a password, and the entry that says so. */
const LOCKED = new Set(words('docx docm xlsx xlsm pptx pptm'));
const LOCKED_ENTRY = Buffer.from('EncryptedPackage', 'utf16le');

const BINARY_EXTENSIONS = new Set(Object.values(EXTENSIONS).flat());

const extensionOf = (fileName: string): string => /\.([^.]+)$/u.exec(fileName)?.[1]?.toLowerCase() ?? '';

export function checkFileName(fileName: string): void {
  const extension = extensionOf(fileName);
  if (REFUSED.has(extension)) throw new Problem('invalid', `Unsupported file type: .${extension}`);
}

/** Refuses by the head of a file what no later byte can make acceptable, so that a fetch can end early. */
export function checkHead(head: Uint8Array, fileName: string): void {
  const kind = detectFromHead(head);
  if (kind !== 'zip' && !mayBeLocked(kind, fileName)) checkKind(kind, fileName);
}

/** Judges what arrived, and returns what it is. Undefined: it has gone before all of it was seen that has to be. */
export async function checkBytes(
  blobs: Pick<Blobs, 'read'>,
  { at, size, head }: Arrived,
  fileName: string,
): Promise<FileKind | undefined> {
  const read = async (from: number, to: number) =>
    to < head.byteLength ? Buffer.from(head.subarray(from, to + 1)) : wholeOf(await blobs.read(at, { from, to }));
  const kind = await detectType({ size, head, read });
  if (kind === undefined) return undefined;
  if (!mayBeLocked(kind, fileName)) checkKind(kind, fileName);
  else if (!Buffer.from(head).includes(LOCKED_ENTRY)) {
    const from = entriesAt(Buffer.from(head));
    const entries = from < size ? await read(from, Math.min(from + ENTRIES_BYTES, size) - 1) : Buffer.alloc(0);
    if (entries === undefined) return undefined;
    if (!entries.includes(LOCKED_ENTRY)) throw unsupported();
  }
  return kind;
}

function checkKind(kind: FileKind, fileName: string): void {
  const extension = extensionOf(fileName);
  if (kind === 'text' || kind === 'rtf') {
    // A name without a known extension takes any text; a name of a binary format takes only its own bytes.
    if (BINARY_EXTENSIONS.has(extension) && !TEXT_TOO.has(extension)) throw unsupported();
    return;
  }
  const extensions = EXTENSIONS[kind];
  if (!extensions || (extension !== '' && !extensions.includes(extension))) throw unsupported();
}

const mayBeLocked = (kind: FileKind, fileName: string): boolean =>
  kind === 'compound file' && LOCKED.has(extensionOf(fileName));

const unsupported = () => new Problem('invalid', 'Unsupported file type');

async function wholeOf(body: Bytes | undefined): Promise<Buffer | undefined> {
  if (!body) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const ENTRIES_BYTES = 4_096;
const HEADER_BYTES = 512;

/** Where the names in a compound file begin: anywhere, its header says. */
function entriesAt(head: Buffer): number {
  if (head.length < HEADER_BYTES) return head.length;
  const sectorBytes = head.readUInt16LE(30) === 12 ? 4_096 : 512;
  return (head.readUInt32LE(48) + 1) * sectorBytes;
}

/** MIME types: whether a text is one, and which a detected kind of file has. */
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
  rtf: 'application/rtf',
  docx: `${OFFICE}wordprocessingml.document`,
  xlsx: `${OFFICE}spreadsheetml.sheet`,
  pptx: `${OFFICE}presentationml.presentation`,
};

/** Where several types share one kind, the name says which it is. */
const TYPES_BY_EXTENSION: Partial<Record<FileKind, Record<string, string>>> = {
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

/** Undefined where bytes and name leave it open, as with any text. */
export function mimeTypeOf(kind: FileKind, fileName: string): string | undefined {
  const extension = /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return TYPES_BY_EXTENSION[kind]?.[extension] ?? TYPES[kind];
}
