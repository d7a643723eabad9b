/**
 * Bounds of time for a machine of any speed: the same test takes several times as long on a slow or shared machine, while
 * work that grows with the square of a text takes a hundred times as long on each.
 */

/** The processor's time of `fixedWork` on the machine on which the bounds were set. */
const USUAL_MS = 32;
const ROUNDS = 4;

/** Of the kind that readers and rules do: patterns over text, and words counted in a map. */
function fixedWork(): number {
  const counts = new Map<string, number>();
  for (let line = 0; line < 12_000; line++) {
    const text = `Line ${line} of the lease, paid on 2026-${(line % 12) + 1}-07: EUR ${line * 31}.50 for Berth ${line % 97}`;
    for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts.size;
}

/** At least 1. */
function slowness(): number {
  const before = process.threadCpuUsage();
  for (let round = 0; round < ROUNDS; round++) fixedWork();
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(1, (user + system) / 1_000 / ROUNDS / USUAL_MS);
}

/**
 * The bound on this machine for what may take so long on the usual one. The machine's speed is measured only if what was
 * taken exceeds the usual bound, as measuring takes longer than most tests.
 */
export const boundMs = (usual: number, taken = Number.POSITIVE_INFINITY): number =>
  taken < usual ? usual : usual * slowness();

/** Of the processor, so that other programs on the machine do not count. */
export function processorMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
