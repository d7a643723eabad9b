/**
 * An upload that the release before gave an address for: the address goes on writing where its bytes lie, so they are taken
 * to a place of their own. No address is given out like this any more; the release after this one needs none of it.
 */
import { maxBytesIn, type StageLimited } from '../core/stage-limits.ts';
import type { Arrived, Blobs, Ids } from '../ports.ts';
import { checkBytes } from './accepted-types.ts';
import { bytesKey } from './file.ts';
import type { FileAddress } from './find-file.ts';
import { HEAD_BYTES } from './kind-of-bytes.ts';

type OlderUploadPorts = StageLimited & { blobs: Blobs; ids: Ids };
type OlderUploadRequest = FileAddress & { storagePath: string; fileName: string; size: number };

/** What would be refused is shown where it lies. What a crash leaves of the other goes by the rules of the store. */
export async function olderUpload(ports: OlderUploadPorts, asked: OlderUploadRequest): Promise<Arrived | undefined> {
  const { blobs, ids } = ports;
  const lying = await shown(blobs, asked.storagePath);
  const maxBytes = maxBytesIn(ports);
  if (!lying || lying.size !== asked.size || lying.size > maxBytes) return lying;
  await checkBytes(blobs, lying, asked.fileName);
  const body = await blobs.read(lying.at);
  if (!body) return undefined;
  const at = bytesKey(asked.organization, asked.fileId, ids.mark());
  await blobs.put(at, body, { maxBytes });
  return shown(blobs, at);
}

async function shown(blobs: Blobs, at: string): Promise<Arrived | undefined> {
  const size = await blobs.size(at);
  if (size === undefined) return undefined;
  const head: Uint8Array[] = [];
  for await (const chunk of (await blobs.read(at, { from: 0, to: HEAD_BYTES - 1 })) ?? []) head.push(chunk);
  return { at, size, head: Buffer.concat(head) };
}
