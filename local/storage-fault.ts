/** For `catch`: a folder of blobs that is missing, full or closed to us has a name of its own. */
import { Problem } from '../shared/core/problem.ts';
import { isNoRoom, noRoom } from './state-fault.ts';

const CLOSED = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'EEXIST']);

export function storageFault(cause: NodeJS.ErrnoException): never {
  if (isNoRoom(cause)) throw noRoom(cause);
  if (!CLOSED.has(cause.code ?? '')) throw cause;
  throw new Problem('noStorage', 'Local storage configuration missing', { cause });
}
