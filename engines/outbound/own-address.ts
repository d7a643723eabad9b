/** Recognises the product's own places: its hosts, and its buckets in both forms that S3 takes. */
import type { Policy } from './policy.ts';

const STORAGE = /(^|\.)s3[.-].*\bamazonaws\.com(\.cn)?$/;

export const isOwn = (url: URL, { ownHosts, ownBuckets }: Policy): boolean =>
  ownHosts.some((own) => isAt(url, own)) || ownBuckets.some((bucket) => isInBucket(url, bucket));

const isAt = ({ host, hostname }: URL, own: string): boolean =>
  host === own || hostname === own || hostname.endsWith(`.${own}`);

function isInBucket({ hostname, pathname }: URL, bucket: string): boolean {
  if (!STORAGE.test(hostname)) return false;
  return hostname.startsWith(`${bucket}.`) || decoded(pathname.split('/')[1] ?? '') === bucket;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
