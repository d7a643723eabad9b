/** The use cases of files over the local table and folder, with a clock that a test moves. */
import { join } from 'node:path';
import { folderBlobs } from '../../../adapters/local/file-blobs.ts';
import { localQueues } from '../../../adapters/local/local-queues.ts';
import { localScheduler } from '../../../adapters/local/scheduler.ts';
import { fileSecrets } from '../../../adapters/local/secrets.ts';
import { signedAddresses } from '../../../adapters/local/signed-addresses.ts';
import { sqliteTable } from '../../../adapters/local/sqlite-table.ts';
import { ids as makeIds } from '../../../shared/core/ids.ts';
import { logger } from '../../../shared/core/log.ts';
import { bytesKey, fileDraft } from '../../../shared/files/file.ts';
import type { Blobs, Bytes, Table } from '../../../shared/ports.ts';
import { setClock } from '../../ports/clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export function openFiles() {
  const folder = temporaryFolder();
  const clock = setClock();
  const ids = makeIds(clock);
  const table = sqliteTable({ file: join(folder.path, 'state.db'), clock, ids });
  const secrets = fileSecrets({ file: join(folder.path, 'master.json') });
  const addresses = signedAddresses({ baseUrl: () => 'http://127.0.0.1:1', secrets, clock });
  const lines: string[] = [];
  return {
    clock,
    ids,
    table,
    blobs: folderBlobs({ folder: join(folder.path, 'blobs'), addresses }),
    log: logger({ clock, write: (line) => lines.push(line), minLevel: 'info' }),
    lines,
    hints: async () => {
      throw new Error('Files give no hints.');
    },
    scheduler: localScheduler({ table, clock, lanes: localQueues({ clock, ids }).lanes }),
    sayEnding: async () => {
      throw new Error('Files have no connections.');
    },
    close() {
      table.close();
      folder.remove();
    },
  };
}

async function* bytesOf(text: string): Bytes {
  yield Buffer.from(text);
}

/** Stores a text file of an organization; returns its id. */
export async function storeText(
  { table, blobs, clock, ids }: Pick<ReturnType<typeof openFiles>, 'clock' | 'ids'> & { table: Table; blobs: Blobs },
  organization: string,
  { fileName, text }: { fileName: string; text: string },
): Promise<string> {
  const fileId = ids.uuid();
  const bytesAt = bytesKey(organization, fileId, ids.mark());
  const createdAt = clock.now();
  const about = { fileName, mimeType: 'text/plain', size: Buffer.byteLength(text), createdAt, goneAt: createdAt + 1e9 };
  await table.insert(fileDraft(organization, fileId, { state: 'stored', ...about, bytesAt }));
  await putText(blobs, bytesAt, text);
  return fileId;
}

export const putText = (blobs: Blobs, key: string, text: string) =>
  blobs.put(key, bytesOf(text), { maxBytes: 1_000_000 });
