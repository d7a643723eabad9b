/** How files arrive: uploads to a signed URL, and imports from a public URL. */
import { isProblem, Problem } from '../core/problem.ts';
import { keptMsIn, maxBytesIn, type StageLimited } from '../core/stage-limits.ts';
import type { Arrived, Blobs, Bytes, Clock, Fetched, Ids, Outbound, Row, Table } from '../ports.ts';
import { checkBytes, checkFileName, checkHead, HEAD_BYTES, isMimeType, mimeTypeOf } from './detect-type.ts';
import {
  blobKeyOf,
  bytesKey,
  cleanFileName,
  FILE_LIMITS,
  type File,
  type FileAddress,
  fileDraft,
  fileKey,
  fileNotFound,
  findFile,
  type StoredFile,
  uploadKey,
} from './file.ts';

/** Offers a signed URL for one upload, with a storage path that is never reused. */
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
  // No `dueAt`: the table drops the expired row by itself, and the sweep of its hour removes the bytes.
  const draft = { ...fileKey(organization, fileId), value: awaited, expiresAt: awaited.goneAt };
  const inserted = await ports.table.insert<File>(draft);
  // A retry after a crash or a lost response finds the row of the first try and returns its path.
  return inserted ? offerOf(ports, fileId, inserted.value) : renewOffer(ports, organization, { fileId });
}

/** `<prefix>/<team_id>/<epoch_milliseconds>-<fileName>`: the prefix is unique to the file. */
const pathOf = ({ organization, fileId }: FileAddress, name: string): string => `${fileId}/${organization}/${name}`;

/** The same offer with a new URL, while the file is awaited or stored. */
export async function renewOffer(
  ports: UploadPorts,
  organization: string,
  { fileId }: Pick<UploadOffer, 'fileId'>,
): Promise<UploadOffer> {
  const { value } = await findFile(ports, { organization, fileId });
  return offerOf(ports, fileId, value);
}

/** A signed URL must expire before its row: bytes that arrive after the sweep would never be found or removed. */
async function offerOf({ blobs, clock }: UploadPorts, fileId: string, file: File): Promise<UploadOffer> {
  const secondsLeft = Math.floor((file.goneAt - clock.now()) / 1_000);
  if (secondsLeft < 1) throw fileNotFound();
  const uploadUrl = await blobs.uploadAddress(blobKeyOf(file), Math.min(secondsLeft, FILE_LIMITS.uploadSeconds));
  return { fileId, storagePath: file.storagePath ?? '', uploadUrl };
}

/** Completes an upload: checks the newest version that arrived. The file stays that version. */
type CompletionPorts = StageLimited & { table: Table; blobs: Blobs; clock: Clock };
type Completion = { fileName: string; mimeType: string; size: number; storagePath: string };
type CompletionRequest = Completion & FileAddress;

export async function completeUpload(ports: CompletionPorts, input: CompletionRequest): Promise<void> {
  const row = await findFile(ports, input);
  if (row.value.storagePath !== input.storagePath) throw invalid('storagePath is not the one given for this file');
  const request = { ...input, fileName: cleanFileName(input.fileName) };
  if (row.value.state === 'stored') return unchanged(row.value, request);

  checkFileName(request.fileName);
  if (!isMimeType(request.mimeType))
    throw invalid('mimeType is not a valid MIME type. Give one such as application/pdf');
  const bytesAt = await arrivedAt(ports, row, request);
  // Retries after losing a race against newer bytes, another completion or the expiry.
  const isStored =
    bytesAt !== undefined &&
    (await ports.blobs.keep(bytesAt)) &&
    (await ports.table.replace(row, storedDraft(ports, request, bytesAt)));
  if (!isStored) return completeUpload(ports, input);
}

/** `undefined`: the row or the bytes have changed since. */
async function arrivedAt(
  ports: CompletionPorts,
  row: Row<File>,
  request: CompletionRequest,
): Promise<string | undefined> {
  const arrived = await ports.blobs.arrived(row.value.bytesAt, HEAD_BYTES);
  try {
    if (!arrived) throw invalid('Upload not found');
    return (await isJudged(ports, arrived, request)) ? arrived.at : undefined;
  } catch (error) {
    // Newer bytes may be invalid although a concurrent completion has stored older ones.
    if (!isProblem(error, 'invalid') || (await findFile(ports, request)).version === row.version) throw error;
    return undefined;
  }
}

/** False if the bytes were removed meanwhile. */
async function isJudged(
  ports: CompletionPorts,
  arrived: Arrived,
  { size, fileName }: CompletionRequest,
): Promise<boolean> {
  const { blobs } = ports;
  if (arrived.size > maxBytesIn(ports)) {
    await blobs.remove(arrived.at);
    throw tooLarge(maxBytesIn(ports));
  }
  if (arrived.size !== size) throw invalid(`size is ${size}, but ${arrived.size} bytes were uploaded`);
  if (size === 0) throw invalid('The uploaded file is empty');
  return (await checkBytes(blobs, arrived, fileName)) !== 'gone';
}

function storedDraft(ports: CompletionPorts, o: CompletionRequest, bytesAt: string) {
  const { fileName, mimeType, size, storagePath } = o;
  const createdAt = ports.clock.now();
  const goneAt = createdAt + keptMsIn(ports);
  const stored = { state: 'stored', fileName, mimeType, size, createdAt, goneAt, bytesAt, storagePath } as const;
  return fileDraft(o.organization, o.fileId, stored);
}

function unchanged(stored: StoredFile, completion: Completion): void {
  const same = (['fileName', 'mimeType', 'size'] as const).every((field) => stored[field] === completion[field]);
  if (!same) throw invalid('This file was completed before, with other fields');
}

const invalid = (message: string) => new Problem('invalid', message);
const tooLarge = (maxBytes: number) => invalid(`A file has at most ${maxBytes} bytes`);

// The name and type of a fetched file.

/** The type that servers send for files of unknown type. */
const UNKNOWN_TYPE = 'application/octet-stream';
const TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/;

/** From `Content-Disposition`, else the last segment of the path, else empty. */
export const nameOf = ({ headers, url }: Fetched): string =>
  nameIn(headers['content-disposition'] ?? '') || decoded(new URL(url).pathname.split('/').at(-1) ?? '');

/** `undefined`: the server sends no useful type. */
function typeOf({ headers }: Fetched): string | undefined {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  return TYPE.test(type) && type !== UNKNOWN_TYPE ? type : undefined;
}

/** RFC 6266: the extended parameter wins over the plain one. */
function nameIn(disposition: string): string | undefined {
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return decoded(extended);
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, '$1');
  return /;\s*filename\s*=\s*([^;\s"]+)/i.exec(disposition)?.[1];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Imports a file: fetches a public URL and stores the stream. */
type ImportPorts = StageLimited & { table: Table; blobs: Blobs; clock: Clock; ids: Ids; outbound: Outbound };
/** `ownHosts`: the hosts of our own APIs. */
type Import = { organization: string; fileId: string; url: string; ownHosts: string[] };

const MAX_REDIRECTS = 3;
const SECONDS = 25;
const FALLBACK_TYPE = 'application/octet-stream';

export async function importFile(ports: ImportPorts, input: Import): Promise<void> {
  const { table, blobs, clock } = ports;
  const { organization, fileId } = input;
  const row = await awaitedRow(ports, input);
  if (row === 'stored') return;
  const { bytesAt } = row.value;
  const file = await fetchInto(ports, input, bytesAt).catch(async (error) => {
    await blobs.remove(bytesAt);
    await table.remove(row);
    throw error;
  });
  const createdAt = clock.now();
  const goneAt = createdAt + keptMsIn(ports);
  const stored = fileDraft(organization, fileId, { ...file, state: 'stored', createdAt, goneAt, bytesAt });
  // If this throws, the write may have succeeded, so the bytes must stay.
  if (await table.replace(row, stored)) return;
  await blobs.remove(bytesAt);
  throw importRunning();
}

/** The row tells the reconciler where bytes may be if the process dies during the import. `stored`: the file exists. */
async function awaitedRow(
  { table, blobs, ids, clock }: ImportPorts,
  { organization, fileId }: Import,
): Promise<Row<File> | 'stored'> {
  const before = await table.get<File>(fileKey(organization, fileId));
  if (before?.value.state === 'stored') return 'stored'; // only the response was lost
  const now = clock.now();
  const bytesAt = bytesKey(organization, fileId, ids.mark());
  const value = { state: 'awaited', createdAt: now, goneAt: now + FILE_LIMITS.awaitedMs, bytesAt } as const;
  const draft = { ...fileDraft(organization, fileId, value), value };
  const row = before ? await table.replace(before, draft) : await table.insert(draft);
  if (!row) throw importRunning();
  if (before) await blobs.remove(before.value.bytesAt);
  return row;
}

const importRunning = () =>
  new Problem('busy', 'This import is running already; try again shortly.', { retryAfterSeconds: SECONDS });

async function fetchInto(ports: ImportPorts, { url, ownHosts }: Import, bytesAt: string) {
  const { outbound, blobs } = ports;
  const maxBytes = maxBytesIn(ports);
  // The import continues after its caller disconnects: a repeated call finds the file.
  // Counted here, so that a file that is too large is not reported as unreachable.
  const ask = {
    maxBytes: Number.POSITIVE_INFINITY,
    maxRedirects: MAX_REDIRECTS,
    seconds: SECONDS,
    ownHosts,
    signal: undefined,
  };
  const fetched = await outbound(url, ask);
  if (fetched === 'refused') throw new Problem('invalid', 'Invalid bucket URL');
  if (fetched === 'failed') throw unreachable();
  const fileName = cleanFileName(nameOf(fetched));
  const source = withProgressCheck(fetched, fileName);
  try {
    checkFileName(fileName);
    if (Number(fetched.headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
    const size = await blobs.put(bytesAt, source.body, { maxBytes });
    if (size === 0) throw unreachable();
    const kind = await checkBytes(blobs, { at: bytesAt, size, head: source.head() }, fileName);
    if (kind === 'gone') throw importRunning(); // another import of the same file has removed them
    return { fileName, mimeType: typeOf(fetched) ?? mimeTypeOf(kind, fileName) ?? FALLBACK_TYPE, size };
  } catch (error) {
    fetched.cancel();
    if (isProblem(error, 'tooLarge')) throw tooLarge(maxBytes);
    // A broken stream is the remote server's fault; other errors, such as a full disk, are ours.
    throw source.broke() ? unreachable() : error;
  }
}

/** Forwards the bytes, keeps their head and checks it as soon as it is complete, and records whether the source failed. */
function withProgressCheck(fetched: Fetched, fileName: string) {
  let broke = false;
  const head: Uint8Array[] = [];
  const headOf = () => Buffer.concat(head);
  async function* body(): Bytes {
    let seen = 0;
    const judge = () => checkHead(headOf(), fileName);
    for await (const chunk of source()) {
      if (seen < HEAD_BYTES) {
        head.push(chunk);
        seen += chunk.byteLength;
        if (seen >= HEAD_BYTES) judge();
      }
      yield chunk;
    }
    if (seen > 0 && seen < HEAD_BYTES) judge();
  }
  async function* source(): Bytes {
    try {
      yield* fetched.body;
    } catch (error) {
      broke = true;
      throw error;
    }
  }
  return { body: body(), head: headOf, broke: () => broke };
}

const unreachable = () => new Problem('invalid', 'Failed to fetch from bucket');
