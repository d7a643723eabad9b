/** CPU time and memory of a side's processes and all their descendants, read from Linux's /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** The unit of CPU time in /proc. */
const TICK_MS = 10;

type Stat = { parent: number; ticks: number };

/** `undefined`: the process has ended. The second field, the name, may contain spaces and parentheses: parse after the last `)`. */
function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    // User and system time of the process, and of the children that it has waited for.
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

/** Milliseconds of all cores; NaN on systems other than Linux. */
export const processorMs = (roots: readonly number[]): number =>
  isCounted ? familyOf(roots).reduce((sum, pid) => sum + (statOf(pid)?.ticks ?? 0) * TICK_MS, 0) : Number.NaN;

/** Megabytes; shared memory is counted once. */
export const memoryMb = (roots: readonly number[]): number =>
  isCounted ? familyOf(roots).reduce((sum, pid) => sum + shareOf(pid), 0) / 1_024 : Number.NaN;

function shareOf(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
