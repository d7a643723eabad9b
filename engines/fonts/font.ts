/** The bundled TrueType fonts: their files, their glyphs, and which characters they can show. */
import { basename, join } from 'node:path';

/** The paths of the fonts and of the chart painter, which are loaded on first use. */
export type FontFiles = { regular: string; semiBold: string };
export type ChartFiles = FontFiles & { painter: string };

/** The font files in the repository. */
export const FONTS: FontFiles = {
  regular: 'assets/fonts/inter-regular.ttf',
  semiBold: 'assets/fonts/inter-semibold.ttf',
};
export const PAINTER = '@resvg/resvg-wasm/index_bg.wasm';

/** A bundle has these files in its folder. */
export const bundledFontFiles = (folder: string): ChartFiles => ({
  regular: join(folder, basename(FONTS.regular)),
  semiBold: join(folder, basename(FONTS.semiBold)),
  painter: join(folder, 'chart-painter.wasm'),
});

/** The parts of a TrueType font that are used here: glyphs of characters, and their widths. */
export type Font = {
  unitsPerEm: number;
  ascent: number;
  descent: number;
  box: [number, number, number, number];
  /** Returns 0 if the font has no glyph for the character. */
  glyphOf: (codePoint: number) => number;
  advanceOf: (glyph: number) => number;
  /** Returns the bytes of a table, or no bytes if it does not exist. */
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
  const tables = new Map<string, { offset: number; length: number }>();
  for (let entry = 0; entry < view.getUint16(4); entry++) {
    const at = 12 + 16 * entry;
    const tag = String.fromCharCode(...bytes.subarray(at, at + 4));
    tables.set(tag, { offset: view.getUint32(at + 8), length: view.getUint32(at + 12) });
  }
  return tables;
}

/** Format 12 covers all of Unicode. Private-use characters are skipped, as they occur in no text. */
function glyphsOf(cmap: DataView): Map<number, number> {
  const glyphs = new Map<number, number>();
  for (let entry = 0; entry < cmap.getUint16(2); entry++) {
    const at = cmap.getUint32(4 + 8 * entry + 4);
    if (cmap.getUint16(at) !== UNICODE_FULL) continue;
    for (let group = 0; group < cmap.getUint32(at + 12); group++) {
      const from = at + 16 + 12 * group;
      const [first, last, glyph] = [cmap.getUint32(from), cmap.getUint32(from + 4), cmap.getUint32(from + 8)];
      for (let code = first; code <= last; code++) if (!isPrivate(code)) glyphs.set(code, glyph + code - first);
    }
  }
  return glyphs;
}

const isPrivate = (code: number): boolean => code >= 0xe000 && code <= 0xf8ff;

/** Private-use marks around the name of a script, until a run of them is joined. */
const [OPEN, CLOSE] = ['\ue000', '\ue001'];
const RUN = new RegExp(`(?:${OPEN}[^${CLOSE}]*${CLOSE}\\s*)*${OPEN}[^${CLOSE}]*${CLOSE}`, 'gu');
const SCRIPTS = [
  'Arabic',
  'Armenian',
  'Bengali',
  'Devanagari',
  'Ethiopic',
  'Georgian',
  'Gujarati',
  'Gurmukhi',
  'Han',
  'Hangul',
  'Hebrew',
  'Hiragana',
  'Kannada',
  'Katakana',
  'Khmer',
  'Lao',
  'Malayalam',
  'Myanmar',
  'Sinhala',
  'Tamil',
  'Telugu',
  'Thai',
  'Tibetan',
].map((name) => ({ name, pattern: new RegExp(`\\p{Script_Extensions=${name}}`, 'u') }));
const OTHER = 'other characters';
/** Pictographs, modifiers and invisible characters are removed without a replacement. */
const ORNAMENT =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Cf}\p{Cc}\p{Variation_Selector}\p{Co}]/u;

/**
 * Converts a text to one that the font can show, for output without fallback fonts. A run of other characters becomes
 * the name of its script, such as `[Arabic]`; the names are added to `missing`.
 */
export function toShowable(text: string, { glyphOf }: Pick<Font, 'glyphOf'>, missing = new Set<string>()): string {
  let letters = '';
  for (const character of text.normalize('NFC')) letters += letterOf(character, glyphOf);
  return letters.replaceAll(RUN, (run) => {
    const scripts = new Set(run.split(OPEN).flatMap((part) => part.split(CLOSE)[0] || []));
    const names = scripts.size > 0 ? [...scripts] : [OTHER];
    for (const name of names) missing.add(name);
    return `[${names.join(', ')}]`;
  });
}

function letterOf(character: string, glyphOf: Font['glyphOf']): string {
  if (glyphOf(character.codePointAt(0) ?? 0) !== 0) return character;
  if (/\s/u.test(character)) return ' ';
  if (ORNAMENT.test(character)) return '';
  // Tries a compatible character (NFKC), then the letter without its marks.
  for (const substitute of [character.normalize('NFKC'), character.normalize('NFKD').replaceAll(/\p{M}/gu, '')]) {
    if (substitute && Array.from(substitute).every((part) => glyphOf(part.codePointAt(0) ?? 0) !== 0))
      return substitute;
  }
  if (/\p{M}/u.test(character)) return '';
  const name = SCRIPTS.find(({ pattern }) => pattern.test(character))?.name ?? '';
  return `${OPEN}${name}${CLOSE}`;
}
