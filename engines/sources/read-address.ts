/** Fetches one address of a source and reads what it answers; whatever goes wrong is told in a few words. */

import type { Semaphore } from '../../shared/core/semaphore.ts';
import type { Fetched, Outbound } from '../../shared/ports.ts';
import type { GatherRequest } from '../../shared/sources/gathered.ts';
import type { Connector } from '../../shared/sources/source.ts';
import type { Documents } from '../documents/documents.ts';
import type { SourceEntry } from '../documents/entries/entry.ts';
import { isDocumentFailure } from '../documents/failure.ts';
import { isOutboundFailure } from '../outbound/failure.ts';
import { documentEntry } from './document-entry.ts';
import { toUtf8Bytes } from './in-utf-8.ts';
import type { WaitForHost } from './patience.ts';

export type ReadPorts = { outbound: Outbound; documents: Documents; waitForHost: WaitForHost; requests: Semaphore };
type UrlRequest = { address: string; connector: Connector; ask: GatherRequest & { organization: string } };
/** `isAsked`: a request was made. */
type UrlResult = { wasRequested: boolean } & ({ entries: SourceEntry[] } | { reason: string });

const REDIRECTS = 3;
const HEADERS = { 'user-agent': 'errand-sources/1', accept: '*/*' };

export async function readUrl(ports: ReadPorts, { address: url, connector, ask }: UrlRequest): Promise<UrlResult> {
  const { host } = new URL(url);
  // Waits without a place: a host that is asked slowly holds nobody up who asks another.
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
  if (fetched === 'refused') return { wasRequested: false, reason: 'is at an address that is not taken' };
  if (fetched === 'failed') return { wasRequested: true, reason: 'could not be fetched' };
  const bytes = await readWhole(fetched, signal);
  if (typeof bytes === 'string') return { wasRequested: true, reason: bytes };
  return { wasRequested: true, ...(await entriesIn(ports, { fetched, bytes, connector, ask })) };
}

type FetchedUrl = { fetched: Fetched; bytes: Uint8Array } & Pick<UrlRequest, 'connector' | 'ask'>;

async function entriesIn({ documents }: ReadPorts, { fetched, bytes, connector, ask }: FetchedUrl) {
  const { queries: about, mostItems: most, signal } = ask;
  try {
    if (bytes.length === 0) return { reason: 'is empty' };
    if (connector.kind === 'documents') return { entries: [await documentEntry(documents, { fetched, bytes, ask })] };
    const shape = { of: connector, base: fetched.url, about, most };
    const text = toUtf8Bytes(bytes, fetched.headers['content-type']);
    const { entries, unfit } = await documents.entries({ bytes: text, shape }, ask);
    return unfit === undefined ? { entries } : { reason: unfit };
  } catch (error) {
    signal.throwIfAborted();
    if (isDocumentFailure(error)) return { reason: error.message };
    throw error;
  }
}

/** Words = why it could not be read to its end. */
async function readWhole(fetched: Fetched, signal: AbortSignal): Promise<Uint8Array | string> {
  if (!/^(identity)?$/i.test(fetched.headers['content-encoding'] ?? '')) {
    fetched.cancel();
    return 'is packed though nobody asked for it';
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
