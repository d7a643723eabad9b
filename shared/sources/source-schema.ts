/** The schema of a source that an operator describes. */

import * as v from 'valibot';
import { httpsAddress } from '../agents/field-schemas.ts';
import { parseInstant } from './parse-instant.ts';

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
  const rule = `must be a whole number from ${min} to ${max}`;
  return v.optional(
    v.pipe(v.number(rule), v.integer(rule), v.minValue(min, rule), v.maxValue(max, rule)),
    defaultValue,
  );
};

/** Names appear in requests, rows and lists, so only plain words are allowed. */
export const isSourceName = (text: string): boolean => text.length <= MAX_NAME && /^[a-z][a-z\d_-]*$/.test(text);

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

const commonFields = {
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
    v.strictObject({ kind: v.literal('feed'), ...commonFields }),
    v.strictObject({
      kind: v.literal('json'),
      ...commonFields,
      /** The path of the records: a list, or an object whose values are the records. Empty: the whole response. */
      items: v.optional(v.pipe(v.string(), v.maxLength(MAX_WORDS)), ''),
      fields,
      figures,
    }),
    v.strictObject({ kind: v.literal('csv'), ...commonFields, fields, figures }),
    v.strictObject({ kind: v.literal('page'), ...commonFields }),
    v.strictObject({ kind: v.literal('documents'), ...commonFields }),
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
