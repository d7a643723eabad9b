/** Gives out a signed address for one upload, and a storage path that nobody else is ever given. */
import type { Blobs, Clock, Table } from '../ports.ts';
import { checkFileName } from './accepted-types.ts';
import { FILE_LIMITS, type File, fileDraft, fileKey, STORAGE_PREFIX } from './file.ts';
import { cleanFileName } from './file-name.ts';
import { fileNotFound, findFile } from './find-file.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock };
export type UploadOffer = { uploadUrl: string; fileId: string; storagePath: string };

export async function requestUpload(
  { table, blobs, clock }: Ports,
  { organization, fileId, ...input }: { organization: string; fileId: string; fileName: string },
): Promise<UploadOffer> {
  const fileName = cleanFileName(input.fileName);
  checkFileName(fileName);
  const now = clock.now();
  // A repeat after a crash or a lost reply finds the row of the first try, and goes on with its path.
  const before = await table.get<File>(fileKey(organization, fileId));
  const storagePath = before?.value.storagePath ?? (await freePath(table, { organization, fileName, now }));
  const goneAt = before?.value.goneAt ?? now + FILE_LIMITS.awaitedMs;
  if (!before) {
    const awaited = { state: 'awaited', createdAt: now, goneAt, storagePath } as const;
    const inserted = await table.insert(fileDraft(organization, fileId, awaited));
    // The first try was only slow: its row came first.
    if (!inserted) return requestUpload({ table, blobs, clock }, { organization, fileId, fileName });
  }
  return { fileId, storagePath, uploadUrl: await addressUntil({ blobs, clock }, { storagePath, goneAt }) };
}

/** The same offer with a fresh address, for as long as the file is awaited or there. */
export async function offerAgain(
  ports: Ports,
  organization: string,
  { fileId, storagePath }: Omit<UploadOffer, 'uploadUrl'>,
): Promise<UploadOffer> {
  const { value } = await findFile(ports, { organization, fileId });
  return { fileId, storagePath, uploadUrl: await addressUntil(ports, { storagePath, goneAt: value.goneAt }) };
}

/** An address must not outlive its row: nobody would ever find what comes through it, nor remove it. */
async function addressUntil({ blobs, clock }: Omit<Ports, 'table'>, o: { storagePath: string; goneAt: number }) {
  const secondsLeft = Math.floor((o.goneAt - clock.now()) / 1_000);
  if (secondsLeft < 1) throw fileNotFound();
  return blobs.uploadAddress(o.storagePath, Math.min(secondsLeft, FILE_LIMITS.uploadSeconds));
}

/** Two uploads of one name in one millisecond: the later takes the next free one, so the path keeps its shape. */
async function freePath(table: Table, o: { organization: string; fileName: string; now: number }): Promise<string> {
  for (let at = o.now; ; at++) {
    const name = `${at}-${o.fileName}`;
    const place = { pk: `O#${o.organization}#PATH#${name}`, sk: 'PATH' };
    if (await table.insert({ ...place, value: {}, expiresAt: o.now + 2 * FILE_LIMITS.awaitedMs })) {
      return `${STORAGE_PREFIX}/${o.organization}/${name}`;
    }
  }
}
