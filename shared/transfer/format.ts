/** The format of an exported organization: its manifest, and its rows as lines of JSON. */
import * as v from 'valibot';
import { ARRIVALS, isBlobKey, READINGS } from '../core/blobs.ts';
import { isUuid } from '../core/ids.ts';
import { Problem } from '../core/problem.ts';

/** A text of an export as an error may quote it: it can neither move the cursor nor colour the terminal. */
export const printable = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');

/** Rises with each change that an older importer could not read. */
export const FORMAT = 1;

/** Bytes that a row names, stored under the hash of their content. */
export type ExportedBlob = { key: string; bytes: number; sha256: string };

/** `sk` of a long value is its name, without the number of a piece. */
export type ExportedRow = { pk: string; sk: string; value: unknown; expiresAt?: number; blobs?: ExportedBlob[] };

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.pipe(v.string(), v.maxLength(2_000));
const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** What was left out because it is, or holds, a secret: the operator sets it again. */
const setting = v.strictObject({
  what: v.picklist(['API key', 'webhook secret', 'model connection', 'search provider', 'single sign-on']),
  name: v.exactOptional(text),
  detail: v.exactOptional(text),
});
export type ExportedSetting = v.InferOutput<typeof setting>;

const manifest = v.strictObject({
  format: count,
  errand: v.pipe(v.string(), v.regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/)),
  exportedAt: v.pipe(v.string(), v.isoTimestamp()),
  organization: v.strictObject({ id: v.pipe(v.string(), v.check(isUuid)), name: text }),
  rows: v.strictObject({ count, bytes: count, sha256: hash }),
  /** As the rows name them: a blob that two rows name counts twice. */
  blobs: v.strictObject({ count, bytes: count }),
  kinds: v.record(text, count),
  /** Tasks that had not ended, and events of ended ones that had not reached their receiver. */
  unfinishedTasks: count,
  undeliveredEvents: count,
  /** Files whose bytes were gone, and other blobs that rows name and that were gone. */
  lostFiles: count,
  lostBlobs: count,
  leftOut: v.array(v.strictObject({ kind: text, why: text })),
  setAgain: v.array(setting),
});
export type Manifest = v.InferOutput<typeof manifest>;

export function parseManifest(json: string): Manifest {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), manifest), json);
  if (parsed.success && parsed.output.format === FORMAT) return parsed.output;
  const { format } = (parsed.success ? parsed.output : {}) as { format?: number };
  throw new Problem(
    'invalid',
    format === undefined
      ? `The manifest is not one of an exported organization${issueOf(parsed.issues?.[0])}.`
      : `The export has the format ${format}, this Errand reads ${FORMAT}: import it with the version that made it.`,
  );
}

const blob = v.strictObject({ key: v.pipe(v.string(), v.check(isBlobKey)), bytes: count, sha256: hash });
const row = v.strictObject({
  pk: v.string(),
  sk: v.string(),
  value: v.unknown(),
  expiresAt: v.exactOptional(count),
  blobs: v.exactOptional(v.array(blob)),
});

/** Throws for a line that is no row; what the row says is checked when it is imported. */
export function parseRow(line: string): ExportedRow {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), row), line);
  if (parsed.success) return parsed.output;
  throw new Problem('invalid', `is not a row${issueOf(parsed.issues[0])}`);
}

/** Whether a key lies in the folders of this organization. */
export function isOwnBlob(organization: string, key: string): boolean {
  if (!SEGMENTS.test(key) || hasDots(key)) return false;
  const [folder, second, third] = key.split('/');
  if (`${folder}/` === ARRIVALS) return third === organization;
  return OWN_FOLDERS.includes(`${folder}/`) && second === organization;
}

const OWN_FOLDERS = ['files/', 'results/', READINGS];
const ANY_FOLDER = [...OWN_FOLDERS, ARRIVALS];

/** A place in the field `bytesAt`, at any depth, that is a blob and not one of this organization. */
export function foreignBlobIn(organization: string, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== 'string') {
      const foreign = foreignBlobIn(organization, inner);
      if (foreign !== undefined) return foreign;
    } else if (name === 'bytesAt' && ANY_FOLDER.some((folder) => inner.startsWith(folder))) {
      if (!isOwnBlob(organization, inner.split('#')[0] ?? '')) return inner;
    }
  }
  return undefined;
}

function issueOf(issue: v.BaseIssue<unknown> | undefined): string {
  const path = issue && v.getDotPath(issue);
  return path ? ` (${printable(path)})` : '';
}

/** Plain segments only, so that no client on the way to a bucket reads one as "the folder above". */
const SEGMENTS = /^[\w.-]+(?:\/[\w.-]+)+$/;
const hasDots = (key: string): boolean => key.split('/').some((segment) => /^\.+$/.test(segment));
