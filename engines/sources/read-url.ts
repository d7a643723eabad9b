/** Fetches one URL of a source and reads its response into entries. */

import { isUtf8 } from 'node:buffer';
import { setTimeout } from 'node:timers/promises';
import type { Semaphore, SlotRequest } from '../../shared/core/semaphore.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import { nameOf } from '../../shared/files/fetched-file.ts';
import { cleanFileName } from '../../shared/files/file-name.ts';
import type { Clock, FetchedResponse, Outbound } from '../../shared/ports.ts';
import type { GatherRequest } from '../../shared/sources/source-item.ts';
import type { Connector } from '../../shared/sources/source-schema.ts';
import { ENTRY_LIMITS, isDocumentFailure, type SourceEntry } from '../documents/document.ts';
import type { Documents } from '../documents/documents.ts';
import { decodeAs } from '../documents/text.ts';
import { isOutboundFailure } from '../outbound/failure.ts';

/** Waits; rejects with the signal's reason. */
export type WaitWithSignal = (ms: number, signal: AbortSignal) => Promise<void>;
/** Waits for the next request to a host. Returns false if the queue is too long. */
type WaitForHost = (host: string, pauseMs: number, signal: AbortSignal) => Promise<boolean>;

const MAX_WAIT_MS = MINUTE_MS;
const MAX_HOSTS = 10_000;

export const sleep: WaitWithSignal = async (ms, signal) => void (await setTimeout(ms, undefined, { signal }));

/** Spaces out the requests of this process to each host. */
export function hostThrottle({ clock, wait = sleep }: { clock: Clock; wait?: WaitWithSignal }): WaitForHost {
  /** The earliest time of the next request to each host. */
  const nextAt = new Map<string, number>();
  return async (host, pauseMs, signal) => {
    const now = clock.now();
    if (nextAt.size >= MAX_HOSTS) for (const [throttledHost, at] of nextAt) if (at <= now) nextAt.delete(throttledHost);
    const at = Math.max(now, nextAt.get(host) ?? 0);
    if (at - now > MAX_WAIT_MS) return false;
    nextAt.set(host, at + pauseMs);
    if (at > now) await wait(at - now, signal);
    return true;
  };
}

/**
 * The charset of a Content-Type header. Text is converted to UTF-8 at once, so that later readers need only the bytes.
 */
const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i;
/** A byte order mark takes precedence over the header. */
const BYTE_ORDER_MARKS = [
  [0xff, 0xfe],
  [0xfe, 0xff],
] as const;

/** Many servers declare an encoding that they do not use, so valid UTF-8 stays as it is. */
export function toUtf8Bytes(bytes: Uint8Array, contentType = ''): Uint8Array {
  const [, charset] = CHARSET.exec(contentType) ?? [];
  const isMarked = BYTE_ORDER_MARKS.some((mark) => mark.every((byte, at) => bytes[at] === byte));
  return charset === undefined || isMarked || isUtf8(bytes) ? bytes : Buffer.from(decodeAs(bytes, charset));
}

type FetchedDocument = { fetched: FetchedResponse; bytes: Uint8Array; ask: SlotRequest };

/** Reads a document as one entry: its parts in order, each under its label. Hidden text is omitted, because it proves nothing. */
export async function documentEntry(
  documents: Documents,
  { fetched, bytes, ask }: FetchedDocument,
): Promise<SourceEntry> {
  const name = cleanFileName(nameOf(fetched)) || 'document';
  const { parts } = await documents.read({ bytes, name }, ask);
  const visibleParts = parts.filter(({ hidden }) => !hidden);
  const text = visibleParts.map((part) => `[${part.label}]\n\n${part.text}`).join('\n\n');
  return { address: fetched.url, title: name, text: text.slice(0, ENTRY_LIMITS.pageText).toWellFormed() };
}

export type ReadPorts = { outbound: Outbound; documents: Documents; waitForHost: WaitForHost; requests: Semaphore };
type UrlRequest = { address: string; connector: Connector; ask: GatherRequest & { organization: string } };
/** `wasRequested` is true if a request was sent. */
type UrlResult = { wasRequested: boolean } & ({ entries: SourceEntry[] } | { reason: string });

const REDIRECTS = 3;
const HEADERS = { 'user-agent': 'errand-sources/1', accept: '*/*' };

/** Fetches one URL of a source and reads the response. Returns a short reason if that fails. */
export async function readUrl(ports: ReadPorts, { address: url, connector, ask }: UrlRequest): Promise<UrlResult> {
  const { host } = new URL(url);
  // Waits for the host before taking a slot, so that a slow host does not delay requests to others.
  if (!(await ports.waitForHost(host, connector.limits.pauseMs, ask.signal))) {
    return { wasRequested: false, reason: 'is on a host that is asked too often' };
  }
  return ports.requests.run(ask, () => fetchAndRead(ports, { address: url, connector, ask }));
}

async function fetchAndRead(ports: ReadPorts, { address, connector, ask }: UrlRequest): Promise<UrlResult> {
  const { limits, headers } = connector;
  const { signal, ownHosts } = ask;
  const fetched = await ports.outbound(address, {
    maxBytes: limits.bytes,
    maxRedirects: REDIRECTS,
    seconds: limits.seconds,
    headers: { ...HEADERS, ...(headers as Record<string, string>) },
    ownHosts,
    signal,
  });
  if (fetched === 'refused') return { wasRequested: false, reason: 'has a URL that is not allowed' };
  if (fetched === 'failed') return { wasRequested: true, reason: 'could not be fetched' };
  const bytes = await readBody(fetched, signal);
  if (typeof bytes === 'string') return { wasRequested: true, reason: bytes };
  return { wasRequested: true, ...(await entriesIn(ports, { fetched, bytes, connector, ask })) };
}

type FetchedUrl = { fetched: FetchedResponse; bytes: Uint8Array } & Pick<UrlRequest, 'connector' | 'ask'>;

async function entriesIn({ documents }: ReadPorts, { fetched, bytes, connector, ask }: FetchedUrl) {
  const { queries: about, maxItems: max, signal } = ask;
  try {
    if (bytes.length === 0) return { reason: 'is empty' };
    if (connector.kind === 'documents') return { entries: [await documentEntry(documents, { fetched, bytes, ask })] };
    const shape = { of: connector, base: fetched.url, about, max };
    const text = toUtf8Bytes(bytes, fetched.headers['content-type']);
    const { entries, unfit } = await documents.entries({ bytes: text, shape }, ask);
    return unfit === undefined ? { entries } : { reason: unfit };
  } catch (error) {
    signal.throwIfAborted();
    if (isDocumentFailure(error)) return { reason: error.message };
    throw error;
  }
}

/** Returns the reason as text if the response cannot be read completely. */
export async function readBody(fetched: FetchedResponse, signal: AbortSignal): Promise<Uint8Array | string> {
  if (!/^(identity)?$/i.test(fetched.headers['content-encoding'] ?? '')) {
    fetched.cancel();
    return 'is compressed although no compression was requested';
  }
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of fetched.body) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    fetched.cancel();
    signal.throwIfAborted();
    if (!isOutboundFailure(error)) throw error;
    return error.reason === 'tooLarge' ? 'is too large to be read' : 'could not be fetched';
  }
}
