/** Stores what is too long for the table as a blob, under a key of its own for each attempt. */

import type { Blobs, Bytes, Ids } from '../shared/ports.ts';
import type { ReportFile } from '../shared/tasks/agent.ts';
import { archiveKey } from '../shared/tasks/details.ts';
import type { TaskAddress } from '../shared/tasks/rows.ts';

export type WrittenFile = { name: string; contentType: string; bytes: Uint8Array };
export type KeepPorts = { blobs: Blobs; ids: Ids };

export async function keepFile(ports: KeepPorts, address: TaskAddress, file: WrittenFile): Promise<ReportFile> {
  const { name, contentType, bytes } = file;
  return { name, contentType, bytesAt: await keepBytes(ports, address, bytes), sizeBytes: bytes.length };
}

async function keepBytes({ blobs, ids }: KeepPorts, address: TaskAddress, bytes: Uint8Array): Promise<string> {
  const bytesAt = archiveKey(address, ids.mark());
  await blobs.put(bytesAt, whole(bytes), { maxBytes: bytes.length });
  return bytesAt;
}

export const keepJson = (ports: KeepPorts, address: TaskAddress, value: unknown): Promise<string> =>
  keepBytes(ports, address, Buffer.from(JSON.stringify(value)));

export async function readJson<T>({ blobs }: Pick<KeepPorts, 'blobs'>, bytesAt: string): Promise<T> {
  const body = await blobs.read(bytesAt);
  if (!body) throw new Error('What a stage of the task kept is gone.');
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as T;
}

async function* whole(bytes: Uint8Array): Bytes {
  yield bytes;
}
