/** Documents opened from the sources for one test file, closed when it ends. */
import { afterAll } from 'vitest';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { type DocumentFailureReason, isDocumentFailure } from '../../../engines/documents/document.ts';
import { type Documents, type DocumentsOptions, openDocuments } from '../../../engines/documents/documents.ts';
import type { ReadingIndex, ReadingPage, ReadingPart, TextTable } from '../../../shared/files/reading-format.ts';

export function openReader(options: Partial<DocumentsOptions> = {}) {
  const documents = openDocuments({ ...readerFilesFromCheckout(), ...options });
  afterAll(() => documents.close());
  const read = (source: Parameters<Documents['read']>[0], signal?: AbortSignal) =>
    documents.read(source, { organization: 'tests', signal });
  return {
    ...documents,
    read,
    sheets: (bytes: Uint8Array, name: string) =>
      documents.read({ bytes, name }, { organization: 'tests', sheets: true }),
    /** The parts with their blocks, and the tables, as they are stored. */
    async readWithLayout(bytes: Uint8Array, name: string): Promise<{ parts: ReadingPart[]; tables: TextTable[] }> {
      const source = { name, size: bytes.length, load: async () => bytes };
      const written = await documents.readToStore(source, { organization: 'tests' });
      const stored = Buffer.from(written.bytes);
      const index: ReadingIndex = JSON.parse(stored.toString('utf8', written.indexAt));
      const pages = index.pages.map(({ from, to }): ReadingPage => JSON.parse(stored.toString('utf8', from, to)));
      return { parts: pages.flatMap((page) => page.parts), tables: pages.flatMap((page) => page.tables ?? []) };
    },
    /** The whole text of what is read, each part under its label. */
    async text(bytes: Uint8Array, name: string): Promise<string> {
      const { parts } = await read({ bytes, name });
      return parts.map(({ label, text }) => `${label}\n${text}`).join('\n\n');
    },
    /** The reason why it cannot be read, or its text. */
    async refusal(bytes: Uint8Array, name: string): Promise<DocumentFailureReason | 'read'> {
      try {
        await read({ bytes, name });
        return 'read';
      } catch (error) {
        if (isDocumentFailure(error)) return error.reason;
        throw error;
      }
    },
  };
}
