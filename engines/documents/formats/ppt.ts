/** PPT: one part per slide in the order of the show, with the speaker notes ([MS-PPT] 2.3 to 2.5). */

import { openCompoundFile } from '../compound-file.ts';
import type { ReaderInput } from '../document.ts';
import { type DocumentPart, unreadable } from '../document.ts';
import { type MarkdownBlocks, markdownBlocks, slideParts } from '../markdown.ts';

/** A record of a PPT stream. It has a kind, an instance and a body, and may contain other records ([MS-PPT] 2.3.1). */
type PptRecord = { kind: number; instance: number; from: number; to: number; isContainer: boolean };

const HEAD_BYTES = 8;

function recordAt(stream: Buffer, at: number): PptRecord | undefined {
  if (at < 0 || at + HEAD_BYTES > stream.length) return undefined;
  const head = stream.readUInt16LE(at);
  const from = at + HEAD_BYTES;
  const to = Math.min(from + stream.readUInt32LE(at + 4), stream.length);
  return { kind: stream.readUInt16LE(at + 2), instance: head >> 4, from, to, isContainer: (head & 0xf) === 0xf };
}

function recordsIn(stream: Buffer, parent: { from: number; to: number }): PptRecord[] {
  const records: PptRecord[] = [];
  let at = parent.from;
  while (at < parent.to) {
    const record = recordAt(stream, at);
    if (!record || record.to > parent.to) break;
    records.push(record);
    at = record.to;
  }
  return records;
}

const MAX_DEPTH = 100;

/** Yields all descendants in order. */
function* recordsBelow(stream: Buffer, parent: PptRecord, depth = 0): Generator<PptRecord> {
  if (depth > MAX_DEPTH) throw unreadable('tooLarge');
  for (const record of recordsIn(stream, parent)) {
    yield record;
    if (record.isContainer) yield* recordsBelow(stream, record, depth + 1);
  }
}

const USER_EDIT = 0x0ff5;
const DIRECTORY = 0x1772;
const ENCRYPTED_TOKEN = 0xf3d1c4df;
const LENGTH_WITH_KEY = 32;
const MAX_EDITS = 10_000;

/**
 * Finds the position of each part. Every save adds a directory, and later ones override earlier ones ([MS-PPT] 2.3.2).
 */
function readPersistDirectories(
  stream: Buffer,
  user: Buffer,
): { offsetOf(reference: number): number; documentAt: number } {
  if (user.readUInt32LE(12) === ENCRYPTED_TOKEN) throw unreadable('encrypted');
  const offsets = new Map<number, number>();
  let documentReference: number | undefined;
  let at = user.readUInt32LE(16);
  for (let edits = 0; at !== 0; edits++) {
    const edit = recordAt(stream, at);
    if (edit?.kind !== USER_EDIT || edits > MAX_EDITS) throw unreadable('corrupt');
    if (edit.to - edit.from >= LENGTH_WITH_KEY) throw unreadable('encrypted');
    documentReference ??= stream.readUInt32LE(edit.from + 16);
    readDirectory(stream, stream.readUInt32LE(edit.from + 12), offsets);
    at = stream.readUInt32LE(edit.from + 8);
  }
  const placeOf = (reference: number) => offsets.get(reference) ?? -1;
  return { offsetOf: placeOf, documentAt: placeOf(documentReference ?? -1) };
}

/** Each run of offsets has a header: 20 bits for the first reference, 12 bits for the count. */
function readDirectory(stream: Buffer, at: number, offsets: Map<number, number>): void {
  const directory = recordAt(stream, at);
  if (directory?.kind !== DIRECTORY) throw unreadable('corrupt');
  let place = directory.from;
  while (place + 4 <= directory.to) {
    const head = stream.readUInt32LE(place);
    const amount = head >>> 20;
    place += 4;
    for (let n = 0; n < amount && place + 4 <= directory.to; n++, place += 4) {
      const reference = (head & 0xfffff) + n;
      if (!offsets.has(reference)) offsets.set(reference, stream.readUInt32LE(place));
    }
  }
}

/** The record types that are read ([MS-PPT] 2.4, 2.5). */
const KIND = {
  document: 0x03e8,
  notes: 0x03f0,
  notesAtom: 0x03f1,
  slidePersist: 0x03f3,
  showInfo: 0x03f9,
  outlineReference: 0x0f9e,
  textHeader: 0x0f9f,
  wideText: 0x0fa0,
  narrowText: 0x0fa8,
  slideList: 0x0ff0,
} as const;

/** Text types of titles: normal and centered. */
const TITLES = new Set([0, 6]);
const SLIDES = 0;
const NOTES = 2;

type SlideText = { kind: number; text: string };
type ListedSlide = { reference: number; id: number; outline: SlideText[] };

export function readPpt({ bytes, budget }: ReaderInput): DocumentPart[] {
  const compound = openCompoundFile(bytes);
  const stream = compound.stream('PowerPoint Document');
  const user = compound.stream('Current User');
  if (!stream || !user) throw unreadable('corrupt');
  const { offsetOf, documentAt } = readPersistDirectories(stream, user);
  const document = recordAt(stream, documentAt);
  if (document?.kind !== KIND.document) throw unreadable('corrupt');
  const notes = notesBySlide(stream, slidesIn(stream, document, NOTES), offsetOf);
  return slidesIn(stream, document, SLIDES).flatMap(({ reference, id, outline }, at) => {
    const blocks = markdownBlocks(budget);
    const slide = recordAt(stream, offsetOf(reference));
    for (const text of slide ? textsIn(stream, slide, outline) : outline) addText(blocks, text);
    const spoken = notes.get(id)?.trim() ?? '';
    if (spoken !== '') blocks.paragraph(`Notes: ${spoken}`);
    return slideParts(`slide ${at + 1}`, blocks, !(slide && isHidden(stream, slide)));
  });
}

/** The position and the bit of `fHidden`: the show leaves the slide out ([MS-PPT] 2.6.6). */
const FLAGS_AT = 10;
const IS_HIDDEN = 0x0004;

function isHidden(stream: Buffer, slide: PptRecord): boolean {
  const info = recordsIn(stream, slide).find(({ kind }) => kind === KIND.showInfo);
  return (
    info !== undefined && info.to - info.from >= 12 && (stream.readUInt16LE(info.from + FLAGS_AT) & IS_HIDDEN) !== 0
  );
}

/** Returns the slides in order, each with its outline text. */
function slidesIn(stream: Buffer, document: PptRecord, instance: number): ListedSlide[] {
  const list = recordsIn(stream, document).find(
    (record) => record.kind === KIND.slideList && record.instance === instance,
  );
  const slides: ListedSlide[] = [];
  let kind = 0;
  for (const record of list ? recordsIn(stream, list) : []) {
    const current = slides.at(-1);
    if (record.kind === KIND.slidePersist) {
      const { from } = record;
      slides.push({ reference: stream.readUInt32LE(from), id: stream.readUInt32LE(from + 12), outline: [] });
    } else if (record.kind === KIND.textHeader) {
      kind = stream.readUInt32LE(record.from);
      current?.outline.push({ kind, text: '' });
    } else {
      const last = current?.outline.at(-1);
      if (last) last.text += textOf(stream, record);
    }
  }
  return slides;
}

/** Returns the text on the slide. A shape may refer to the outline; outline text without a reference comes last. */
function textsIn(stream: Buffer, slide: PptRecord, outline: SlideText[]): SlideText[] {
  const texts: SlideText[] = [];
  const used = new Set<number>();
  let kind = -1;
  for (const record of recordsBelow(stream, slide)) {
    if (record.kind === KIND.textHeader) kind = stream.readUInt32LE(record.from);
    const text = textOf(stream, record);
    if (text !== '') texts.push({ kind, text });
    if (record.kind !== KIND.outlineReference) continue;
    const at = stream.readUInt32LE(record.from);
    used.add(at);
    const referred = outline[at];
    if (referred) texts.push(referred);
  }
  return [...texts, ...outline.filter((_, at) => !used.has(at))];
}

function notesBySlide(
  stream: Buffer,
  list: ListedSlide[],
  placeOf: (reference: number) => number,
): Map<number, string> {
  const notes = new Map<number, string>();
  for (const { reference, outline } of list) {
    const record = recordAt(stream, placeOf(reference));
    if (record?.kind !== KIND.notes) continue;
    const about = recordsIn(stream, record).find(({ kind }) => kind === KIND.notesAtom);
    const text = textsIn(stream, record, outline)
      .map((part) => cleanLines(part.text))
      .join('\n');
    if (about) notes.set(stream.readUInt32LE(about.from), text);
  }
  return notes;
}

function textOf(stream: Buffer, { kind, from, to }: PptRecord): string {
  if (kind === KIND.wideText) return stream.toString('utf16le', from, to);
  return kind === KIND.narrowText ? stream.toString('latin1', from, to) : '';
}

/** A line with only `*` is a placeholder for a date or number that the program fills in. */
const cleanLines = (text: string): string =>
  text
    .replaceAll(/[\r\v]/g, '\n')
    .split('\n')
    .filter((line) => line.trim() !== '*')
    .join('\n');

/** Text types of body text: full, centered, half and quarter size. */
const BODIES = new Set([1, 5, 7, 8]);

function addText(blocks: MarkdownBlocks, { kind, text }: SlideText): void {
  if (TITLES.has(kind)) blocks.heading(cleanLines(text), 1);
  else if (BODIES.has(kind)) for (const line of cleanLines(text).split('\n')) blocks.item(line, 0);
  else blocks.paragraph(cleanLines(text));
}
