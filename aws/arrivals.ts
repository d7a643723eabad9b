/** The versions of an upload in S3. */
import { versionOfBlob } from '../shared/core/blobs.ts';
import { Problem } from '../shared/core/problem.ts';
import type { Arrived } from '../shared/ports.ts';
import { type AwsError, isAwsError, statusOf } from './failures.ts';
import type { StorageLocation } from './places.ts';
import { flowing } from './signed/body.ts';
import type { HttpAnswer } from './signed/exchange.ts';

const VERSION = 'x-amz-version-id';

/** One request tells it all: which version is the newest, how long it is, and how it begins. */
export async function latestUpload({ bucket, key }: StorageLocation, headBytes: number): Promise<Arrived | undefined> {
  try {
    const answer = await bucket.open({ method: 'GET', key, headers: { range: `bytes=0-${headBytes - 1}` } });
    const head: Uint8Array[] = [];
    for await (const chunk of flowing(answer, bucket.silenceMs)) head.push(chunk);
    return {
      at: versionOfBlob(key, versionIn(answer.headers)),
      size: sizeIn(answer.headers),
      head: Buffer.concat(head),
    };
  } catch (error) {
    // Of nothing there is no range.
    if (statusOf(error) === 416) return { at: key, size: 0, head: new Uint8Array() };
    return absent(error);
  }
}

/**
 * The newest tells of itself, and once it is gone the one before it is the newest. In nearly every case there is but one,
 * and to be shown a list would cost as much as a write.
 */
export async function removeVersions(place: StorageLocation): Promise<void> {
  const { bucket, key } = place;
  for (let newest = await newestVersion(place); newest !== undefined; newest = await newestVersion(place)) {
    await bucket.ask({ method: 'DELETE', key, query: { versionId: newest } });
  }
}

/** Also what the bucket's own rules put in front of the others when their time was over. */
async function newestVersion({ bucket, key }: StorageLocation): Promise<string | undefined> {
  try {
    return versionIn((await bucket.ask({ method: 'HEAD', key })).headers);
  } catch (error) {
    return absent(error) ?? (error as AwsError).hiddenBy;
  }
}

/** Without versions what comes later would change a file that was completed. */
function versionIn(headers: HttpAnswer['headers']): string {
  const version = headers[VERSION];
  if (typeof version === 'string') return version;
  throw new Problem('badSetting', 'The bucket of uploads keeps no versions; deploy the stack again.');
}

function sizeIn(headers: HttpAnswer['headers']): number {
  const size = /^bytes \d+-\d+\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1];
  if (size === undefined) throw new Error('The bucket of uploads did not say how long an upload is.');
  return Number(size);
}

/** NotFound is all that a HEAD can say. For `catch`; what else went wrong goes on. */
export function absent(error: unknown): undefined {
  if (!isAwsError(error, 'NoSuchKey', 'NoSuchVersion', 'NotFound')) throw error;
}
