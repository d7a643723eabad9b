/**
 * Feeds: RSS 2.0, RSS 1.0 and Atom, told apart by nothing but the names of their elements. The parser knows no entities
 * of a feed's own and follows no address.
 */
import { type Handler, walkXml } from '../markup/parse-xml.ts';
import type { Reading } from '../read-document.ts';
import { ENTRY_LIMITS, type Entry, type Shape } from './entry.ts';
import { entryOf } from './entry-of.ts';

const ROOTS = new Set(['rss', 'RDF', 'feed']);
const ENTRIES = new Set(['item', 'entry']);
/** The first of these that has words is taken. */
const TEXTS = ['encoded', 'content', 'description', 'summary'] as const;
const DATES = ['pubDate', 'published', 'date', 'updated', 'modified'] as const;
const TAKEN: ReadonlySet<string> = new Set(['title', 'link', 'guid', ...TEXTS, ...DATES]);
/** What another element of the page would begin, in a text that is XHTML. */
const BREAKS = new Set(['p', 'div', 'br', 'li', 'tr', 'h1', 'h2', 'h3', 'h4', 'blockquote']);
const UNREAD = new Set(['script', 'style']);
const MOST_FIELD = 500_000;

type Fields = Record<string, string>;

/** Thrown to end the walk: there is enough. */
const ENOUGH = Symbol('enough');

export function readFeed(reading: Reading, { base }: Shape): Entry[] | string {
  const found: Fields[] = [];
  const walk = feedWalk((fields) => {
    found.push(fields);
    if (found.length >= ENTRY_LIMITS.feedEntries) throw ENOUGH;
  });
  try {
    walkXml(reading.bytes, walk.handler);
  } catch (error) {
    if (error !== ENOUGH) throw error;
  }
  if (!walk.isFeed()) return 'is no feed';
  return found.flatMap((fields) => entryOf(foundIn(fields), base, reading) ?? []);
}

function foundIn(fields: Fields) {
  const first = (names: readonly string[]) => names.map((name) => fields[name]?.trim()).find((text) => text);
  const guid = fields.guid?.trim();
  return {
    title: fields.title ?? '',
    text: first(TEXTS) ?? '',
    published: first(DATES),
    link: first(['link']) ?? (guid && /^https?:\/\//i.test(guid) ? guid : undefined),
  };
}

type Walk = {
  depth: number;
  isFeed: boolean;
  /** How deep we are in scripts and styles. */
  unread: number;
  entry?: { depth: number; fields: Fields } | undefined;
  /** The direct child of the entry that is being read. */
  field?: { name: string; text: string } | undefined;
};

function feedWalk(done: (fields: Fields) => void) {
  const walk: Walk = { depth: 0, isFeed: false, unread: 0 };
  const handler: Handler = {
    open(name, attributes) {
      walk.depth++;
      if (walk.depth === 1) walk.isFeed = ROOTS.has(name);
      if (UNREAD.has(name)) walk.unread++;
      if (walk.entry) openInside(walk, walk.entry, { name, attributes });
      else if (walk.isFeed && ENTRIES.has(name)) walk.entry = { depth: walk.depth, fields: {} };
    },
    text(text) {
      const { field, unread } = walk;
      if (field && unread === 0 && field.text.length < MOST_FIELD) field.text += text;
    },
    close(name) {
      if (UNREAD.has(name)) walk.unread--;
      const { entry, field } = walk;
      if (field && entry && walk.depth === entry.depth + 1) {
        noteField(entry.fields, field);
        walk.field = undefined;
      } else if (walk.depth === entry?.depth) {
        done(entry.fields);
        walk.entry = undefined;
      }
      walk.depth--;
    },
  };
  return { handler, isFeed: () => walk.isFeed };
}

type Opened = { name: string; attributes: Record<string, string> };

function openInside(walk: Walk, entry: { depth: number; fields: Fields }, { name, attributes }: Opened): void {
  if (walk.depth === entry.depth + 1) {
    walk.field = { name, text: '' };
    if (name === 'link') noteLink(entry.fields, attributes);
  } else if (walk.field && BREAKS.has(name)) walk.field.text += '\n';
}

/** The first one counts: others of the name belong to enclosed media. */
function noteField(fields: Fields, { name, text }: { name: string; text: string }): void {
  if (TAKEN.has(name) && !fields[name]?.trim()) fields[name] = text;
}

/** Atom has its links in attributes, several of them: the page itself is the alternate, or has no relation. */
function noteLink(fields: Fields, { href, rel = 'alternate' }: Record<string, string>): void {
  if (href && rel === 'alternate' && !fields.link) fields.link = href;
}
