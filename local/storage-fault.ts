/** For `catch`: a folder of blobs that is missing or closed to us has a name of its own. */
import { Problem } from '../shared/core/problem.ts';

const CLOSED = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'EEXIST']);

export function storageFault(cause: NodeJS.ErrnoException): never {
  if (!CLOSED.has(cause.code ?? '')) throw cause;
  throw new Problem('noStorage', 'Local storage configuration missing', { cause });
}
