/** A research source, built in or configured by an organization, and the items gathered from it. */
import * as v from 'valibot';
import { setSources } from '../accounts/organizations.ts';
import { httpsAddress } from '../agents/fields.ts';
import { Problem } from '../core/problem.ts';
import { putRow } from '../core/table-access.ts';
import { HOUR_MS, MINUTE_MS } from '../core/time.ts';
import type { Clock, Key, Table } from '../ports.ts';

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

/** Selects items: those that mention the query, then the newest. */
type ChosenItems = Pick<SourceItem, 'title' | 'text' | 'publishedAt'>;
type ItemCriteria = { about: readonly string[]; max: number };

const MAX_WANTED_WORDS = 50;
/** Shorter words occur in every text. */
const WORD = /[\p{L}\p{N}]{3,}/gu;

/** Newest first; items without a date come last, in their own order. */
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
  return [...new Set(found)].slice(0, MAX_WANTED_WORDS);
}

/** How many of the words it contains; repetitions do not count. */
function hitsOf({ title, text }: ChosenItems, wanted: readonly string[]): number {
  const own = new Set(`${title} ${text}`.toLowerCase().match(WORD) ?? []);
  return wanted.filter((word) => own.has(word)).length;
}

/** Parses the dates of feeds and tables: RFC 822, ISO 8601, periods such as 2026-Q3, seconds since 1970. */
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

/** ISO 8601 UTC with milliseconds; `undefined` for an invalid date. A date without a time zone is UTC. */
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
  // Rejects dates that would roll over, such as February 31 to March or year 1 to 1901.
  const fits =
    date.getUTCFullYear() === Number(year) && date.getUTCMonth() === Number(month) && date.getUTCDate() === Number(day);
  return fits ? at - offsetOf(zone) : undefined;
}

function offsetOf(zone: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '') ?? [];
  if (sign === undefined) return (ZONES[(zone ?? '').toUpperCase()] ?? 0) * HOUR_MS;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
}

/** The limits of one gathering: the defaults, and the range that a source may set. */
const SOURCE_LIMITS = {
  seconds: { min: 1, defaultValue: 15, max: 25 },
  bytes: { min: 1_000, defaultValue: 2_000_000, max: 10_000_000 },
  requests: { min: 1, defaultValue: 10, max: 50 },
  pauseMs: { min: 100, defaultValue: 1_000, max: 10_000 },
} as const;

const MAX_CONNECTORS = 10;
const MAX_ADDRESSES = 20;
const MAX_ADDRESS = 2_048;
const MAX_FIGURES = 20;
const MAX_NAME = 64;
const MAX_WORDS = 200;
const MAX_NOTE = 2_000;
const MAX_ENTRIES = 50;

const words = (max = MAX_WORDS) =>
  v.pipe(
    v.string('must be a string'),
    v.regex(/\S/, 'must not be empty'),
    v.maxLength(max, `must have at most ${max} characters`),
  );

const wholeFrom = ({ min, defaultValue, max }: { min: number; defaultValue: number; max: number }) => {
  const wanted = `must be a whole number from ${min} to ${max}`;
  return v.optional(
    v.pipe(v.number(wanted), v.integer(wanted), v.minValue(min, wanted), v.maxValue(max, wanted)),
    defaultValue,
  );
};

/** Names appear in requests, rows and lists, so only plain words are allowed. */
const isSourceName = (text: string): boolean => text.length <= MAX_NAME && /^[a-z][a-z\d_-]*$/.test(text);

const address = v.pipe(
  words(MAX_ADDRESS),
  v.check(isTemplate, 'must be an HTTPS URL, with {query} and {place} nowhere but behind its host'),
);

/** A placeholder must never decide which host is requested. */
function isTemplate(text: string): boolean {
  const plain = text.replaceAll(/\{(?:query|place)\}/g, 'x');
  const url = URL.parse(plain);
  const origin = /^https:\/\/[^/?#\\]*/i.exec(text)?.[0];
  return url !== null && origin !== undefined && url.username + url.password === '' && !/[{}]/.test(origin + plain);
}

const visible = v.pipe(v.string('must be a string'), v.regex(/^[ -~]{1,200}$/, 'must be 1 to 200 visible characters'));

/** Only harmless headers: no secrets, and none that the outbound client sets itself. */
const headers = v.strictObject({ accept: v.optional(visible), 'accept-language': v.optional(visible) });

/** Text with `{path}` placeholders: object keys and list indexes with dots, or a column name. */
const template = words(MAX_NOTE);

const fields = v.strictObject({
  title: template,
  text: v.optional(template),
  published: v.optional(template),
  address: v.optional(template),
});

const figure = v.strictObject({ label: template, value: template, unit: v.optional(words()) });
const figures = v.optional(v.pipe(v.array(figure, 'must be a list'), v.maxLength(MAX_FIGURES)), []);

const oneOrMore = v.pipe(
  v.unknown(),
  v.transform((value) => (Array.isArray(value) ? value : [value])),
  v.array(address),
  v.minLength(1, 'must not be empty'),
  v.maxLength(MAX_ADDRESSES, `must be at most ${MAX_ADDRESSES}`),
);

const everywhere = {
  address: oneOrMore,
  headers: v.optional(headers, {}),
  limits: v.optional(
    v.strictObject({
      seconds: wholeFrom(SOURCE_LIMITS.seconds),
      bytes: wholeFrom(SOURCE_LIMITS.bytes),
      /** Per gathering. */
      requests: wholeFrom(SOURCE_LIMITS.requests),
      /** The minimum time between two requests to one host. */
      pauseMs: wholeFrom(SOURCE_LIMITS.pauseMs),
    }),
    {},
  ),
};

const connector = v.variant(
  'kind',
  [
    v.strictObject({ kind: v.literal('feed'), ...everywhere }),
    v.strictObject({
      kind: v.literal('json'),
      ...everywhere,
      /** The path of the records: a list, or an object whose values are the records. Empty: the whole response. */
      items: v.optional(v.pipe(v.string(), v.maxLength(MAX_WORDS)), ''),
      fields,
      figures,
    }),
    v.strictObject({ kind: v.literal('csv'), ...everywhere, fields, figures }),
    v.strictObject({ kind: v.literal('page'), ...everywhere }),
    v.strictObject({ kind: v.literal('documents'), ...everywhere }),
  ],
  'must be one of feed, json, csv, page, documents',
);

/** An item that the operator wrote into the source; it needs no request. */
const entry = v.strictObject({
  title: words(),
  text: words(MAX_NOTE),
  published: v.optional(
    v.pipe(
      v.string('must be a string'),
      v.check((text) => parseInstant(text) !== undefined, 'must be a date'),
    ),
  ),
  address: v.optional(httpsAddress),
  figures: v.optional(
    v.pipe(
      v.array(v.strictObject({ label: words(), value: v.number('must be a number'), unit: v.optional(words()) })),
      v.maxLength(MAX_FIGURES),
    ),
    [],
  ),
});

export const sourceSchema = v.pipe(
  v.strictObject({
    title: words(),
    about: v.optional(words(MAX_NOTE)),
    connectors: v.optional(
      v.pipe(v.array(connector, 'must be a list'), v.maxLength(MAX_CONNECTORS, `must be at most ${MAX_CONNECTORS}`)),
      [],
    ),
    entries: v.optional(
      v.pipe(v.array(entry, 'must be a list'), v.maxLength(MAX_ENTRIES, `must be at most ${MAX_ENTRIES}`)),
      [],
    ),
  }),
  v.forward(
    v.check(({ connectors, entries }) => connectors.length + entries.length > 0, 'must not be empty'),
    ['connectors'],
  ),
);

export type Connector = v.InferOutput<typeof connector>;

/** A stored source, identified by its name in its organization. */
export type ResearchSource = v.InferOutput<typeof sourceSchema> & { name: string };

/** The sources of an organization: one row each, and their names in the organization's own row, which every submit reads. */
export type SourceRow = ResearchSource & { changedAt: number };

const MAX_SOURCES = 50;
/** The largest source as JSON: a row of DynamoDB holds 400 KB. */
const MAX_CHARACTERS = 50_000;
const PAGE = 100;
const PREFIX = 'SOURCE#';

const keyOf = (organization: string, name: string): Key => ({ pk: `O#${organization}`, sk: PREFIX + name });

export async function sourceOf(table: Table, organization: string, name: string): Promise<ResearchSource | undefined> {
  return isSourceName(name) ? (await table.get<SourceRow>(keyOf(organization, name)))?.value : undefined;
}

export async function listSources(table: Table, organization: string): Promise<SourceRow[]> {
  const page = await table.rows<SourceRow>(`O#${organization}`, PREFIX, { limit: PAGE });
  return page.rows.map(({ value }) => value);
}

/** Replaces the source of that name. The row is written first, so that every name that a task may use can be looked up. */
export async function putSource(
  { table, clock }: { table: Table; clock: Clock },
  organization: string,
  { name, value }: { name: string; value: unknown },
): Promise<SourceRow> {
  if (!isSourceName(name)) {
    throw new Problem(
      'invalid',
      'The name of a source has up to 64 lower-case letters, digits, _ and -, and starts with a letter.',
    );
  }
  const source = { name, ...checkedSource(value), changedAt: clock.now() };
  const others = (await listSources(table, organization)).filter((one) => one.name !== name);
  if (others.length >= MAX_SOURCES) {
    throw new Problem('invalid', `An organization has at most ${MAX_SOURCES} sources; remove one first.`);
  }
  await putRow<SourceRow>(table, { ...keyOf(organization, name), value: source });
  await setSources(table, organization, (names) => [...new Set([...names, name])].sort());
  return source;
}

/** The name is removed first, for the same reason. */
export async function removeSource(table: Table, organization: string, name: string): Promise<SourceRow> {
  const row = await table.get<SourceRow>(keyOf(organization, name));
  if (!row) throw new Problem('notFound', `There is no source ${JSON.stringify(name.slice(0, 80))}.`);
  await setSources(table, organization, (names) => names.filter((one) => one !== name));
  if (!(await table.remove(row)))
    throw new Problem('busy', 'The source was changed by another request meanwhile; try again.');
  return row.value;
}

function checkedSource(value: unknown): Omit<ResearchSource, 'name'> {
  const parsed = v.safeParse(sourceSchema, value);
  if (parsed.success) {
    if (JSON.stringify(parsed.output).length <= MAX_CHARACTERS) return parsed.output;
    throw new Problem('invalid', `A source has at most ${MAX_CHARACTERS} characters.`);
  }
  const [issue] = parsed.issues;
  const field = v.getDotPath(issue);
  throw new Problem('invalid', field === null ? 'A source has a title and connectors.' : `${field}: ${issue.message}`);
}
