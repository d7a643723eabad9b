/** Gives out a signed address for one upload, and a storage path that nobody else is ever given. */
import type { Blobs, Clock, Table } from '../ports.ts';
import { checkFileName } from './accepted-types.ts';
import { FILE_LIMITS, type File, fileKey, uploadedTo, uploadKey } from './file.ts';
import { cleanFileName } from './file-name.ts';
import { type FileAddress, fileNotFound, findFile } from './find-file.ts';

type UploadPorts = { table: Table; blobs: Blobs; clock: Clock };
export type UploadOffer = { uploadUrl: string; fileId: string; storagePath: string };

export async function requestUpload(
  ports: UploadPorts,
  input: FileAddress & { fileName: string },
): Promise<UploadOffer> {
  const { organization, fileId } = input;
  const fileName = cleanFileName(input.fileName);
  checkFileName(fileName);
  const now = ports.clock.now();
  const awaited = {
    state: 'awaited',
    createdAt: now,
    goneAt: now + FILE_LIMITS.awaitedMs,
    storagePath: pathOf(input, `${now}-${fileName}`),
    bytesAt: uploadKey(organization, fileId, now),
  } as const;
  // Nobody is told when its time is over: the table forgets it by itself, and its bytes are swept up with those of its hour.
  const draft = { ...fileKey(organization, fileId), value: awaited, expiresAt: awaited.goneAt };
  const inserted = await ports.table.insert<File>(draft);
  // A repeat after a crash or a lost reply meets the row of the first try, and goes on with its path.
  return inserted ? offerOf(ports, fileId, inserted.value) : renewOffer(ports, organization, { fileId });
}

/** `<prefix>/<team_id>/<epoch_milliseconds>-<fileName>`: by its prefix it is no other file's. */
const pathOf = ({ organization, fileId }: FileAddress, name: string): string => `${fileId}/${organization}/${name}`;

/** The same offer with a fresh address, for as long as the file is awaited or there. */
export async function renewOffer(
  ports: UploadPorts,
  organization: string,
  { fileId }: Pick<UploadOffer, 'fileId'>,
): Promise<UploadOffer> {
  const { value } = await findFile(ports, { organization, fileId });
  return offerOf(ports, fileId, value);
}

/** An address must not outlive its row: what comes later than the sweep expects nobody would find, nor remove. */
async function offerOf({ blobs, clock }: UploadPorts, fileId: string, file: File): Promise<UploadOffer> {
  const secondsLeft = Math.floor((file.goneAt - clock.now()) / 1_000);
  if (secondsLeft < 1) throw fileNotFound();
  const uploadUrl = await blobs.uploadAddress(uploadedTo(file), Math.min(secondsLeft, FILE_LIMITS.uploadSeconds));
  return { fileId, storagePath: file.storagePath ?? '', uploadUrl };
}
