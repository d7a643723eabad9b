/** Parses the Range header of a request for a blob. */

/** A byte range of a Range header (RFC 9110). Headers that cannot be parsed are ignored, as the RFC and S3 do. */
type ByteRange = { from: number; to: number };

/** `whole`: no range, several ranges, another unit, or an invalid header. `outside`: the range is not satisfiable (416). */
export function rangeIn(header: string | undefined, size: number): ByteRange | 'outside' | 'whole' {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') return clipRange(Math.max(0, size - Number(last)), size - 1, size);
  if (last !== '' && Number(last) < Number(first)) return 'whole';
  return clipRange(Number(first), last === '' ? size - 1 : Number(last), size);
}

const clipRange = (from: number, to: number, size: number): ByteRange | 'outside' =>
  from < size ? { from, to: Math.min(to, size - 1) } : 'outside';
