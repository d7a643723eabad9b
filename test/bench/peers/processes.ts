/** What a side's processes have used: processor time and memory, of them and all their descendants, as Linux counts it. */
import { readdirSync, readFileSync } from 'node:fs';

/** Of the processor, as /proc counts it on every Linux. */
const TICK_MS = 10;

type Stat = { parent: number; ticks: number };

/** Undefined = it is gone. The second field, a name, may hold anything but a closing parenthesis behind it. */
function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    // Its own time in user and in system mode, and that of children it has waited for.
    const [user = 0, system = 0, userOfDead = 0, systemOfDead = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, ticks: user + system + userOfDead + systemOfDead };
  } catch {
    return undefined;
  }
}

function familyOf(roots: readonly number[]): number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const parents = new Map(all.map((pid) => [pid, statOf(pid)?.parent]));
  const family = new Set(roots);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const [pid, parent] of parents) if (parent !== undefined && family.has(parent)) family.add(pid);
  }
  return [...family];
}

const isCounted = process.platform === 'linux';

/** Milliseconds of all cores; NaN where nobody counts them. */
export const processorMs = (roots: readonly number[]): number =>
  isCounted ? familyOf(roots).reduce((sum, pid) => sum + (statOf(pid)?.ticks ?? 0) * TICK_MS, 0) : Number.NaN;

/** Megabytes; what several processes share is counted once. */
export const memoryMb = (roots: readonly number[]): number =>
  isCounted ? familyOf(roots).reduce((sum, pid) => sum + shareOf(pid), 0) / 1_024 : Number.NaN;

function shareOf(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
