/** A source: connectors as data, each of which says where something is published and how items are taken from it. */
import * as v from 'valibot';

/** What a source may cost whoever gathers from it. */
export const SOURCE_LIMITS = {
  connectors: 10,
  addresses: 20,
  figures: 20,
  headers: 8,
  seconds: { usual: 15, most: 25 },
  bytes: { usual: 2_000_000, most: 10_000_000 },
  requests: { usual: 10, most: 50 },
  pauseMs: { least: 100, usual: 1_000, most: 10_000 },
  addressCharacters: 2_048,
} as const;

const MOST_NAME = 64;
const MOST_WORDS = 200;
const MOST_NOTE = 1_000;
const MOST_PATH = 200;

const wholeFrom = (least: number, most: number) => v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));
const words = (most = MOST_WORDS) => v.pipe(v.string(), v.regex(/\S/, 'must not be empty'), v.maxLength(most));

/** Names stand in requests, tables and lists: plain words. */
export const sourceName = v.pipe(
  v.string(),
  v.maxLength(MOST_NAME),
  v.regex(/^[a-z][a-z\d_-]*$/, 'must be lower-case letters, digits, _ and -, a letter first'),
);

const BLANKS = /\{(?:query|place)\}/g;

const address = v.pipe(
  v.string(),
  v.maxLength(SOURCE_LIMITS.addressCharacters),
  v.check(isTemplate, 'must be an HTTPS address, with {query} and {place} only behind its host'),
);

/** What is asked for must never decide which host is asked. */
function isTemplate(text: string): boolean {
  const plain = text.replaceAll(BLANKS, 'x');
  const url = URL.parse(plain);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || /[{}]/.test(plain)) return false;
  return !/[{}]/.test(/^https:\/\/[^/?#]*/i.exec(text)?.[0] ?? '{');
}

/** Nothing secret can be put here, and nothing that the way out sets itself. */
const HEADERS = ['accept', 'accept-language'] as const;
const headers = v.strictObject(
  v.entriesFromList(HEADERS, v.optional(v.pipe(v.string(), v.regex(/^[ -~]{1,200}$/, 'must be visible ASCII')))),
);

/** Keys of objects and places in lists, with dots: `data.rows` or `0.values`. The empty path is the whole. */
const path = v.pipe(v.string(), v.maxLength(MOST_PATH), v.regex(/^[^\p{Cc}]*$/u, 'must have no control characters'));
const paths = v.pipe(
  v.union([path, v.pipe(v.array(path), v.minLength(1), v.maxLength(10))], 'must be a path or a list of paths'),
  v.transform((given) => (typeof given === 'string' ? [given] : given)),
);

const figure = v.strictObject({
  label: words(),
  value: path,
  unit: v.optional(words()),
});

/** Which part of a record is what. Of several paths all that are there are joined. */
const fields = v.strictObject({
  title: v.optional(paths),
  text: v.optional(paths),
  published: v.optional(path),
  address: v.optional(path),
});
const figures = v.optional(v.pipe(v.array(figure), v.maxLength(SOURCE_LIMITS.figures)), []);

const { seconds, bytes, requests, pauseMs } = SOURCE_LIMITS;

const everywhere = {
  address: v.pipe(
    v.union([address, v.pipe(v.array(address), v.minLength(1), v.maxLength(SOURCE_LIMITS.addresses))]),
    v.transform((given) => (typeof given === 'string' ? [given] : given)),
  ),
  headers: v.optional(headers, {}),
  seconds: v.optional(wholeFrom(1, seconds.most), seconds.usual),
  most_bytes: v.optional(wholeFrom(1, bytes.most), bytes.usual),
  /** In one gathering. */
  most_requests: v.optional(wholeFrom(1, requests.most), requests.usual),
  /** At least so long between two requests to one host. */
  pause_ms: v.optional(wholeFrom(pauseMs.least, pauseMs.most), pauseMs.usual),
};

const connector = v.variant('kind', [
  v.strictObject({ kind: v.literal('feed'), ...everywhere }),
  v.strictObject({
    kind: v.literal('json'),
    ...everywhere,
    /** Where the list of records is; an object there counts as the list of its values. */
    items: v.optional(path, ''),
    fields,
    figures,
  }),
  v.strictObject({ kind: v.literal('csv'), ...everywhere, fields, figures }),
  v.strictObject({ kind: v.literal('page'), ...everywhere }),
  v.strictObject({ kind: v.literal('documents'), ...everywhere }),
]);

export const sourceSchema = v.strictObject({
  title: words(),
  about: v.optional(v.pipe(v.string(), v.maxLength(MOST_NOTE))),
  connectors: v.pipe(v.array(connector), v.minLength(1), v.maxLength(SOURCE_LIMITS.connectors)),
});

export type Connector = v.InferOutput<typeof connector>;
export type SourceKind = Connector['kind'];

/** As stored: by its name in its organization. */
export type Source = v.InferOutput<typeof sourceSchema> & { name: string };
