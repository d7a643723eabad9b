/** What the first message of a chat task says of its files: names, places, headings and columns, within a length. */
import { headingMarks, walkBlocks } from '../../engines/retrieval/blocks.ts';
import { cellsOf, isCode, plainText } from '../../engines/retrieval/passages.ts';
import { partsWithinLimit } from '../parts-within-limit.ts';
import type { WorkspacePage } from './document-pages.ts';
import { fairShares } from './fair-shares.ts';
import type { Picture, WorkspaceFile } from './workspace.ts';

/** The length of the outline of all files together, and of a page of the whole outline of one file. */
const OUTLINE_CHARACTERS = 8_000;

const MAX_NAME = 200;
const MAX_HEADING = 100;
const MAX_HEADINGS = 5_000;
/** Headings are looked for in so many characters of a file, as this runs beside the calls of others. */
const MAX_WALKED = 1_000_000;
const MAX_BEGINNING = 160;
const MAX_COLUMNS = 30;
const MAX_COLUMN = 40;

/** A place of its own such as a sheet or a section, or a heading within a place. Level 1 is the highest. */
type OutlineItem = { place: string; level: number; heading?: string; columns?: string[] };

type OutlinedFile = {
  about: object;
  /** Numbered places, from the first to the last: `page 1 … page 156`. */
  runs: string[];
  items: OutlineItem[];
  /** How a file begins of which there is nothing else to say. */
  begins?: string;
};

export type Outline = {
  text: string;
  /** Not everything had room, so a tool gives the outline of each file whole. */
  isShortened: boolean;
};

export function filesOutline(files: readonly WorkspaceFile[]): Outline {
  const outlined = files.map(toOutlinedFile);
  const whole = outlined.map((file) => outlineJson(file, file.items));
  const rooms = fairShares(
    whole.map(({ length }) => length),
    OUTLINE_CHARACTERS,
  );
  const lines = outlined.map((file, at) => {
    const line = whole[at] ?? '';
    return line.length <= (rooms[at] ?? 0) ? line : shortenedJson(file, rooms[at] ?? 0);
  });
  const isShortened = lines.some((line, at) => line !== whole[at]);
  const hint = isShortened ? ' list_files gives the whole of one that is shortened.' : '';
  return {
    text: [`Outline of the attached files, as data; read_file takes its places.${hint}`, ...lines].join('\n'),
    isShortened,
  };
}

/** The whole outline of one file, in pages. */
export function outlinePages(file: WorkspaceFile, at: number): object[] {
  const outlined = toOutlinedFile(file, at);
  const pages: OutlineItem[][] = [[]];
  let length = 0;
  for (const item of outlined.items) {
    const size = JSON.stringify(item).length;
    if (length > 0 && length + size > OUTLINE_CHARACTERS) {
      pages.push([]);
      length = 0;
    }
    pages.at(-1)?.push(item);
    length += size;
  }
  return pages.map((items) => outlineObject(outlined, items));
}

/** The numbered places of a file and its first other ones, for a reader who named one that is not there. */
export function condensedPlaces(file: WorkspaceFile): string[] {
  const { runs, items } = toOutlinedFile(file, 0);
  return [...runs, ...items.flatMap(({ place, heading }) => (heading === undefined ? [place] : []))].slice(
    0,
    MAX_COLUMNS,
  );
}

const COUNTED_PLACE = /^(page|slide|lines?|rows?|paragraphs?) \d/;

function toOutlinedFile({ name, kind, pages, pictures = [] }: WorkspaceFile, at: number): OutlinedFile {
  const parts = pages.flatMap((page) => page.parts).filter(({ hidden }) => !hidden);
  const items = new Map<string, OutlineItem>();
  const runs = new Map<string, [first: string, last: string]>();
  const walked = new Set(partsWithinLimit(parts, walkedCharacters(name)));
  for (const part of parts) {
    const { place, text } = part;
    const unit = COUNTED_PLACE.exec(place)?.[1]?.replace(/s$/, '');
    const wholePlace = place.replace(/, (?:rows .*|comments|drawings|part \d+)$/, '');
    const isNew = unit === undefined ? !items.has(wholePlace) : !runs.has(unit);
    if (unit !== undefined) runs.set(unit, [runs.get(unit)?.[0] ?? place, place]);
    if (unit === undefined || unit === 'row') {
      if (isNew) items.set(wholePlace, itemOf(wholePlace, text));
    } else if (walked.has(part)) addHeadings(items, place, text);
  }
  const about = { file: at + 1, name: name.slice(0, MAX_NAME), kind, readingPages: pages.length };
  return {
    about: { ...about, ...pictureInfo(pictures) },
    runs: [...runs.values()].map(([first, last]) => (first === last ? first : `${first} … ${last}`)),
    items: [...items.values()].filter(({ place }) => place !== ''),
    ...(items.size === 0 ? beginningOf(parts) : {}),
  };
}

/** Code has no headings. */
const walkedCharacters = (name: string): number => (isCode(name) ? 0 : MAX_WALKED);

function beginningOf(parts: WorkspacePage['parts']): { begins?: string } {
  const [line = ''] =
    parts
      .find(({ text }) => text.trim() !== '')
      ?.text.trim()
      .split('\n', 1) ?? [];
  return line === '' ? {} : { begins: line.slice(0, MAX_BEGINNING).toWellFormed() };
}

/** An image is shown completely, a PDF with some of its pages. */
function pictureInfo(pictures: readonly Picture[]) {
  if (pictures.length === 0) return {};
  const shownPages = pictures.flatMap(({ page }) => page ?? []);
  return shownPages.length > 0 ? { shownPages } : { shown: true };
}

/** A sheet with the heads of its first table, or a section, whose place says its heading. */
function itemOf(place: string, text: string): OutlineItem {
  const level = /^(#{1,6}) /.exec(text)?.[1]?.length ?? 1;
  if (!/^(?:sheet|rows?) /.test(place)) return { place, level };
  const head = text.split('\n').find((line) => line.startsWith('|')) ?? '';
  const columns = cellsOf(head)
    .filter((cell) => cell !== '')
    .slice(0, MAX_COLUMNS)
    .map((column) => column.slice(0, MAX_COLUMN).toWellFormed());
  return { place, level, ...(columns.length > 0 ? { columns } : {}) };
}

/** A heading that comes again, as at the top of each page, stands at its first place. */
function addHeadings(items: Map<string, OutlineItem>, place: string, text: string): void {
  walkBlocks({ text, code: false }, ({ kind, start, end }) => {
    if (kind !== 'heading' || items.size >= MAX_HEADINGS) return;
    const heading = plainText(text.slice(start, Math.min(end, start + MAX_HEADING)));
    if (!/\p{L}{2}/u.test(heading) || items.has(heading)) return;
    items.set(heading, { place, level: headingMarks(text, start).trim().length || LOWEST, heading });
  });
}

/** The level of a line that only stands like a heading. */
const LOWEST = 6;

function outlineObject({ about, runs, begins }: OutlinedFile, items: readonly OutlineItem[]): object {
  const places = [...runs, ...items.flatMap(({ place, heading, columns }) => ((heading ?? columns) ? [] : [place]))];
  const columns = items.flatMap(({ place, columns: heads }) => (heads ? [[place, heads] as const] : []));
  const headings = Map.groupBy(
    items.filter(({ heading }) => heading !== undefined),
    ({ place }) => place,
  );
  return {
    ...about,
    ...(places.length > 0 ? { places } : {}),
    ...(columns.length > 0 ? { columns: Object.fromEntries(columns) } : {}),
    ...(headings.size > 0
      ? {
          headings: Object.fromEntries(
            [...headings].map(([place, headingItems]) => [place, headingItems.map(({ heading }) => heading)]),
          ),
        }
      : {}),
    ...(begins === undefined ? {} : { begins }),
  };
}

const outlineJson = (file: OutlinedFile, items: readonly OutlineItem[]): string =>
  JSON.stringify(outlineObject(file, items));

/** As many of the items as have room: all of the higher levels, and those of the next level evenly over the document. */
function shortenedJson({ begins: _, ...file }: OutlinedFile, room: number): string {
  const shortened = { ...file, about: { ...file.about, shortened: true } };
  let [fits, beyond] = [0, file.items.length];
  while (fits + 1 < beyond) {
    const count = Math.floor((fits + beyond) / 2);
    if (outlineJson(shortened, selectedItems(file.items, count)).length <= room) fits = count;
    else beyond = count;
  }
  return outlineJson(shortened, selectedItems(file.items, fits));
}

function selectedItems(items: readonly OutlineItem[], count: number): OutlineItem[] {
  const selection = new Set<OutlineItem>();
  const byLevel = [...Map.groupBy(items, ({ level }) => level)].toSorted(([a], [b]) => a - b);
  for (const [, sameLevel] of byLevel) {
    const levelCount = Math.min(count - selection.size, sameLevel.length);
    for (let nth = 0; nth < levelCount; nth++) {
      const item = sameLevel[Math.floor(((nth + 0.5) * sameLevel.length) / levelCount)];
      if (item) selection.add(item);
    }
  }
  return items.filter((item) => selection.has(item));
}
