/** What a source gives, and how it is asked. */

/** A number that came with an item; the numbers of many items with one label can be drawn as a chart. */
export type Figure = { label: string; value: number; unit?: string };

export type SourceItem = {
  /** The name of the source. */
  source: string;
  /** The item's own link, else the URL of the source. */
  address: string;
  title: string;
  /** Plain text or Markdown, never HTML. */
  text: string;
  /** ISO 8601 UTC with milliseconds. Absent if the source does not provide it. */
  publishedAt?: string;
  /** The instant of each is the item's `publishedAt`. */
  figures?: Figure[];
};

/** `reason` is a few words that follow an address in a message; callers may read it. */
export type SourceFault = { address: string; reason: string };

export type GatheredItems = {
  source: string;
  /** Without duplicates (address, title and text). Newest first, unless there were more than requested. */
  items: SourceItem[];
  faults: SourceFault[];
  /** The number of requests made. */
  queries: number;
  /** Everything in it is invented: a sample that ships with the product. */
  isSample: boolean;
  /** Other queries give other items. */
  takesQueries?: boolean;
};

export type GatherRequest = {
  /** Values for `{query}`; if there are more items than requested, those that mention them come first. */
  queries: string[];
  /** Values for `{place}`. */
  places: string[];
  maxItems: number;
  signal: AbortSignal;
  /** The hosts of our own APIs, from which nothing is gathered. */
  ownHosts: string[];
  /** The source was gathered before: only its URLs with `{query}` are requested. */
  isFurther?: boolean;
};

/** Rejects only with the reason of the caller's signal, never for a failure of the source. */
export type Gather = (organization: string, source: string, ask: GatherRequest) => Promise<GatheredItems>;
