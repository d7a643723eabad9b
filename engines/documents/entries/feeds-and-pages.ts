/** Entries from the web: RSS 1.0, RSS 2.0 and Atom feeds, and single pages. */

import { oneLine } from '../../../shared/core/one-line.ts';
import { definedFields } from '../../../shared/core/optional-fields.ts';
import type { ReaderInput } from '../document.ts';
import { ENTRY_LIMITS, type EntryShape, type SourceEntry } from '../document.ts';
import { decodeText } from '../text.ts';
import { walkXml, type XmlHandler } from '../xml.ts';
import { buildEntry, cleanText } from './build-entry.ts';

/** The root elements of RSS 2.0, RSS 1.0 and Atom; formats are recognized by element names only. */
const ROOTS = new Set(['rss', 'RDF', 'feed']);
const ENTRIES = new Set(['item', 'entry']);
/** The first of these fields that is not empty is used. */
const TEXTS = ['encoded', 'content', 'description', 'summary'] as const;
const DATE_FIELDS = ['pubDate', 'published', 'date', 'updated', 'modified'] as const;
const READ_FIELDS: ReadonlySet<string> = new Set(['title', 'link', 'guid', ...TEXTS, ...DATE_FIELDS]);
/** Elements of XHTML text that begin a new line. */
const BREAKS = new Set(['p', 'div', 'br', 'li', 'tr', 'h1', 'h2', 'h3', 'h4', 'blockquote']);
const SKIPPED_ELEMENTS = new Set(['script', 'style']);
const MAX_FIELD = 500_000;

type FeedFields = Record<string, string>;

/** Thrown to stop parsing when there are enough entries. */
const STOP = Symbol('enough');

/** The parser expands no entities that a feed defines, and follows no URLs. */
export function readFeed(reading: ReaderInput, { base }: EntryShape): SourceEntry[] | string {
  const feedEntries: FeedFields[] = [];
  const walk = feedWalk((fields) => {
    feedEntries.push(fields);
    if (feedEntries.length >= ENTRY_LIMITS.feedEntries) throw STOP;
  });
  try {
    walkXml(reading.bytes, walk.handler);
  } catch (error) {
    if (error !== STOP) throw error;
  }
  if (!walk.isFeed()) return 'is not a feed';
  return feedEntries.flatMap((fields) => buildEntry(toRawEntry(fields), base, reading) ?? []);
}

function toRawEntry(fields: FeedFields) {
  const firstValue = (names: readonly string[]) => names.map((name) => fields[name]?.trim()).find((text) => text);
  const guid = fields.guid?.trim();
  return {
    title: fields.title ?? '',
    text: firstValue(TEXTS) ?? '',
    published: firstValue(DATE_FIELDS),
    link: firstValue(['link']) ?? (guid && /^https?:\/\//i.test(guid) ? guid : undefined),
  };
}

type FeedWalk = {
  depth: number;
  isFeed: boolean;
  /** The nesting depth in scripts and styles. */
  unread: number;
  entry?: { depth: number; fields: FeedFields } | undefined;
  /** The direct child of the entry that is being read. */
  field?: { name: string; text: string } | undefined;
};

function feedWalk(onEntry: (fields: FeedFields) => void) {
  const walk: FeedWalk = { depth: 0, isFeed: false, unread: 0 };
  const handler: XmlHandler = {
    open(name, attributes) {
      walk.depth++;
      if (walk.depth === 1) walk.isFeed = ROOTS.has(name);
      if (SKIPPED_ELEMENTS.has(name)) walk.unread++;
      if (walk.entry) openInside(walk, walk.entry, { name, attributes });
      else if (walk.isFeed && ENTRIES.has(name)) walk.entry = { depth: walk.depth, fields: {} };
    },
    text(text) {
      const { field, unread } = walk;
      if (field && unread === 0 && field.text.length < MAX_FIELD) field.text += text;
    },
    close(name) {
      if (SKIPPED_ELEMENTS.has(name)) walk.unread--;
      const { entry, field } = walk;
      if (field && entry && walk.depth === entry.depth + 1) {
        setField(entry.fields, field);
        walk.field = undefined;
      } else if (walk.depth === entry?.depth) {
        onEntry(entry.fields);
        walk.entry = undefined;
      }
      walk.depth--;
    },
  };
  return { handler, isFeed: () => walk.isFeed };
}

type Opened = { name: string; attributes: Record<string, string> };

function openInside(walk: FeedWalk, entry: { depth: number; fields: FeedFields }, { name, attributes }: Opened): void {
  if (walk.depth === entry.depth + 1) {
    walk.field = { name, text: '' };
    if (name === 'link') setLink(entry.fields, attributes);
  } else if (walk.field && BREAKS.has(name)) walk.field.text += '\n';
}

/** The first one counts: further fields with the same name belong to enclosed media. */
function setField(fields: FeedFields, { name, text }: { name: string; text: string }): void {
  if (READ_FIELDS.has(name) && !fields[name]?.trim()) fields[name] = text;
}

/** Atom links are attributes. An entry may have several; the page itself has the relation `alternate`, or none. */
function setLink(fields: FeedFields, { href, rel = 'alternate' }: Record<string, string>): void {
  if (href && rel === 'alternate' && !fields.link) fields.link = href;
}

/** Reads a web page as one entry: its title, its date if it has one, and its main content. */
export async function readPageEntries(reading: ReaderInput, { base }: EntryShape): Promise<SourceEntry[] | string> {
  if (decodeText(reading.bytes).includes('\0')) return 'is not a web page';
  // Only here, as the libraries are large.
  const { readMainContent } = await import('../formats/main-content.ts');
  const { parts, title, publishedAt } = readMainContent(reading, base);
  const text = cleanText(parts.map((part) => part.text).join('\n\n'), ENTRY_LIMITS.pageText);
  if (text === '') return 'holds no text';
  const heading = /^#{1,6} (.+)$/m.exec(text)?.[1];
  return [
    {
      address: base,
      title: oneLine(title || heading || new URL(base).host).slice(0, ENTRY_LIMITS.title),
      text,
      ...definedFields({ publishedAt }),
    },
  ];
}
