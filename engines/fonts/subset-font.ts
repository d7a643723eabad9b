/** Reduces a TrueType font to some of its glyphs and renumbers them, for embedding in a PDF. */
import type { Font } from './font.ts';

const COMPOSITE = { areWords: 0x0001, hasScale: 0x0008, hasMore: 0x0020, hasScales: 0x0040, hasMatrix: 0x0080 };
const COPIED_TABLES = ['head', 'hhea', 'maxp', 'prep'] as const;
const MAGIC = 0xb1b0afba;

/**
 * `wanted` contains the glyphs in the order of their new numbers. Components of composite glyphs are added after them.
 */
export function subsetFont(font: Font, wanted: readonly number[]): Uint8Array {
  const shapes = shapesIn(font);
  const glyphs = [...wanted];
  const numbers = new Map(glyphs.map((glyph, at) => [glyph, at]));
  const written: Uint8Array[] = [];
  for (let at = 0; at < glyphs.length; at++) {
    written.push(
      renumberParts(shapes(glyphs[at] ?? 0), (part) => {
        const known = numbers.get(part) ?? glyphs.push(part) - 1;
        numbers.set(part, known);
        return known;
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
  const set = (tag: string, offset: number, value: number) =>
    viewOn(tables.get(tag) ?? new Uint8Array()).setUint16(offset, value);
  set('head', 50, 1);
  set('maxp', 4, glyphs.length);
  set('hhea', 34, glyphs.length);
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
    12 + 16 * sorted.length + sorted.reduce((sum, [, { length }]) => sum + padded(length), 0),
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
    offset += padded(bytes.length);
  }
  view.setUint32(head + 8, (MAGIC - sumOf(file)) >>> 0);
  return file;
}

const padded = (length: number): number => (length + 3) & ~3;

function sumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (const [at, byte] of bytes.entries()) sum = (sum + byte * 2 ** (24 - 8 * (at % 4))) % 2 ** 32;
  return sum;
}

const viewOn = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
