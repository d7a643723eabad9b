/** Imports a file: fetches a public URL and stores the stream. */

import { isProblem, Problem } from '../core/problem.ts';
import { keptMsIn, maxBytesIn, type StageLimited } from '../core/stage-limits.ts';
import type { Blobs, Bytes, Clock, FetchedResponse, Ids, Outbound, Row, Table } from '../ports.ts';
import { checkBytes, checkFileName, checkHead } from './accepted-files.ts';
import { HEAD_BYTES } from './detect-type.ts';
import { nameOf, typeOf } from './fetched-file.ts';
import { bytesKey, FILE_LIMITS, type File, fileDraft, fileKey } from './file.ts';
import { cleanFileName } from './file-name.ts';
import { mimeTypeOf } from './mime-type.ts';
import { tooLarge } from './upload.ts';

type ImportPorts = StageLimited & { table: Table; blobs: Blobs; clock: Clock; ids: Ids; outbound: Outbound };
/** `ownHosts`: the hosts of our own APIs. */
type Import = { organization: string; fileId: string; url: string; ownHosts: string[] };

const MAX_REDIRECTS = 3;
const SECONDS = 25;
const FALLBACK_TYPE = 'application/octet-stream';

export async function importFile(ports: ImportPorts, input: Import): Promise<void> {
  const { table, blobs, clock } = ports;
  const { organization, fileId } = input;
  const row = await insertAwaitedRow(ports, input);
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
async function insertAwaitedRow(
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
  const options = {
    maxBytes: Number.POSITIVE_INFINITY,
    maxRedirects: MAX_REDIRECTS,
    seconds: SECONDS,
    ownHosts,
    signal: undefined,
  };
  const fetched = await outbound(url, options);
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
function withProgressCheck(fetched: FetchedResponse, fileName: string) {
  let broke = false;
  const head: Uint8Array[] = [];
  const headOf = () => Buffer.concat(head);
  async function* body(): Bytes {
    let bytesRead = 0;
    const judge = () => checkHead(headOf(), fileName);
    for await (const chunk of source()) {
      if (bytesRead < HEAD_BYTES) {
        head.push(chunk);
        bytesRead += chunk.byteLength;
        if (bytesRead >= HEAD_BYTES) judge();
      }
      yield chunk;
    }
    if (bytesRead > 0 && bytesRead < HEAD_BYTES) judge();
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
