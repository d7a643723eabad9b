/** What is read out of a published list, such as a feed: entries with a date and figures, each of bounded length. */
import type { SourceItem } from '../../../shared/sources/gathered.ts';
import type { Connector } from '../../../shared/sources/source.ts';

export type SourceEntry = Omit<SourceItem, 'source'>;

/** How bytes are to be understood, where they came from, and which entries are wanted when there are many. */
export type EntryShape = {
  of: Exclude<Connector, { kind: 'documents' }>;
  base: string;
  /** What is asked for. */
  about: readonly string[];
  most: number;
};

/** `unfit`: why the bytes are not what they were said to be, in words that follow an address. */
export type Entries = { entries: SourceEntry[]; unfit?: string };

export const ENTRY_LIMITS = {
  title: 300,
  /** Of an entry in a list; a page is an entry of its own. */
  text: 20_000,
  pageText: 200_000,
  /** Looked at; what comes behind them is not read. */
  records: 20_000,
  feedEntries: 2_000,
  jsonDepth: 200,
} as const;
