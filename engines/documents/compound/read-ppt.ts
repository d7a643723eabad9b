/** PPT: one part for each slide in the order of the show, with the speaker's notes ([MS-PPT] 2.4, 2.5). */
import type { DocumentPart } from '../document.ts';
import { unreadable } from '../failure.ts';
import { joinBlocks, type MarkdownBlocks, markdownBlocks } from '../markdown/blocks.ts';
import type { ReaderInput } from '../read-document.ts';
import { openCompoundFile } from './open-compound.ts';
import { readPersistDirectories } from './ppt-persisted.ts';
import { type PptRecord, recordAt, recordsBelow, recordsIn } from './ppt-records.ts';

const KIND = {
  document: 0x03e8,
  notes: 0x03f0,
  notesAtom: 0x03f1,
  slidePersist: 0x03f3,
  outlineReference: 0x0f9e,
  textHeader: 0x0f9f,
  wideText: 0x0fa0,
  narrowText: 0x0fa8,
  slideList: 0x0ff0,
} as const;

/** Kinds of text: a title, and one in the middle. */
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
  const { placeOf: offsetOf, documentAt } = readPersistDirectories(stream, user);
  const document = recordAt(stream, documentAt);
  if (document?.kind !== KIND.document) throw unreadable('corrupt');
  const notes = notesBySlide(stream, slidesIn(stream, document, NOTES), offsetOf);
  return slidesIn(stream, document, SLIDES).map(({ reference, id, outline }, at) => {
    const blocks = markdownBlocks(budget);
    const slide = recordAt(stream, offsetOf(reference));
    for (const text of slide ? textsIn(stream, slide, outline) : outline) addText(blocks, text);
    const spoken = notes.get(id)?.trim() ?? '';
    if (spoken !== '') blocks.paragraph(`Notes: ${spoken}`);
    return { label: `slide ${at + 1}`, text: joinBlocks(blocks.all) };
  });
}

/** The slides in their order, each with the texts of its outline. */
function slidesIn(stream: Buffer, document: PptRecord, instance: number): ListedSlide[] {
  const list = recordsIn(stream, document).find((one) => one.kind === KIND.slideList && one.instance === instance);
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

/** What stands on the slide itself; a shape may only refer to the outline. What no shape refers to comes last. */
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
      .map((one) => cleanLines(one.text))
      .join('\n');
    if (about) notes.set(stream.readUInt32LE(about.from), text);
  }
  return notes;
}

function textOf(stream: Buffer, { kind, from, to }: PptRecord): string {
  if (kind === KIND.wideText) return stream.toString('utf16le', from, to);
  return kind === KIND.narrowText ? stream.toString('latin1', from, to) : '';
}

/** `*` alone stands where the program writes a date or a number itself. */
const cleanLines = (text: string): string =>
  text
    .replaceAll(/[\r\v]/g, '\n')
    .split('\n')
    .filter((line) => line.trim() !== '*')
    .join('\n');

/** Whole, in the middle, half and a quarter of a slide. */
const BODIES = new Set([1, 5, 7, 8]);

function addText(blocks: MarkdownBlocks, { kind, text }: SlideText): void {
  if (TITLES.has(kind)) blocks.heading(cleanLines(text), 1);
  else if (BODIES.has(kind)) for (const line of cleanLines(text).split('\n')) blocks.item(line, 0);
  else blocks.paragraph(cleanLines(text));
}
