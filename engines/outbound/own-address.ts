/** Recognises the product's own places: its hosts, and its buckets in both forms that S3 takes. */
import type { UrlPolicy } from './policy.ts';

const STORAGE = /(^|\.)s3[.-].*\bamazonaws\.com(\.cn)?$/;

export const isOwnUrl = (url: URL, { ownHosts, ownBuckets }: UrlPolicy): boolean =>
  ownHosts.some((own) => isHost(url, own)) || ownBuckets.some((bucket) => isInBucket(url, bucket));

const isHost = ({ host, hostname }: URL, own: string): boolean =>
  host === own || hostname === own || hostname.endsWith(`.${own}`);

function isInBucket({ hostname, pathname }: URL, bucket: string): boolean {
  if (!STORAGE.test(hostname)) return false;
  return hostname.startsWith(`${bucket}.`) || decodeSegment(pathname.split('/')[1] ?? '') === bucket;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
