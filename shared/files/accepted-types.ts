/** Which files are taken: documents, pictures, data and any text; nothing that runs, packs, plays or boots. */
import { Problem } from '../core/problem.ts';
import type { Blobs } from '../ports.ts';
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
  const fits = kind === 'text' ? !BINARY_EXTENSIONS.has(extension) : EXTENSIONS[kind]?.includes(extension);
  const unnamed = kind !== 'text' && kind in EXTENSIONS && extension === '';
  if (!fits && !unnamed) throw new Problem('invalid', 'Unsupported file type');
}

export async function checkBytes(blobs: Blobs, key: string, fileName: string): Promise<void> {
  const body = await blobs.read(key, { from: 0, to: HEAD_BYTES - 1 });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  checkHead(Buffer.concat(chunks), fileName);
}
