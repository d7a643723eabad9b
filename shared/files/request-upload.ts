/** Gives out a signed address for one upload, and a storage path that nobody else is ever given. */
import type { Blobs, Clock, Table } from '../ports.ts';
import { AWAITED_MS, type AwaitedFile, FILE_LIMITS, fileKey, STORAGE_PREFIX } from './file.ts';
import { cleanFileName } from './file-name.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock };
export type UploadOffer = { uploadUrl: string; fileId: string; storagePath: string };

export async function requestUpload(
  { table, blobs, clock }: Ports,
  input: { organization: string; fileId: string; fileName: string },
): Promise<UploadOffer> {
  const { organization, fileId } = input;
  const now = clock.now();
  // A repeat after a crash finds the row of the first try, and goes on with its path.
  const before = await table.get<AwaitedFile>(fileKey(organization, fileId));
  const storagePath =
    before?.value.storagePath ?? (await freePath(table, organization, cleanFileName(input.fileName), now));
  if (!before) {
    const value: AwaitedFile = { state: 'awaited', storagePath, createdAt: now };
    const awaitedUntil = now + AWAITED_MS;
    await table.insert({ ...fileKey(organization, fileId), value, dueAt: awaitedUntil });
  }
  return { fileId, storagePath, uploadUrl: await uploadAddress(blobs, storagePath) };
}

export const uploadAddress = (blobs: Blobs, storagePath: string): Promise<string> =>
  blobs.uploadAddress(storagePath, FILE_LIMITS.uploadSeconds);

/** Two uploads of one name in one millisecond: the later takes the next free one, so the path keeps its shape. */
async function freePath(table: Table, organization: string, fileName: string, now: number): Promise<string> {
  for (let at = now; ; at++) {
    const storagePath = `${STORAGE_PREFIX}/${organization}/${at}-${fileName}`;
    const place = {
      pk: `O#${organization}#PATH#${at}-${fileName}`,
      sk: 'PATH',
      value: {},
      expiresAt: now + 2 * AWAITED_MS,
    };
    if (await table.insert(place)) return storagePath;
  }
}
