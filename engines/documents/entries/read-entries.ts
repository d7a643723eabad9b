/** Reads bytes as a list of entries in the format that the connector declares. */
import { chooseItems } from '../../../shared/sources/gathered.ts';
import type { ReaderInput } from '../document.ts';
import { type DocumentSource, type ReaderSettings, startBudget } from '../document.ts';
import type { Entries, EntryShape, SourceEntry } from './entry.ts';

/** Returns a message if the bytes do not have the declared format. */
type EntryReader = (reading: ReaderInput, shape: EntryShape) => Found | Promise<Found>;
type Found = SourceEntry[] | string;

const READERS: Record<EntryShape['of']['kind'], () => Promise<EntryReader>> = {
  feed: async () => (await import('./feeds-and-pages.ts')).readFeed,
  json: async () => (await import('./records.ts')).readJson,
  csv: async () => (await import('./records.ts')).readColumns,
  page: async () => (await import('./feeds-and-pages.ts')).readPage,
};

export async function readEntries(
  { bytes: data, shape }: DocumentSource & { shape: EntryShape },
  settings: ReaderSettings,
): Promise<Entries> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const read = await READERS[shape.of.kind]();
  const found = await read({ ...settings, bytes, budget: startBudget(settings.limits) }, shape);
  if (typeof found === 'string') return { entries: [], unfit: found };
  return { entries: chooseItems(found, shape) };
}
