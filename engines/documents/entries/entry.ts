/** An entry of a published list, such as a feed: a text with a date and figures, of bounded length. */
import type { SourceItem } from '../../../shared/sources/gathered.ts';
import type { Connector } from '../../../shared/sources/source.ts';

export type SourceEntry = Omit<SourceItem, 'source'>;

/** How to interpret the bytes, their URL, and which entries to choose if there are many. */
export type EntryShape = {
  of: Exclude<Connector, { kind: 'documents' }>;
  base: string;
  /** The queries that the entries should match. */
  about: readonly string[];
  max: number;
};

/** `unfit` says why the bytes do not have the expected format. It follows a URL in a message. */
export type Entries = { entries: SourceEntry[]; unfit?: string };

export const ENTRY_LIMITS = {
  title: 300,
  /** The limit for an entry of a list. A page is a single entry with a limit of its own. */
  text: 20_000,
  pageText: 200_000,
  /** Further records are not read. */
  records: 20_000,
  feedEntries: 2_000,
  jsonDepth: 200,
} as const;
