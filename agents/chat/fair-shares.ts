/** Divides a length fairly: what is short has what it needs, and what is long shares the remaining room. */
export function fairShares(lengths: readonly number[], total: number): number[] {
  const shares = lengths.map(() => 0);
  let remaining = total;
  const shortestFirst = [...lengths.entries()].toSorted(([, a], [, b]) => a - b);
  for (const [order, [at, length]] of shortestFirst.entries()) {
    const share = Math.min(length, Math.floor(remaining / (lengths.length - order)));
    shares[at] = share;
    remaining -= share;
  }
  return shares;
}
