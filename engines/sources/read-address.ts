/** Fetches one address of a source and reads what it answers; whatever goes wrong is told in a few words. */

import type { Semaphore } from '../../shared/core/semaphore.ts';
import type { Fetched, Outbound } from '../../shared/ports.ts';
import type { GatherRequest } from '../../shared/sources/gathered.ts';
import type { Connector } from '../../shared/sources/source.ts';
import type { Documents } from '../documents/documents.ts';
import type { Entry } from '../documents/entries/entry.ts';
import { isDocumentFailure } from '../documents/failure.ts';
import { isOutboundFailure } from '../outbound/failure.ts';
import { documentEntry } from './document-entry.ts';
import { inUtf8 } from './in-utf-8.ts';
import type { Turn } from './patience.ts';

export type ReadPorts = { outbound: Outbound; documents: Documents; turn: Turn; requests: Semaphore };
type Asked = { address: string; connector: Connector; ask: GatherRequest & { organization: string } };
/** `isAsked`: a request was made. */
type Read = { isAsked: boolean } & ({ entries: Entry[] } | { reason: string });

const REDIRECTS = 3;
const HEADERS = { 'user-agent': 'errand-sources/1', accept: '*/*' };

export async function readAddress(ports: ReadPorts, { address, connector, ask }: Asked): Promise<Read> {
  const { host } = new URL(address);
  // Waits without a place: a host that is asked slowly holds nobody up who asks another.
  if (!(await ports.turn(host, connector.limits.pauseMs, ask.signal))) {
    return { isAsked: false, reason: 'is on a host that is asked too often' };
  }
  return ports.requests.run(ask, () => fetchAndRead(ports, { address, connector, ask }));
}

async function fetchAndRead(ports: ReadPorts, { address, connector, ask }: Asked): Promise<Read> {
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
  if (fetched === 'refused') return { isAsked: false, reason: 'is at an address that is not taken' };
  if (fetched === 'failed') return { isAsked: true, reason: 'could not be fetched' };
  const bytes = await whole(fetched, signal);
  if (typeof bytes === 'string') return { isAsked: true, reason: bytes };
  return { isAsked: true, ...(await entriesIn(ports, { fetched, bytes, connector, ask })) };
}

type Answer = { fetched: Fetched; bytes: Uint8Array } & Pick<Asked, 'connector' | 'ask'>;

async function entriesIn({ documents }: ReadPorts, { fetched, bytes, connector, ask }: Answer) {
  const { queries: about, mostItems: most, signal } = ask;
  try {
    if (bytes.length === 0) return { reason: 'is empty' };
    if (connector.kind === 'documents') return { entries: [await documentEntry(documents, { fetched, bytes, ask })] };
    const shape = { of: connector, base: fetched.url, about, most };
    const text = inUtf8(bytes, fetched.headers['content-type']);
    const { entries, unfit } = await documents.entries({ bytes: text, shape }, ask);
    return unfit === undefined ? { entries } : { reason: unfit };
  } catch (error) {
    signal.throwIfAborted();
    if (isDocumentFailure(error)) return { reason: error.message };
    throw error;
  }
}

/** Words = why it could not be read to its end. */
async function whole(fetched: Fetched, signal: AbortSignal): Promise<Uint8Array | string> {
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
