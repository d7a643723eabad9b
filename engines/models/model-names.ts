/** The names under which a model may be listed: providers, gateways and servers write the same name in several ways. */

/** The region of an inference profile of Bedrock. */
export const REGION = /^(global|us|us-gov|eu|apac|jp|au|ca|in)\./;

const DATE = /[-@](20\d\d-?\d\d-?\d\d)(?=$|[-@:])/;
/** Bedrock's number of a version. */
const VERSION = /-v(\d+:\d+(:\w+)?|1)$/;
const LATEST = /[-:]latest$/;
/** Of open models, how they were tuned or packed; `-2507` is a month. */
const VARIANT = /-(instruct|it|chat|fp8|fp4|bf16|awq|\d{4})(?=$|-|:)/g;

const withoutPath = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/** Without the author and the variant of an open model: `qwen3-32b` of `Qwen/Qwen3-32B-FP8`. */
export const openName = (name: string): string => withoutPath(name).toLowerCase().replace(VARIANT, '');

/** Punctuation differs: `claude-sonnet-4.5` and `claude-sonnet-4-5`, `qwen3:32b` and `qwen3-32b`. */
export const keyOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(VERSION, '')
    .replaceAll(/[^a-z0-9]/g, '');

/** The keys of a name, the most exact first: as it is, without a path, a region, `latest`, a date. */
export function keysOf(name: string): string[] {
  const bare = withoutPath(name);
  const names = [name, bare, bare.replace(REGION, '')];
  const undated = names.map((variant) => variant.replace(LATEST, '').replace(DATE, ''));
  return [...new Set([...names, ...undated].map(keyOf))];
}

/** Rows by the keys of their names. A name may have several regions: `{eu,us}.model`. */
export function byKey<T>(rows: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(
    Object.entries(rows).flatMap(([name, row]) => regionalNames(name).map((variant) => [keyOf(variant), row])),
  );
}

function regionalNames(name: string): string[] {
  const [, regions, bare] = /^\{(.*)\}(.*)$/.exec(name) ?? [];
  return regions === undefined ? [name] : regions.split(',').map((region) => `${region}${bare}`);
}

/** The row of the most exact key; among lists that have it, the first. */
export function firstRow<T>(lists: readonly ReadonlyMap<string, T>[], keys: readonly string[]): T | undefined {
  for (const key of keys) {
    const list = lists.find((rows) => rows.has(key));
    if (list) return list.get(key);
  }
  return undefined;
}
