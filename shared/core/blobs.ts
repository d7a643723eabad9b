/** The keys of blobs: those that every store accepts, and those of uploads with their versions. */

import type { ByteRange, Page } from '../ports.ts';

/** The keys that every blob store accepts: those of S3. */
const MAX_BYTES = 1_024;

export const isBlobKey = (text: string): boolean => text !== '' && Buffer.byteLength(text, 'utf8') <= MAX_BYTES;

export function checkBlobKey(key: string): void {
  const bytes = Buffer.byteLength(key, 'utf8');
  if (!isBlobKey(key)) throw new RangeError(`A key has 1 to ${MAX_BYTES} bytes, not ${bytes}.`);
}

/** The folder of uploads. Here a PUT never overwrites: each one adds a version. */
export const ARRIVALS = 'arrivals/';

/** The folder of stored readings. */
export const READINGS = 'readings/';

/** An upload's key starts with the hour of its request, so that the uploads of an hour can be listed. */
export const hourOfUpload = (at: number): string => new Date(at).toISOString().slice(0, '2026-11-22T14'.length);

/** The organization and file of an upload's key. */
export function ownerOfBlob(key: string): { organization: string; fileId: string } {
  const [organization = '', fileId = ''] = key.split('/').slice(-2);
  return { organization, fileId };
}

/** Separates a key from a version. Neither contains it. */
const MARK = '#';

export const isUploadKey = (at: string): boolean => at.startsWith(ARRIVALS);

export const versionOfBlob = (key: string, version: string): string => key + MARK + version;

/** Outside the uploads folder the whole text is the key. */
export function keyOfBlob(at: string): { key: string; version?: string } {
  const [key = '', version] = isUploadKey(at) ? at.split(MARK, 2) : [at];
  checkBlobKey(key);
  return version === undefined ? { key } : { key, version };
}

/**
 * A page ends with a whole upload, because `next` must stay valid when the versions of the page are removed. An upload with
 * more versions than a page is listed again until it has fewer.
 */
export function versionsPage(versions: string[], isCut: boolean, prefix: string, after = prefix): Page<string> {
  if (!isCut) return { rows: versions };
  const lastKey = keyOfBlob(versions.at(-1) ?? '').key;
  const whole = versions.filter((at) => keyOfBlob(at).key !== lastKey);
  const last = whole.at(-1);
  return last === undefined ? { rows: versions, next: after } : { rows: whole, next: keyOfBlob(last).key };
}

/** Checks a range for every blob store, because S3 answers a reversed range with the whole blob. */
export function checkRange({ from, to = from }: ByteRange): void {
  if (Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && to >= from) return;
  throw new RangeError(`A range runs from a whole number to one that is not below it, not from ${from} to ${to}.`);
}
