/** Imports a file from a URL. */

import { Problem } from '../core/problem.ts';
import { keptMsIn, maxBytesIn, type StageLimited } from '../core/stage.ts';
import type { Blobs, Bytes, Clock, Fetched, Ids, Outbound, Table } from '../ports.ts';
import { checkBytes, checkFileName, checkHead, HEAD_BYTES, mimeTypeOf } from './detect-type.ts';
import { bytesKey, cleanFileName, FILE_LIMITS, type File, fileDraft, fileKey } from './file.ts';

// The name and type of a fetched file.

/** What servers say of any file. */
const UNKNOWN_TYPE = 'application/octet-stream';
const TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/;

/** `Content-Disposition`, else the last part of the path, else nothing. */
export const nameOf = ({ headers, url }: Fetched): string =>
  nameIn(headers['content-disposition'] ?? '') || decoded(new URL(url).pathname.split('/').at(-1) ?? '');

/** Undefined: the server does not say. */
function typeOf({ headers }: Fetched): string | undefined {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  return TYPE.test(type) && type !== UNKNOWN_TYPE ? type : undefined;
}

/** RFC 6266: the extended form wins over the plain one. */
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

/** Fetches a file from a public address and stores it as it streams in. */
type ImportPorts = StageLimited & { table: Table; blobs: Blobs; clock: Clock; ids: Ids; outbound: Outbound };
/** `ownHosts`: where we are reached. */
type Import = { organization: string; fileId: string; url: string; ownHosts: string[] };

const MAX_REDIRECTS = 3;
const SECONDS = 25;
const FALLBACK_TYPE = 'application/octet-stream';

export async function importFile(ports: ImportPorts, input: Import): Promise<void> {
  const { table, blobs, clock } = ports;
  const { organization, fileId } = input;
  const row = await awaitedRow(ports, input);
  if (!row) return;
  const { bytesAt } = row.value;
  const file = await fetchInto(ports, input, bytesAt).catch(async (error) => {
    await blobs.remove(bytesAt);
    await table.remove(row);
    throw error;
  });
  const createdAt = clock.now();
  const goneAt = createdAt + keptMsIn(ports);
  const stored = fileDraft(organization, fileId, { ...file, state: 'stored', createdAt, goneAt, bytesAt });
  // Should this fail, the file may be there all the same: then its bytes must be too.
  if (await table.replace(row, stored)) return;
  await blobs.remove(bytesAt);
  throw importRunning();
}

/** The row tells the reconciler where bytes may lie, should we die before they are a file. Undefined: all is done. */
async function awaitedRow({ table, blobs, ids, clock }: ImportPorts, { organization, fileId }: Import) {
  const before = await table.get<File>(fileKey(organization, fileId));
  if (before?.value.state === 'stored') return undefined; // only the answer got lost
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
  // It goes on when its caller has left: the same call again finds the file.
  const ask = { maxBytes, maxRedirects: MAX_REDIRECTS, seconds: SECONDS, ownHosts, signal: undefined };
  const fetched = await outbound(url, ask);
  if (fetched === 'refused') throw new Problem('invalid', 'Invalid bucket URL');
  if (fetched === 'failed') throw unreachable();
  const fileName = cleanFileName(nameOf(fetched));
  const source = withProgressCheck(fetched, fileName);
  try {
    checkFileName(fileName);
    const size = await blobs.put(bytesAt, source.body, { maxBytes });
    if (size === 0) throw unreachable();
    const kind = await checkBytes(blobs, { at: bytesAt, size, head: source.head() }, fileName);
    if (kind === undefined) throw importRunning(); // another import of the same file has removed them
    return { fileName, mimeType: typeOf(fetched) ?? mimeTypeOf(kind, fileName) ?? FALLBACK_TYPE, size };
  } catch (error) {
    fetched.cancel();
    // What broke the stream is the other side's; anything else, such as a full store, is not.
    throw source.broke() || (error instanceof Problem && error.code === 'tooLarge') ? unreachable() : error;
  }
}

/** Passes the bytes on, judges their head as soon as it is there and keeps it, and remembers whether the source broke. */
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
