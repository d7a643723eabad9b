/** A document of a list as one entry: its parts one after the other, each under its label. */

import type { SlotRequest } from '../../shared/core/semaphore.ts';
import { cleanFileName } from '../../shared/files/file.ts';
import { nameOf } from '../../shared/files/import.ts';
import type { Fetched } from '../../shared/ports.ts';
import type { Documents } from '../documents/documents.ts';
import { ENTRY_LIMITS, type SourceEntry } from '../documents/entries/entry.ts';

type FetchedDocument = { fetched: Fetched; bytes: Uint8Array; ask: SlotRequest };

export async function documentEntry(
  documents: Documents,
  { fetched, bytes, ask }: FetchedDocument,
): Promise<SourceEntry> {
  const name = cleanFileName(nameOf(fetched)) || 'document';
  const { parts } = await documents.read({ bytes, name }, ask);
  const text = parts.map((part) => `[${part.label}]\n${part.text}`).join('\n\n');
  return { address: fetched.url, title: name, text: text.slice(0, ENTRY_LIMITS.pageText).toWellFormed() };
}
