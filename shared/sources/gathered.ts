/** What gathering from one source brings: items to read, and what could not be had. */

/** A number that came with an item: over many items of one label, charts can be drawn from it. */
export type Figure = { label: string; value: number; unit?: string };

export type SourceItem = {
  /** The name of the source it came from. */
  source: string;
  /** Where a reader finds it: the item's own link, else where the source was read. */
  address: string;
  title: string;
  /** Plain text or Markdown, never HTML. */
  text: string;
  /** ISO 8601 UTC with milliseconds. Absent when the source does not tell. */
  publishedAt?: string;
  /** The instant of each is the item's `publishedAt`. */
  figures?: Figure[];
};

/** The reason is a few words that follow an address, for anybody to read. */
export type SourceFault = { address: string; reason: string };

export type GatheredItems = {
  source: string;
  /** No two of one address, title and text. The newest first, unless there were more than was asked for. */
  items: SourceItem[];
  faults: SourceFault[];
  /** Requests that were made. */
  queries: number;
  /** Everything in it is made up: it came with the product to be looked at. */
  isSample: boolean;
};

export type GatherRequest = {
  /** For `{query}`; where there are more items than asked for, those that speak of it come first. */
  queries: string[];
  /** For `{place}`. */
  places: string[];
  mostItems: number;
  signal: AbortSignal;
  /** Where we ourselves answer: nothing is gathered from there. */
  ownHosts: string[];
};

/** Never rejects for what the source does or is; only with the reason of the caller's signal. */
export type Gather = (organization: string, source: string, ask: GatherRequest) => Promise<GatheredItems>;
