/** The day an ephemeral stage ends if nobody says: a fortnight after its commit, so that one commit always gives one template. */
import { execFileSync } from 'node:child_process';

const LIFE_MS = 14 * 86_400_000;

export function endOfCommit(folder: string): string | undefined {
  try {
    const told = execFileSync('git', ['log', '-1', '--format=%ct'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return new Date(Number(String(told).trim()) * 1_000 + LIFE_MS).toISOString().slice(0, 10);
  } catch {
    return undefined; // not a checkout: such a stage has no day
  }
}
