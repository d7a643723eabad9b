/** Sources read by the real readers in their threads, from texts of the test. */
import * as v from 'valibot';
import type { Entries } from '../../../engines/documents/document.ts';
import { DOCUMENT_LIMITS } from '../../../engines/documents/document.ts';
import { readEntries } from '../../../engines/documents/read-document.ts';
import { type Connector, sourceSchema } from '../../../shared/sources/source-schema.ts';

export const BASE = 'https://published.errand-tests.org/list';

/** A source as an operator writes it, with defaults filled in. */
export function connectorOf(given: object): Connector {
  const { connectors } = v.parse(sourceSchema, { title: 'One', connectors: [{ address: BASE, ...given }] });
  const [connector] = connectors;
  if (!connector) throw new Error('There is no connector.');
  return connector;
}

/** In this thread, so that an error has a useful stack trace. */
export function read(
  given: { kind: string; [field: string]: unknown },
  bytes: string | Uint8Array,
  max = 100,
): Promise<Entries> {
  const of = connectorOf(given);
  if (of.kind === 'documents') throw new Error('Documents are no entries.');
  const shape = { of, base: BASE, about: [], max };
  return readEntries(
    { bytes: Buffer.from(bytes), name: '', shape },
    { limits: DOCUMENT_LIMITS, assets: { ocrProgram: '', ocrLanguage: '', sqlite: '' } },
  );
}
