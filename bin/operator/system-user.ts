/** Who sits at this machine. In a container the user may have a number and no name. */
import { userInfo } from 'node:os';

export function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
