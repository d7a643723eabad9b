/** Items that were gathered from sources, and which of them an agent reads. */
import { HOUR_MS, MINUTE_MS } from '../core/time.ts';

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
  maxItems: number;
  signal: AbortSignal;
  /** Where we ourselves answer: nothing is gathered from there. */
  ownHosts: string[];
};

/** Never rejects for what the source does or is; only with the reason of the caller's signal. */
export type Gather = (organization: string, source: string, ask: GatherRequest) => Promise<GatheredItems>;

/** Which of many items are kept: those that speak of what is asked for, then the newest. */
type ChosenItems = Pick<SourceItem, 'title' | 'text' | 'publishedAt'>;
type ItemCriteria = { about: readonly string[]; max: number };

const MAX_WORDS = 50;
/** Words of two letters and fewer are in every text. */
const WORD = /[\p{L}\p{N}]{3,}/gu;

/** The newest first, those without a date behind them in their own order. */
export function chooseItems<T extends ChosenItems>(items: readonly T[], { about, max }: ItemCriteria): T[] {
  const dated = items.toSorted((one, other) => timeOf(other) - timeOf(one));
  if (dated.length <= max) return dated;
  const wanted = wordsOf(about);
  const ranked = dated.map((item) => ({ item, hits: hitsOf(item, wanted) }));
  return ranked
    .toSorted((one, other) => other.hits - one.hits)
    .slice(0, max)
    .map(({ item }) => item);
}

const timeOf = ({ publishedAt }: ChosenItems): number => (publishedAt === undefined ? 0 : Date.parse(publishedAt));

function wordsOf(about: readonly string[]): string[] {
  const found = about.flatMap((text) => text.toLowerCase().match(WORD) ?? []);
  return [...new Set(found)].slice(0, MAX_WORDS);
}

/** How many of the words it has, however often. */
function hitsOf({ title, text }: ChosenItems, wanted: readonly string[]): number {
  const own = new Set(`${title} ${text}`.toLowerCase().match(WORD) ?? []);
  return wanted.filter((word) => own.has(word)).length;
}

/** The dates that feeds and tables write, as an instant: RFC 822, ISO 8601, periods such as 2026-Q3, seconds since 1970. */
const MIN_YEAR = 1_900;
const MAX_YEAR = 2_200;
const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';
/** RFC 822 names these; any other name counts as UTC. */
const ZONES: Record<string, number> = { EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7 };

const RFC_822 =
  /^(?:[a-z]{3,9},?\s+)?(\d{1,2})\s+([a-z]{3})[a-z]*\.?\s+(\d{4}|\d{2})(?:\s+(\d{1,2}):(\d\d)(?::(\d\d))?)?\s*([+-]\d{4}|[a-z]{1,5})?$/i;
const ISO_8601 = /^(\d{4})-(\d\d)(?:-(\d\d)(?:[T\s]+(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?)?$/i;
const COMPACT = /^(\d{4})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)(Z)?)?$/i;
const QUARTER = /^(\d{4})[\s-]?Q([1-4])$/i;
const YEAR = /^(\d{4})$/;
const EPOCH = /^\d{9,10}(?:\d{3})?(?:\.\d+)?$/;

/** ISO 8601 UTC with milliseconds; undefined for an invalid date. Without a time zone it is UTC. */
export function parseInstant(text: string): string | undefined {
  const at = parseMoment(text.trim().slice(0, 80));
  if (at === undefined || !Number.isFinite(at)) return undefined;
  const date = new Date(at);
  const year = date.getUTCFullYear();
  return year >= MIN_YEAR && year <= MAX_YEAR ? date.toISOString() : undefined;
}

function parseMoment(text: string): number | undefined {
  const iso = ISO_8601.exec(text) ?? COMPACT.exec(text);
  if (iso) {
    const [, year, month, day = '1', hour, minute, second, zone] = iso;
    return moment([year, Number(month) - 1, day, hour, minute, second], zone);
  }
  const mail = RFC_822.exec(text);
  if (mail) {
    const [, day, name = '', year = '', hour, minute, second, zone] = mail;
    const month = MONTHS.indexOf(name.toLowerCase()) / 3;
    return Number.isInteger(month) && month >= 0
      ? moment([year.length === 2 ? `20${year}` : year, month, day, hour, minute, second], zone)
      : undefined;
  }
  const quarter = QUARTER.exec(text);
  if (quarter) return moment([quarter[1], (Number(quarter[2]) - 1) * 3]);
  const year = YEAR.exec(text);
  if (year) return moment([year[1]]);
  // Seconds, or with 13 digits milliseconds.
  return EPOCH.test(text) ? Number(text) * (/^\d{12,}/.test(text) ? 1 : 1_000) : undefined;
}

function moment(parts: (string | number | undefined)[], zone?: string): number | undefined {
  const [year, month = 0, day = 1, hour = 0, minute = 0, second = 0] = parts;
  const at = Date.UTC(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second));
  const date = new Date(at);
  // No 31st of February becomes a day of March, and no year 1 becomes 1901.
  const fits =
    date.getUTCFullYear() === Number(year) && date.getUTCMonth() === Number(month) && date.getUTCDate() === Number(day);
  return fits ? at - offsetOf(zone) : undefined;
}

function offsetOf(zone: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '') ?? [];
  if (sign === undefined) return (ZONES[(zone ?? '').toUpperCase()] ?? 0) * HOUR_MS;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
}
