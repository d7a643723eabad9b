/** Looks up the names of stored files that this tab has not shown yet. */
import { api } from '../api.ts';
import { fileNames } from '../form/request-summary.ts';

const MAX_LOOKED_UP = 20;

/** A file that is gone, or that the user may not see, stays without a name. */
export async function learnFileNames(fileIds: readonly string[], signal: AbortSignal): Promise<void> {
  const unknown = fileIds.filter((fileId) => !fileNames.has(fileId)).slice(0, MAX_LOOKED_UP);
  await Promise.all(
    unknown.map((fileId) =>
      api()
        .files.get(fileId, { signal })
        .then(
          ({ fileName }) => fileNames.set(fileId, fileName),
          () => undefined,
        ),
    ),
  );
}
