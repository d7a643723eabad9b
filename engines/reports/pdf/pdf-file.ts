/** A PDF file: its objects, and its fonts reduced to the glyphs in use. It has neither random ids nor a clock. */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { kerningOf, subsetFont, substitutesOf } from '../../fonts/embed-font.ts';
import { type Font, toShowable } from '../../fonts/font.ts';

export type PdfFile = {
  /** Reserves a number, so that an object can be referred to before it exists. */
  reserve: () => number;
  put: (id: number, body: string) => number;
  add: (body: string) => number;
  /** Compresses the bytes; `more` contains further entries of the stream's dictionary. */
  addStream: (bytes: Uint8Array, more?: string) => number;
  bytes: (trailer: { root: number; info: number }) => Uint8Array;
};

export const ref = (id: number): string => `${id} 0 R`;

/** Encodes text of the document's metadata, not of its pages. */
export const textString = (text: string): string =>
  `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`;

export function pdfFile(): PdfFile {
  const objects: Buffer[] = [];
  const reserve = () => objects.push(Buffer.alloc(0));
  const store = (id: number, body: Buffer) => {
    objects[id - 1] = Buffer.concat([Buffer.from(`${id} 0 obj\n`), body, Buffer.from('\nendobj\n')]);
    return id;
  };
  const put = (id: number, body: string) => store(id, Buffer.from(body, 'latin1'));
  return {
    reserve,
    put,
    add: (body) => put(reserve(), body),
    addStream: (bytes, more = '') => {
      const packed = deflateSync(bytes);
      const head = `<< /Length ${packed.length} /Filter /FlateDecode ${more} >>\nstream\n`;
      return store(reserve(), Buffer.concat([Buffer.from(head, 'latin1'), packed, Buffer.from('\nendstream')]));
    },
    bytes: (trailer) => fileBytes(objects, trailer),
  };
}

/** The bytes above 127 in the second line mark the file as binary. */
const HEAD = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1');

function fileBytes(objects: readonly Buffer[], { root, info }: { root: number; info: number }): Uint8Array {
  let offset = HEAD.length;
  const places = objects.map((object) => {
    const at = offset;
    offset += object.length;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const body = Buffer.concat([HEAD, ...objects]);
  const id = createHash('sha256').update(body).digest('hex').slice(0, 32);
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root ${ref(root)} /Info ${ref(info)} /ID [<${id}> <${id}>] >>`;
  return Buffer.concat([body, Buffer.from(`${table}${trailer}\nstartxref\n${offset}\n%%EOF\n`)]);
}

export type PdfFont = {
  /** The font's name in page resources. */
  name: string;
  /** Replaces characters that this font cannot show. */
  plain: (text: string) => string;
  widthOf: (text: string, size: number, isTabular?: boolean) => number;
  /** Returns the operand of TJ, and adds its glyphs to the font. */
  show: (text: string, isTabular?: boolean) => string;
  write: (file: PdfFile) => number;
};

/** Font data that all reports share. */
export type PdfFontFace = {
  font: Font;
  kern: (left: number, right: number) => number;
  tabular: Map<number, number>;
  postScriptName: string;
};

export const pdfFontFace = (font: Font, postScriptName: string): PdfFontFace => ({
  font,
  postScriptName,
  kern: kerningOf(font),
  tabular: substitutesOf(font, 'tnum'),
});

/** PDF measures glyphs in thousandths of the font size. */
const PER_EM = 1000;

type Letter = { glyph: number; letter: string };

/** The scripts that it cannot show are added to `missing`. */
export function pdfFont(name: string, face: PdfFontFace, missing: Set<string>): PdfFont {
  const { font, kern, tabular } = face;
  const used = new Map<number, Letter & { number: number }>([[0, { number: 0, glyph: 0, letter: '' }]]);
  const lettersOf = (text: string, isTabular: boolean): Letter[] =>
    Array.from(text, (letter) => {
      const glyph = font.glyphOf(letter.codePointAt(0) ?? 0);
      return { letter, glyph: isTabular ? (tabular.get(glyph) ?? glyph) : glyph };
    });
  const unitsOf = cachedUnits((text: string, isTabular: boolean) => {
    let units = 0;
    let last: number | undefined;
    for (const { glyph } of lettersOf(text, isTabular)) {
      units += font.advanceOf(glyph) + (last === undefined ? 0 : kern(last, glyph));
      last = glyph;
    }
    return units;
  });
  const numberOf = (letter: Letter): number => {
    const entry = used.get(letter.glyph) ?? { ...letter, number: used.size };
    used.set(letter.glyph, entry);
    return entry.number;
  };
  const scale = PER_EM / font.unitsPerEm;
  return {
    name,
    plain: (text) => toShowable(text, font, missing),
    widthOf: (text, size, isTabular = false) => (unitsOf(text, isTabular) / font.unitsPerEm) * size,
    show: (text, isTabular = false) => {
      let output = '<';
      let last: number | undefined;
      for (const letter of lettersOf(text, isTabular)) {
        const closer = last === undefined ? 0 : Math.round(-kern(last, letter.glyph) * scale);
        if (closer !== 0) output += `>${closer}<`;
        output += numberOf(letter).toString(16).padStart(4, '0');
        last = letter.glyph;
      }
      return `[${output}>]`;
    },
    write: (file) => writeFont(file, face, [...used.values()], scale),
  };
}

/** Widths are cached, as the same words occur many times. */
const MAX_CACHED = 20_000;

type UnitsOf = (text: string, isTabular: boolean) => number;

function cachedUnits(find: UnitsOf): UnitsOf {
  const caches = [new Map<string, number>(), new Map<string, number>()] as const;
  return (text, isTabular) => {
    const cache = caches[isTabular ? 1 : 0];
    const value = cache.get(text) ?? find(text, isTabular);
    if (cache.size < MAX_CACHED) cache.set(text, value);
    return value;
  };
}

function writeFont(
  file: PdfFile,
  { font, postScriptName }: PdfFontFace,
  used: (Letter & { number: number })[],
  scale: number,
): number {
  const program = subsetFont(
    font,
    used.map(({ glyph }) => glyph),
  );
  const fontFile = file.addStream(program, `/Length1 ${program.length}`);
  const box = font.box.map((value) => Math.round(value * scale)).join(' ');
  const [ascent, descent] = [font.ascent, font.descent].map((value) => Math.round(value * scale));
  // Subsets of a font are distinguished by a prefix of six letters. A fixed one keeps equal reports byte-identical.
  const baseFont = `/ERRAND+${postScriptName}`;
  const descriptor = file.add(
    `<< /Type /FontDescriptor /FontName ${baseFont} /Flags 4 /FontBBox [${box}] /ItalicAngle 0 /Ascent ${ascent} /Descent ${descent} /CapHeight 728 /StemV 80 /FontFile2 ${ref(fontFile)} >>`,
  );
  const widths = used.map(({ glyph }) => Math.round(font.advanceOf(glyph) * scale)).join(' ');
  const descendant = file.add(
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont ${baseFont} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor ${ref(descriptor)} /CIDToGIDMap /Identity /DW 1000 /W [0 [${widths}]] >>`,
  );
  const letters = file.addStream(Buffer.from(toUnicode(used), 'latin1'));
  return file.add(
    `<< /Type /Font /Subtype /Type0 /BaseFont ${baseFont} /Encoding /Identity-H /DescendantFonts [${ref(descendant)}] /ToUnicode ${ref(letters)} >>`,
  );
}

/** The maximum number of entries in one `bfchar` section. */
const MAX_LINES = 100;

function toUnicode(used: readonly { number: number; letter: string }[]): string {
  const lines = used
    .slice(1)
    .map(({ number, letter }) => `<${number.toString(16).padStart(4, '0')}> <${utf16(letter)}>`);
  const parts = [];
  for (let at = 0; at < lines.length; at += MAX_LINES) {
    const chunk = lines.slice(at, at + MAX_LINES);
    parts.push(`${chunk.length} beginbfchar\n${chunk.join('\n')}\nendbfchar`);
  }
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <ffff>
endcodespacerange
${parts.join('\n')}
endcmap
CMapName currentdict /CMap defineresource pop
end
end`;
}

const utf16 = (letter: string): string => Buffer.from(letter, 'utf16le').swap16().toString('hex');
