/** The files of one task while its steps run in this process: read once, unless others need the memory between two steps. */
import type { Semaphore, Slot } from '../../../shared/core/semaphore.ts';
import type { Work } from '../../../shared/tasks/agent.ts';
import { type DeskFile, weightOf } from './desk.ts';

/** The slot is of the memory that the files take. */
export type Attached = { files: DeskFile[]; slot: Slot };

export const weightOfAll = (files: readonly DeskFile[]): number => files.reduce((sum, file) => sum + weightOf(file), 0);

export function keptFiles(memory: Semaphore, read: (work: Work) => Promise<Attached>) {
  let kept: DeskFile[] | undefined;

  async function attached(work: Work): Promise<Attached> {
    const { organization } = work.address;
    const slot = kept && memory.tryAcquire({ organization, weight: weightOfAll(kept) });
    if (kept && slot) return { files: kept, slot };
    kept = undefined;
    return read(work);
  }

  return async <T>(work: Work, run: (files: DeskFile[]) => Promise<T>): Promise<T> => {
    const { files, slot } = await attached(work);
    try {
      kept = files;
      return await run(files);
    } finally {
      slot.release();
    }
  };
}
