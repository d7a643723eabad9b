/** Accepted files: documents, images, data and any text; no programs, archives, audio, video or disk images. */

import { Problem } from '../core/problem.ts';
import type { ArrivedUpload, Blobs, Bytes } from '../ports.ts';
import { detectFromHead, detectType, type FileKind } from './detect-type.ts';

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
  { at, size, head }: ArrivedUpload,
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

const extensionOf = (fileName: string): string => /\.([^.]+)$/u.exec(fileName)?.[1]?.toLowerCase() ?? '';

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
