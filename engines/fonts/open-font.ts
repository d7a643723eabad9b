/** Reads what we need of a TrueType font of ours: which glyph shows a character, and how wide it is. */

export type Font = {
  unitsPerEm: number;
  ascent: number;
  descent: number;
  box: [number, number, number, number];
  /** 0 where the font shows nothing of its own. */
  glyphOf: (codePoint: number) => number;
  advanceOf: (glyph: number) => number;
  /** The bytes of a table, none if it has no such table. */
  table: (tag: string) => Uint8Array;
  viewOf: (tag: string) => DataView;
};

const UNICODE_FULL = 12;

export function openFont(bytes: Uint8Array): Font {
  const places = tablesOf(bytes);
  const table = (tag: string) => {
    const place = places.get(tag);
    return place ? bytes.subarray(place.offset, place.offset + place.length) : new Uint8Array();
  };
  const viewOf = (tag: string) => viewOn(table(tag));
  const head = viewOf('head');
  const hhea = viewOf('hhea');
  const hmtx = viewOf('hmtx');
  const lastAdvance = hhea.getUint16(34) - 1;
  const glyphs = glyphsOf(viewOf('cmap'));
  return {
    unitsPerEm: head.getUint16(18),
    ascent: hhea.getInt16(4),
    descent: hhea.getInt16(6),
    box: [head.getInt16(36), head.getInt16(38), head.getInt16(40), head.getInt16(42)],
    glyphOf: (codePoint) => glyphs.get(codePoint) ?? 0,
    advanceOf: (glyph) => hmtx.getUint16(4 * Math.min(glyph, lastAdvance)),
    table,
    viewOf,
  };
}

const viewOn = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function tablesOf(bytes: Uint8Array): Map<string, { offset: number; length: number }> {
  const view = viewOn(bytes);
  const found = new Map<string, { offset: number; length: number }>();
  for (let entry = 0; entry < view.getUint16(4); entry++) {
    const at = 12 + 16 * entry;
    const tag = String.fromCharCode(...bytes.subarray(at, at + 4));
    found.set(tag, { offset: view.getUint32(at + 8), length: view.getUint32(at + 12) });
  }
  return found;
}

/** Format 12 is the one that knows every character; signs of the font's own are nobody's text. */
function glyphsOf(cmap: DataView): Map<number, number> {
  const found = new Map<number, number>();
  for (let entry = 0; entry < cmap.getUint16(2); entry++) {
    const at = cmap.getUint32(4 + 8 * entry + 4);
    if (cmap.getUint16(at) !== UNICODE_FULL) continue;
    for (let group = 0; group < cmap.getUint32(at + 12); group++) {
      const from = at + 16 + 12 * group;
      const [first, last, glyph] = [cmap.getUint32(from), cmap.getUint32(from + 4), cmap.getUint32(from + 8)];
      for (let code = first; code <= last; code++) if (!isPrivate(code)) found.set(code, glyph + code - first);
    }
  }
  return found;
}

const isPrivate = (code: number): boolean => code >= 0xe000 && code <= 0xf8ff;
