/** Gives out a signed address for one upload, and a storage path that nobody else is ever given. */
import type { Blobs, Clock, Table } from '../ports.ts';
import { checkFileName } from './accepted-types.ts';
import { FILE_LIMITS, type File, fileDraft, fileKey, STORAGE_PREFIX } from './file.ts';
import { cleanFileName } from './file-name.ts';

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
  if (!before) {
    const awaited = { state: 'awaited', createdAt: now, goneAt: now + FILE_LIMITS.awaitedMs, storagePath } as const;
    const inserted = await table.insert(fileDraft(organization, fileId, awaited));
    // The first try was only slow: its row came first.
    if (!inserted) return requestUpload({ table, blobs, clock }, { organization, fileId, fileName });
  }
  return { fileId, storagePath, uploadUrl: await uploadAddress(blobs, storagePath) };
}

export const uploadAddress = (blobs: Blobs, storagePath: string): Promise<string> =>
  blobs.uploadAddress(storagePath, FILE_LIMITS.uploadSeconds);

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
