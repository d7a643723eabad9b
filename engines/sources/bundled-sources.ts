/** The bundled sources: public ones, and fictional sample corpora whose dates count back from today. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { KNOWN_SOURCES } from '../../shared/agents/agent-input.ts';
import { DAY_MS, HOUR_MS } from '../../shared/core/time.ts';
import type { SourceItem } from '../../shared/sources/source-item.ts';
import type { ResearchSource } from '../../shared/sources/source-schema.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const ageSchema = v.union([
  v.strictObject({ days: count }),
  v.strictObject({ months: count }),
  v.strictObject({ quarters: count }),
]);
const sampleSchema = v.strictObject({
  title: v.string(),
  note: v.string(),
  items: v.array(
    v.strictObject({
      ago: ageSchema,
      title: v.string(),
      text: v.string(),
      figures: v.optional(
        v.array(v.strictObject({ label: v.string(), value: v.number(), unit: v.optional(v.string()) })),
      ),
    }),
  ),
});

type SampleCorpus = v.InferOutput<typeof sampleSchema> & { name: string };
type SampleAge = v.InferOutput<typeof ageSchema>;

/** Reads a sample corpus from `<name>.json` in the folder, once. */
export function sampleCorpora(folder: string): FindBundledSource {
  const read = new Map<string, Promise<{ sample: SampleCorpus }>>();
  const readOne = async (name: string) => {
    const json: unknown = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'));
    return { sample: { name, ...v.parse(sampleSchema, json) } };
  };
  return async (name) => {
    if (!KNOWN_SOURCES.includes(name)) return undefined;
    const source = read.get(name) ?? readOne(name);
    read.set(name, source);
    return source;
  };
}

/** Monthly figures are published on this day of the month, quarterly figures this many days after their quarter. */
const MONTHLY_DAY = 3;
const QUARTERLY_DAYS = 25;
const HOURS_OF_DAY = 10;

export const sampleItems = (sample: SampleCorpus, now: number): SourceItem[] =>
  sample.items.map(({ ago, title, text, figures }, at) => {
    const published = publishedAt(ago, now, at);
    return {
      source: sample.name,
      // The top-level domain .invalid never resolves (RFC 2606).
      address: `https://sample-data.invalid/${sample.name}/${at + 1}`,
      title: fillDates(title, published),
      text: fillDates(text, published),
      publishedAt: published.toISOString(),
      ...(figures ? { figures: figures.map(({ unit, ...figure }) => (unit ? { ...figure, unit } : figure)) } : {}),
    };
  });

function publishedAt(ago: SampleAge, now: number, at: number): Date {
  if ('days' in ago) {
    const today = Math.floor(now / DAY_MS) * DAY_MS;
    return new Date(today - ago.days * DAY_MS + (at % HOURS_OF_DAY) * HOUR_MS);
  }
  if ('months' in ago) {
    const latest = new Date(now - (MONTHLY_DAY - 1) * DAY_MS);
    return new Date(Date.UTC(latest.getUTCFullYear(), latest.getUTCMonth() - ago.months, MONTHLY_DAY));
  }
  const latest = new Date(now - QUARTERLY_DAYS * DAY_MS);
  const month = Math.floor(latest.getUTCMonth() / 3) * 3 - 3 * ago.quarters;
  return new Date(Date.UTC(latest.getUTCFullYear(), month, QUARTERLY_DAYS));
}

/** `{month}` and `{quarter}` are the last completed ones, `{year}` is the year of that quarter. */
function fillDates(text: string, published: Date): string {
  const year = published.getUTCFullYear();
  const month = published.getUTCMonth();
  const before = new Date(Date.UTC(year, month - 1, 1));
  const quarter = new Date(Date.UTC(year, Math.floor(month / 3) * 3 - 3, 1));
  const words: Record<string, string> = {
    date: published.toISOString().slice(0, 10),
    month: `${before.toLocaleString('en', { month: 'long', timeZone: 'UTC' })} ${before.getUTCFullYear()}`,
    quarter: `Q${quarter.getUTCMonth() / 3 + 1} ${quarter.getUTCFullYear()}`,
    year: String(quarter.getUTCFullYear()),
  };
  return text.replaceAll(/\{(\w+)\}/g, (blank, word: string) => words[word] ?? blank);
}

/** Finds the bundled source of a name. It applies until an organization has a source of its own with that name. */
export type FindBundledSource = (
  name: string,
) => Promise<{ source: ResearchSource } | { sample: SampleCorpus } | undefined>;

/** The public sources of a deployed product, in one file next to the function that gathers. */
export type PublicSources = Record<string, ResearchSource>;

const FILE = 'sources.json';

export const publicSourcesFile = (folder: string): string => join(folder, FILE);

/** Reads the file once, on first use. */
export function bundledPublicSources(folder: string): FindBundledSource {
  let read: Promise<PublicSources> | undefined;
  return async (name) => {
    read ??= readFile(publicSourcesFile(folder), 'utf8').then((text) => JSON.parse(text) as PublicSources);
    const sources = await read;
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
    return source && { source };
  };
}
