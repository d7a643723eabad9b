/** Runs a process in short slices, so that it can be killed at a chosen moment of its work. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const STANDS_MS = 100;
/** A slice ends when the main thread has worked so long, or has waited so long for others. */
const WORKS_NS = 2_000_000;
const WAITS_MS = 40;

/** Resolves when the condition holds, while the process stands still. Linux only. */
export async function slowlyUntil(pid: number, isThere: () => boolean, patienceMs: number): Promise<boolean> {
  for (const end = Date.now() + patienceMs; Date.now() < end; ) {
    process.kill(pid, 'SIGSTOP');
    if (isThere()) return true;
    await sleep(STANDS_MS);
    const before = workedNs(pid);
    process.kill(pid, 'SIGCONT');
    for (const slice = Date.now() + WAITS_MS; Date.now() < slice && workedNs(pid) - before < WORKS_NS; ) await sleep(1);
  }
  process.kill(pid, 'SIGCONT');
  return false;
}

const workedNs = (pid: number): number => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
