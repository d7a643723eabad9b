/** The files of a chat task in memory between its steps. */

import type { Semaphore, Slot } from '../../shared/core/semaphore.ts';
import type { Work } from '../../shared/tasks/agent.ts';
import { type WorkspaceFile, weightOfAll } from './workspace.ts';

/** The slot reserves the memory that the files take. */
export type ReservedFiles = { files: WorkspaceFile[]; slot: Slot };

/** The files are read again only if other tasks needed the memory. */
export function fileCache(memory: Semaphore, read: (work: Work) => Promise<ReservedFiles>) {
  let cachedFiles: WorkspaceFile[] | undefined;

  async function reserveFiles(work: Work): Promise<ReservedFiles> {
    const { organization } = work.address;
    const slot = cachedFiles && memory.tryAcquire({ organization, weight: weightOfAll(cachedFiles) });
    if (cachedFiles && slot) return { files: cachedFiles, slot };
    cachedFiles = undefined;
    return read(work);
  }

  return async <T>(work: Work, run: (files: WorkspaceFile[]) => Promise<T>): Promise<T> => {
    const { files, slot } = await reserveFiles(work);
    try {
      cachedFiles = files;
      return await run(files);
    } finally {
      slot.release();
    }
  };
}
