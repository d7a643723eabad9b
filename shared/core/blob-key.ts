/** What a store of blobs takes for a key: what S3 takes, wherever the blobs live. */

const MOST_BYTES = 1_024;

export function checkKey(key: string): void {
  const bytes = Buffer.byteLength(key, 'utf8');
  if (bytes < 1 || bytes > MOST_BYTES) throw new RangeError(`A key has 1 to ${MOST_BYTES} bytes, not ${bytes}.`);
}
