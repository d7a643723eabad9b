/** Fetches one document into memory, within bounds of size and time, and names it. */
import { cleanFileName } from '../../../shared/files/file.ts';
import { nameOf } from '../../../shared/files/import.ts';
import type { Fetched, Outbound } from '../../../shared/ports.ts';
import type { Source } from '../../documents/document.ts';
import { unreadable } from '../../documents/failure.ts';
import { isOutboundFailure } from '../../outbound/failure.ts';
import { unusable } from './unusable.ts';

const FETCH_LIMITS = { maxBytes: 32_000_000, maxRedirects: 3, seconds: 25 } as const;

type FetchDocumentRequest = { url: string; type: string | null; ownHosts: string[]; signal: AbortSignal };

export async function fetchDocument(
  outbound: Outbound,
  { url, type, ownHosts, signal }: FetchDocumentRequest,
): Promise<Source> {
  const fetched = await outbound(url, { ...FETCH_LIMITS, ownHosts, signal });
  if (fetched === 'refused') throw unusable('refused');
  if (fetched === 'failed') throw unusable('unreachable');
  try {
    return { bytes: await whole(fetched), name: named(fetched, type) };
  } catch (error) {
    fetched.cancel();
    signal.throwIfAborted();
    throw isOutboundFailure(error) && error.reason === 'tooLarge'
      ? unreadable('tooLarge', error)
      : unusable('unreachable', error);
  }
}

async function whole({ body }: Fetched): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const ENDING = /\.[a-z\d]{1,5}$/i;

/** A name without an ending takes the type that the caller gave, such as `csv`. */
function named(fetched: Fetched, type: string | null): string {
  const name = cleanFileName(nameOf(fetched)) || 'document';
  return !ENDING.test(name) && type !== null && /^[a-z\d]{1,5}$/i.test(type) ? `${name}.${type.toLowerCase()}` : name;
}
