/** Reads bytes as the list of entries they were said to be. */
import { chooseItems } from '../../../shared/sources/gathered.ts';
import type { Source } from '../document.ts';
import { budgetOf } from '../markdown/budget.ts';
import type { Reading } from '../read-document.ts';
import type { Setting } from '../thread/message.ts';
import type { Entries, Entry, Shape } from './entry.ts';

/** Words = the bytes are not what they were said to be. */
type Reader = (reading: Reading, shape: Shape) => Entry[] | string;

const READERS: Record<Shape['of']['kind'], () => Promise<Reader>> = {
  feed: async () => (await import('./read-feed.ts')).readFeed,
  json: async () => (await import('./read-json.ts')).readJson,
  csv: async () => (await import('./read-columns.ts')).readColumns,
  page: async () => (await import('./read-page.ts')).readPage,
};

export async function readEntries(
  { bytes: given, shape }: Source & { shape: Shape },
  setting: Setting,
): Promise<Entries> {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const read = await READERS[shape.of.kind]();
  const found = read({ ...setting, bytes, budget: budgetOf(setting.limits) }, shape);
  if (typeof found === 'string') return { entries: [], unfit: found };
  return { entries: chooseItems(found, shape) };
}
