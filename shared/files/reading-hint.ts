/** The hint to read a file uses the same lanes as hints for tasks, under a name that no task has. */

import { DEFAULT_PRIORITY } from '../core/lane.ts';
import type { FileAddress } from './file.ts';

const FILE_NAME = 'file:';
export const hintNameOf = (fileId: string): string => FILE_NAME + fileId;
export const fileIdOfHint = (name: string): string | undefined =>
  name.startsWith(FILE_NAME) ? name.slice(FILE_NAME.length) : undefined;

/** What sends hints for tasks sends them for readings, too. */
export type ReadingHints = (
  effects: readonly { do: 'hintWorker'; delaySeconds: number }[],
  about: { organization: string; taskId: string; priority: number },
) => Promise<void>;

export const sendReadingHint = (
  hints: ReadingHints,
  { organization, fileId }: FileAddress,
  delaySeconds = 0,
): Promise<void> =>
  hints([{ do: 'hintWorker', delaySeconds }], {
    organization,
    taskId: hintNameOf(fileId),
    priority: DEFAULT_PRIORITY,
  });
