/** Reads bytes as the list of entries they were said to be. */
import { chooseItems } from '../../../shared/sources/gathered.ts';
import type { DocumentSource } from '../document.ts';
import { startBudget } from '../markdown/budget.ts';
import type { ReaderInput } from '../read-document.ts';
import type { ReaderSettings } from '../thread/message.ts';
import type { Entries, EntryShape, SourceEntry } from './entry.ts';

/** Words = the bytes are not what they were said to be. */
type EntryReader = (reading: ReaderInput, shape: EntryShape) => SourceEntry[] | string;

const READERS: Record<EntryShape['of']['kind'], () => Promise<EntryReader>> = {
  feed: async () => (await import('./read-feed.ts')).readFeed,
  json: async () => (await import('./read-json.ts')).readJson,
  csv: async () => (await import('./read-columns.ts')).readColumns,
  page: async () => (await import('./read-page.ts')).readPage,
};

export async function readEntries(
  { bytes: data, shape }: DocumentSource & { shape: EntryShape },
  settings: ReaderSettings,
): Promise<Entries> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const read = await READERS[shape.of.kind]();
  const found = read({ ...settings, bytes, budget: startBudget(settings.limits) }, shape);
  if (typeof found === 'string') return { entries: [], unfit: found };
  return { entries: chooseItems(found, shape) };
}
