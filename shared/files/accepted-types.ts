/** Which files are taken: documents, pictures, data and any text; nothing that runs, packs, plays or boots. */
import { Problem } from '../core/problem.ts';
import type { Arrived, Blobs, Bytes } from '../ports.ts';
import { kindOf } from './kind-of-bytes.ts';

/** As much of a file as tells what it is: a disk image only says so behind 32 KB. */
export const HEAD_BYTES = 65_536;

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

/** What the bytes of a known binary format may be called. Text may be called anything that is not refused. */
const EXTENSIONS: Record<string, readonly string[]> = {
  pdf: ['pdf'],
  png: ['png'],
  jpeg: ['jpg', 'jpeg'],
  gif: ['gif'],
  webp: ['webp'],
  'office zip': words('docx docm xlsx xlsm pptx pptm odt ods odp'),
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

/** Judges the head of a file against its name. */
export function checkHead(head: Uint8Array, fileName: string): void {
  const kind = kindOf(head);
  const extension = extensionOf(fileName);
  // A name without a known extension takes any accepted bytes; a name of a binary format takes only those.
  const takesText = !BINARY_EXTENSIONS.has(extension) || TEXT_TOO.has(extension);
  const isLocked = kind === 'compound file' && LOCKED.has(extension) && Buffer.from(head).includes(LOCKED_ENTRY);
  const fits = kind === 'text' ? takesText : isLocked || EXTENSIONS[kind]?.includes(extension);
  const unnamed = kind !== 'text' && kind in EXTENSIONS && extension === '';
  if (!fits && !unnamed) throw new Problem('invalid', 'Unsupported file type');
}

/** Judges what arrived. False: it has gone before all of it was seen that has to be. */
export async function checkBytes(blobs: Pick<Blobs, 'read'>, arrived: Arrived, fileName: string): Promise<boolean> {
  const head = Buffer.from(arrived.head);
  const from = LOCKED.has(extensionOf(fileName)) ? entriesOf(head) : 0;
  const isInHead = from + ENTRIES_BYTES <= HEAD_BYTES;
  const entries = isInHead ? noBytes() : await blobs.read(arrived.at, { from, to: from + ENTRIES_BYTES - 1 });
  if (entries === undefined) return false;
  const seen: Uint8Array[] = [head];
  for await (const chunk of entries) seen.push(chunk);
  checkHead(Buffer.concat(seen), fileName);
  return true;
}

async function* noBytes(): Bytes {}

const ENTRIES_BYTES = 4_096;
const HEADER_BYTES = 512;

/** Where the names in a compound file begin: anywhere, its header says. */
function entriesOf(head: Buffer): number {
  if (head.length < HEADER_BYTES || kindOf(head) !== 'compound file') return 0;
  const sectorBytes = head.readUInt16LE(30) === 12 ? 4_096 : 512;
  return (head.readUInt32LE(48) + 1) * sectorBytes;
}
