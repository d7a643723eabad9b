/** What a store of blobs takes for a key: what S3 takes, wherever the blobs live. */

const MOST_BYTES = 1_024;

export function checkKey(key: string): void {
  const bytes = Buffer.byteLength(key, 'utf8');
  if (bytes < 1 || bytes > MOST_BYTES) throw new RangeError(`A key has 1 to ${MOST_BYTES} bytes, not ${bytes}.`);
}

/** What comes through upload addresses lies in a folder of its own, where nothing takes the place of another: each put is a version. */
export const ARRIVALS = 'arrivals/';

/** In front of an upload's key stands the hour in which it was asked for, so that those of an hour can be listed. */
export const hourOfUpload = (at: number): string => new Date(at).toISOString().slice(0, '2026-11-22T14'.length);

/** Whose upload a key is of. That of the release before has no hour in it. */
export function ownerOfBlob(key: string): { organization: string; fileId: string } {
  const [organization = '', fileId = ''] = key.split('/').slice(-2);
  return { organization, fileId };
}

/** Stands between a key and a version. Neither holds it: versions are made for addresses, and these keys by us. */
const MARK = '#';

export const isUploadKey = (at: string): boolean => at.startsWith(ARRIVALS);

export const versionOfBlob = (key: string, version: string): string => key + MARK + version;

/** Outside the folder of arrivals every text is a key. */
export function keyOfBlob(at: string): { key: string; version?: string } {
  const [key = '', version] = isUploadKey(at) ? at.split(MARK, 2) : [at];
  checkKey(key);
  return version === undefined ? { key } : { key, version };
}
