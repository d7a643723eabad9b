/** Reads a Range header (RFC 9110). What it cannot read is ignored, as the RFC and S3 have it. */

export type AskedRange = { from: number; to: number };

/** undefined = the whole of it: no range, several, another unit, or nonsense. 'outside' = there is nothing there (416). */
export function rangeIn(header: string | undefined, size: number): AskedRange | 'outside' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return clipped(Math.max(0, size - Number(last)), size - 1, size);
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return clipped(Number(first), last === '' ? size - 1 : Number(last), size);
}

const clipped = (from: number, to: number, size: number): AskedRange | 'outside' =>
  from < size ? { from, to: Math.min(to, size - 1) } : 'outside';
