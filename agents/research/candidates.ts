/** The items that may be read next: each story once, the same share of each source, without those that are settled. */

import { createHash } from 'node:crypto';
import { STORED_FILES, WEB_SEARCH } from '../../shared/agents/agent-input.ts';
import type { ResearchDocument } from '../../shared/agents/results/research.ts';
import { type Fingerprint, fingerprintOf, isNearDuplicate, withoutTimes } from '../near-duplicates.ts';
import type { ChosenDocument, GatheredItem } from './research-request.ts';

/** `duplicates` are other items with the same story. */
export type StoryCandidate = { item: GatheredItem; duplicates: GatheredItem[] };

/** A provider found it for a query of the plan. */
export const isHit = ({ source, earlier }: GatheredItem): boolean => source === WEB_SEARCH && !earlier;

/** Identifies an item in later rounds. A page is the same for whatever query it is found. */
export function itemKey(item: GatheredItem): string {
  const { source, address, title, publishedAt, text } = item;
  const parts = isHit(item) ? [] : source === STORED_FILES ? [title] : [title, publishedAt, text];
  return createHash('sha256')
    .update(JSON.stringify([source, address, ...parts]))
    .digest('hex')
    .slice(0, 20);
}

/** Takes turns between the sources, and between files, each in its own order: the newest first, as the search ranks its hits, or as the parts of a file follow each other. */
export function roundRobin(items: readonly GatheredItem[]): GatheredItem[] {
  const groups = [...Map.groupBy(items, groupOf).values()].map(inSourceOrder);
  const longest = Math.max(0, ...groups.map(({ length }) => length));
  return Array.from({ length: longest }, (_, nth) => groups.flatMap((group) => group[nth] ?? [])).flat();
}

/** Items without a date come last. */
export const newerFirst = ({ publishedAt: a = '' }: GatheredItem, { publishedAt: b = '' }: GatheredItem): number =>
  a < b ? 1 : a > b ? -1 : 0;

/** Identifies a series: records with figures from one source whose titles differ only in their dates. */
export const seriesOf = ({ source, title, figures = [] }: Pick<GatheredItem, 'source' | 'title' | 'figures'>) =>
  figures.length === 0 ? undefined : JSON.stringify([source, withoutTimes(title)]);

/** Called with the number of characters that come next. Rejects with the signal's reason. */
export type Pace = (characters: number) => Promise<void>;

/** Reading this many characters takes some tens of milliseconds. */
const CHARACTERS_PER_TURN = 300_000;

/** Returns a function that lets other work in between while long texts are processed. */
export function pacer(signal: AbortSignal): Pace {
  let charactersRead = 0;
  return async (characters) => {
    charactersRead += characters;
    if (charactersRead < CHARACTERS_PER_TURN) return;
    charactersRead = 0;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  };
}

type DistinctItems = {
  candidates: StoryCandidate[];
  duplicates: number;
  /** There was no more room for them. */
  beyond: GatheredItem[];
  /** Older records of a series that is read. */
  ofSeries: number;
};

/** Returns the first `most` items of different stories. `documents` are those that an earlier round has chosen. */
export async function distinctItems(
  items: readonly GatheredItem[],
  { most, documents, pace }: { most: number; documents: readonly ChosenDocument[]; pace: Pace },
): Promise<DistinctItems> {
  const candidates: (StoryCandidate & { print: Fingerprint })[] = [];
  const distinct: DistinctItems = { candidates, duplicates: 0, beyond: [], ofSeries: 0 };
  const counts = new Map<string | undefined, number>();
  const count = (series: string | undefined) => counts.set(series, (counts.get(series) ?? 0) + 1);
  for (const document of documents) count(seriesOf(document));
  for (const item of items) {
    await pace(item.text.length);
    const print = fingerprintOf(`${item.title}\n${item.text}`);
    // Snippets of hits say too little to tell whether their pages are the same.
    const original = isHit(item)
      ? undefined
      : candidates.find((candidate) => hasSameFigures(item, candidate.item) && isNearDuplicate(print, candidate.print));
    const series = seriesOf(item);
    if (original) {
      original.duplicates.push(item);
      distinct.duplicates++;
    } else if (series !== undefined && (counts.get(series) ?? 0) >= MAX_OF_SERIES) distinct.ofSeries++;
    else if (candidates.length < most) {
      candidates.push({ item, duplicates: [], print });
      count(series);
    } else distinct.beyond.push(item);
  }
  return { ...distinct, candidates: candidates.map(({ print: _, ...candidate }) => candidate) };
}

export function toChosenDocument(
  { item, duplicates }: StoryCandidate,
  document: number,
  relevance: number,
): ChosenDocument {
  return {
    document,
    status: 'chosen',
    source: item.source,
    title: item.title,
    address: item.address,
    published_at: item.publishedAt ?? null,
    sample_data: item.isSample,
    relevance: Math.round(100 * relevance) / 100,
    duplicates: duplicates.map(({ source, title, address }): ResearchDocument['duplicates'][number] => ({
      source,
      title,
      address,
    })),
    text: item.text,
    figures: item.figures ?? [],
    ...(item.earlier
      ? {
          text_by: item.earlier.textBy,
          fetched_at: item.earlier.fetchedAt,
          previous: { task_id: item.earlier.task_id, document: item.earlier.document },
        }
      : {}),
  };
}

const MAX_LEFT = 200;
/** The state is stored after each stage, so it holds only short texts. */
const MAX_LEFT_CHARACTERS = 400_000;

/**
 * What of the items that were not chosen is kept for a further round, the first ones first. Parts of files are kept without their
 * text, which is read again; texts of an earlier research are kept with it.
 */
export function itemsForLater(items: readonly GatheredItem[]): GatheredItem[] {
  let characters = MAX_LEFT_CHARACTERS;
  const laterItems: GatheredItem[] = [];
  for (const item of items) {
    if (item.earlier || laterItems.length >= MAX_LEFT) continue;
    const text = item.source === STORED_FILES ? '' : item.text;
    if (text.length > characters) continue;
    characters -= text.length;
    laterItems.push({ ...item, text });
  }
  return laterItems;
}

const groupOf = ({ source, address, earlier }: GatheredItem): string =>
  JSON.stringify([earlier !== undefined, source, source === STORED_FILES ? address : '']);

function inSourceOrder(group: GatheredItem[]): GatheredItem[] {
  const isRanked = group.some((item) => isHit(item) || item.source === STORED_FILES);
  return isRanked ? group : group.toSorted(newerFirst);
}

/**
 * At most this many records of a series are read; the others are only in its chart. Otherwise a series would fill the
 * whole list.
 */
const MAX_OF_SERIES = 2;

/** Records with figures are duplicates only if the figures are equal. */
const hasSameFigures = ({ figures = [] }: GatheredItem, { figures: otherFigures = [] }: GatheredItem): boolean =>
  figures.length === 0 || otherFigures.length === 0 || JSON.stringify(figures) === JSON.stringify(otherFigures);
