/** Data of a bundled TrueType font for a PDF: kerning, glyph substitutions, and a subset of its glyphs to embed. */
import type { Font } from './font.ts';

const EXTENSION = { GPOS: 9, GSUB: 7 };
const PAIR = 2;
const SINGLE = 1;

type Tag = keyof typeof EXTENSION;
/** The position of a lookup subtable, with the type of the lookup. */
type Part = { at: number; type: number };

/** Returns the subtables of each lookup of a feature, in the order of application. */
function lookupsOf(view: DataView, tag: Tag, feature: string): Part[][] {
  if (view.byteLength === 0) return [];
  const [features, lookups] = [view.getUint16(6), view.getUint16(8)];
  for (let entry = 0; entry < view.getUint16(features); entry++) {
    const record = features + 2 + 6 * entry;
    const name = String.fromCharCode(...[0, 1, 2, 3].map((at) => view.getUint8(record + at)));
    if (name !== feature) continue;
    const at = features + view.getUint16(record + 4);
    return uint16s(view, at + 4, view.getUint16(at + 2))
      .toSorted((a, b) => a - b)
      .map((lookup) => partsOf(view, lookups + view.getUint16(lookups + 2 + 2 * lookup), EXTENSION[tag]));
  }
  return [];
}

function partsOf(view: DataView, lookup: number, extension: number): Part[] {
  const type = view.getUint16(lookup);
  return uint16s(view, lookup + 6, view.getUint16(lookup + 4)).map((offset) => {
    const at = lookup + offset;
    return type === extension ? { type: view.getUint16(at + 2), at: at + view.getUint32(at + 4) } : { type, at };
  });
}

const uint16s = (view: DataView, at: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => view.getUint16(at + 2 * index));

/** Returns the glyphs that a subtable covers, each with its coverage index. */
function coverageOf(view: DataView, at: number): Map<number, number> {
  const count = view.getUint16(at + 2);
  if (view.getUint16(at) === 1) return new Map(uint16s(view, at + 4, count).map((glyph, index) => [glyph, index]));
  const covered = new Map<number, number>();
  for (let range = 0; range < count; range++) {
    const from = at + 4 + 6 * range;
    for (let glyph = view.getUint16(from); glyph <= view.getUint16(from + 2); glyph++) covered.set(glyph, covered.size);
  }
  return covered;
}

function classesOf(view: DataView, at: number): Map<number, number> {
  if (view.getUint16(at) === 1) {
    const first = view.getUint16(at + 2);
    return new Map(uint16s(view, at + 6, view.getUint16(at + 4)).map((kind, index) => [first + index, kind]));
  }
  const classes = new Map<number, number>();
  for (let range = 0; range < view.getUint16(at + 2); range++) {
    const from = at + 4 + 6 * range;
    const kind = view.getUint16(from + 4);
    for (let glyph = view.getUint16(from); glyph <= view.getUint16(from + 2); glyph++) classes.set(glyph, kind);
  }
  return classes;
}

/**
 * Returns the kerning of two glyphs in font units, negative if they move closer, or undefined if the subtable does not
 * cover them.
 */
type Kern = (left: number, right: number) => number | undefined;

/**
 * A pair positioning subtable: its position, the left glyphs it covers, the size of a record, and a reader for its
 * value.
 */
type Pairing = {
  view: DataView;
  at: number;
  covered: Map<number, number>;
  size: number;
  valueAt(record: number): number;
};

/** Each set bit of a value format stands for one field of a record. */
const fieldsIn = (format: number): number => format.toString(2).replaceAll('0', '').length;
const ADVANCE = 4;

/** Reads only changes of the left glyph's advance, as kerning consists of nothing else. */
function kernOfPart(view: DataView, { at }: Part): Kern {
  const covered = coverageOf(view, at + view.getUint16(at + 2));
  const format = view.getUint16(at + 4);
  const size = 2 * (fieldsIn(format) + fieldsIn(view.getUint16(at + 6)));
  const before = 2 * fieldsIn(format & (ADVANCE - 1));
  const valueAt = (record: number) => (format & ADVANCE ? view.getInt16(record + before) : 0);
  const pairing = { view, at, covered, size, valueAt };
  return view.getUint16(at) === 1 ? kernByPairs(pairing) : kernByClasses(pairing);
}

function kernByPairs({ view, at, covered, size, valueAt }: Pairing): Kern {
  return (left, right) => {
    const index = covered.get(left);
    if (index === undefined) return undefined;
    const pairSet = at + view.getUint16(at + 10 + 2 * index);
    for (let pair = 0; pair < view.getUint16(pairSet); pair++) {
      const record = pairSet + 2 + pair * (2 + size);
      if (view.getUint16(record) === right) return valueAt(record + 2);
    }
    return undefined;
  };
}

function kernByClasses({ view, at, covered, size, valueAt }: Pairing): Kern {
  const [lefts, rights] = [classesOf(view, at + view.getUint16(at + 8)), classesOf(view, at + view.getUint16(at + 10))];
  const columns = view.getUint16(at + 14);
  return (left, right) =>
    covered.has(left)
      ? valueAt(at + 16 + size * ((lefts.get(left) ?? 0) * columns + (rights.get(right) ?? 0)))
      : undefined;
}

export function kerningOf(font: Font): (left: number, right: number) => number {
  const view = font.viewOf('GPOS');
  const lookups = lookupsOf(view, 'GPOS', 'kern').map((parts) =>
    parts.filter(({ type }) => type === PAIR).map((part) => kernOfPart(view, part)),
  );
  const cache = new Map<number, number>();
  return (left, right) => {
    const key = left * 65_536 + right;
    const value = cache.get(key) ?? kernOf(lookups, left, right);
    cache.set(key, value);
    return value;
  };
}

/** In each lookup, the first subtable that covers the pair applies. */
function kernOf(lookups: readonly Kern[][], left: number, right: number): number {
  let sum = 0;
  for (const parts of lookups) {
    for (const part of parts) {
      const value = part(left, right);
      if (value === undefined) continue;
      sum += value;
      break;
    }
  }
  return sum;
}

/** Returns the substitutes of glyphs, such as digits of equal width for `tnum`. */
export function substitutesOf(font: Font, feature: string): Map<number, number> {
  const view = font.viewOf('GSUB');
  const substitutes = new Map<number, number>();
  for (const { at, type } of lookupsOf(view, 'GSUB', feature).flat()) {
    if (type !== SINGLE) continue;
    const isDelta = view.getUint16(at) === 1;
    for (const [glyph, index] of coverageOf(view, at + view.getUint16(at + 2))) {
      substitutes.set(glyph, isDelta ? (glyph + view.getInt16(at + 4)) & 0xffff : view.getUint16(at + 6 + 2 * index));
    }
  }
  return substitutes;
}

const COMPOSITE = { areWords: 0x0001, hasScale: 0x0008, hasMore: 0x0020, hasScales: 0x0040, hasMatrix: 0x0080 };
const COPIED_TABLES = ['head', 'hhea', 'maxp', 'prep'] as const;
const MAGIC = 0xb1b0afba;

/**
 * `initialGlyphs` contains the glyphs in the order of their new numbers. Components of composite glyphs are added after
 * them.
 */
export function subsetFont(font: Font, initialGlyphs: readonly number[]): Uint8Array {
  const shapes = shapesIn(font);
  const glyphs = [...initialGlyphs];
  const numbers = new Map(glyphs.map((glyph, at) => [glyph, at]));
  const written: Uint8Array[] = [];
  for (let at = 0; at < glyphs.length; at++) {
    written.push(
      renumberParts(shapes(glyphs[at] ?? 0), (part) => {
        const number = numbers.get(part) ?? glyphs.push(part) - 1;
        numbers.set(part, number);
        return number;
      }),
    );
  }
  return fileOf(tablesFor(font, glyphs, written));
}

function shapesIn(font: Font): (glyph: number) => Uint8Array {
  const [glyf, loca] = [font.table('glyf'), font.viewOf('loca')];
  const isLong = font.viewOf('head').getInt16(50) === 1;
  const offset = (glyph: number) => (isLong ? loca.getUint32(4 * glyph) : 2 * loca.getUint16(2 * glyph));
  return (glyph) => glyf.subarray(offset(glyph), offset(glyph + 1));
}

/** Composite glyphs refer to their components by number. */
function renumberParts(shape: Uint8Array, numberOf: (glyph: number) => number): Uint8Array {
  const copy = Uint8Array.from(shape);
  const view = viewOn(copy);
  if (copy.length === 0 || view.getInt16(0) >= 0) return copy;
  let at = 10;
  for (;;) {
    const flags = view.getUint16(at);
    view.setUint16(at + 2, numberOf(view.getUint16(at + 2)));
    at += 4 + (flags & COMPOSITE.areWords ? 4 : 2);
    if (flags & COMPOSITE.hasScale) at += 2;
    else if (flags & COMPOSITE.hasScales) at += 4;
    else if (flags & COMPOSITE.hasMatrix) at += 8;
    if (!(flags & COMPOSITE.hasMore)) return copy;
  }
}

function tablesFor(font: Font, glyphs: readonly number[], shapes: readonly Uint8Array[]): Map<string, Uint8Array> {
  const tables = new Map<string, Uint8Array>(COPIED_TABLES.map((tag) => [tag, Uint8Array.from(font.table(tag))]));
  const writeUint16 = (tag: string, offset: number, value: number) =>
    viewOn(tables.get(tag) ?? new Uint8Array()).setUint16(offset, value);
  writeUint16('head', 50, 1);
  writeUint16('maxp', 4, glyphs.length);
  writeUint16('hhea', 34, glyphs.length);
  const hmtx = new Uint8Array(4 * glyphs.length);
  const bearings = bearingsIn(font);
  for (const [at, glyph] of glyphs.entries()) {
    viewOn(hmtx).setUint16(4 * at, font.advanceOf(glyph));
    viewOn(hmtx).setInt16(4 * at + 2, bearings(glyph));
  }
  const loca = new Uint8Array(4 * (glyphs.length + 1));
  let end = 0;
  for (const [at, shape] of shapes.entries()) {
    end += shape.length;
    viewOn(loca).setUint32(4 * (at + 1), end);
  }
  return tables
    .set('hmtx', hmtx)
    .set('loca', loca)
    .set('glyf', new Uint8Array(Buffer.concat(shapes)));
}

function bearingsIn(font: Font): (glyph: number) => number {
  const hmtx = font.viewOf('hmtx');
  const paired = font.viewOf('hhea').getUint16(34);
  return (glyph) => hmtx.getInt16(glyph < paired ? 4 * glyph + 2 : 4 * paired + 2 * (glyph - paired));
}

function fileOf(tables: Map<string, Uint8Array>): Uint8Array {
  const sorted = [...tables].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const power = Math.floor(Math.log2(sorted.length));
  const file = new Uint8Array(
    12 + 16 * sorted.length + sorted.reduce((sum, [, { length }]) => sum + paddedLength(length), 0),
  );
  const view = viewOn(file);
  view.setUint32(0, 0x00010000);
  for (const [at, value] of [sorted.length, 16 * 2 ** power, power, 16 * (sorted.length - 2 ** power)].entries()) {
    view.setUint16(4 + 2 * at, value);
  }
  let offset = 12 + 16 * sorted.length;
  let head = 0;
  for (const [at, [tag, bytes]] of sorted.entries()) {
    const entry = 12 + 16 * at;
    if (tag === 'head') {
      viewOn(bytes).setUint32(8, 0);
      head = offset;
    }
    file.set(Buffer.from(tag, 'latin1'), entry);
    for (const [word, value] of [sumOf(bytes), offset, bytes.length].entries())
      view.setUint32(entry + 4 + 4 * word, value);
    file.set(bytes, offset);
    offset += paddedLength(bytes.length);
  }
  view.setUint32(head + 8, (MAGIC - sumOf(file)) >>> 0);
  return file;
}

const paddedLength = (length: number): number => (length + 3) & ~3;

function sumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (const [at, byte] of bytes.entries()) sum = (sum + byte * 2 ** (24 - 8 * (at % 4))) % 2 ** 32;
  return sum;
}

const viewOn = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
