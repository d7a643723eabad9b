/** What a bucket holds, page by page. The keys come encoded, because XML cannot hold each of them. */
import type { Page } from '../shared/ports.ts';
import { tagIn, tagsIn } from './signed/refusal.ts';
import type { Bucket } from './signed/s3.ts';

export async function pageOf(bucket: Bucket, query: Record<string, string>): Promise<string> {
  const { body } = await bucket.ask({ method: 'GET', key: '', query: { 'encoding-type': 'url', ...query } });
  return body;
}

export const keysIn = (body: string): string[] => tagsIn(body, 'Key').map(decodedKey);
export const decodedKey = (key: string): string => decodeURIComponent(key.replaceAll('+', ' '));

type Paging = { after?: string; limit: number };

/** Goes on behind a key, so that nobody has to keep a token. A key whose newest version is a mark of deletion is not shown. */
export async function keysBehind(bucket: Bucket, prefix: string, { after, limit }: Paging): Promise<Page<string>> {
  const start: Record<string, string> = after === undefined ? {} : { 'start-after': after };
  const body = await pageOf(bucket, { 'list-type': '2', 'max-keys': String(limit), prefix, ...start });
  const rows = keysIn(body);
  const next = tagIn(body, 'IsTruncated') === 'true' ? rows.at(-1) : undefined;
  return { rows, ...(next === undefined ? {} : { next }) };
}
