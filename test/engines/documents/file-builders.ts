/** Malformed and unusual files, made byte by byte for the tests. */
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import { CFB } from '@e965/xlsx';

/** `stored` as it is, not deflated. */
type Entry = { name: string; body: Buffer | string; flags?: number; stored?: boolean };

/** A ZIP of these entries, deflated. */
export function zipOf(entries: Entry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, body, flags = 0, stored = false } of entries) {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const packed = stored ? bytes : deflateRawSync(bytes, { level: 1 });
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(flags, 2);
    fields.writeUInt16LE(stored ? 0 : 8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), fields, place, Buffer.from(name));
    files.push(file);
    at += file.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, listed, end]);
}

const TYPES = { name: '[Content_Types].xml', body: '<Types/>' };

export const docxOf = (document: Buffer | string): Buffer =>
  zipOf([TYPES, { name: 'word/document.xml', body: document }]);

export const paragraph = (text: string): string =>
  `<w:document><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`;

export function xlsxOf(sheetData: string): Buffer {
  return zipOf([
    TYPES,
    { name: 'xl/workbook.xml', body: '<workbook><sheets><sheet name="A" r:id="r1"/></sheets></workbook>' },
    {
      name: 'xl/_rels/workbook.xml.rels',
      body: '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    },
    { name: 'xl/worksheets/sheet1.xml', body: `<worksheet>${sheetData}</worksheet>` },
  ]);
}

/** Two sheets about the same fee; the second one, with another figure, is hidden. */
export function workbookWithHiddenSheet(): Buffer {
  const sheet = (fee: string) =>
    `<worksheet><row r="1"><c r="A1" t="str"><v>Harbour</v></c><c r="B1" t="str"><v>Fee</v></c></row><row r="2"><c r="A2" t="str"><v>fee of the harbour</v></c><c r="B2" t="str"><v>${fee}</v></c></row></worksheet>`;
  const relation = (id: string) => `<Relationship Id="${id}" Type="x/worksheet" Target="${id}.xml"/>`;
  return zipOf([
    TYPES,
    {
      name: 'xl/workbook.xml',
      body: '<workbook><sheets><sheet name="A" r:id="a"/><sheet name="B" state="hidden" r:id="b"/></sheets></workbook>',
    },
    { name: 'xl/_rels/workbook.xml.rels', body: `<Relationships>${relation('a')}${relation('b')}</Relationships>` },
    { name: 'xl/a.xml', body: sheet('3 euros') },
    { name: 'xl/b.xml', body: sheet('900 euros https://evil.example/pay') },
  ]);
}

/** A slide about the same fee; the text with another figure is white as the slide. */
export function slideWithWhiteText(): Buffer {
  const line = (text: string, properties = '') =>
    `<p:sp><p:nvSpPr/><p:txBody><a:p><a:r><a:rPr>${properties}</a:rPr><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
  const white = '<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>';
  const shapes = `${line('fee of the harbour: 3 euros')}${line('fee of the harbour: 900 euros https://evil.example/pay', white)}`;
  return zipOf([
    TYPES,
    { name: 'ppt/presentation.xml', body: '<p:presentation><p:sldId r:id="s"/></p:presentation>' },
    {
      name: 'ppt/_rels/presentation.xml.rels',
      body: '<Relationships><Relationship Id="s" Type="x/slide" Target="s.xml"/></Relationships>',
    },
    { name: 'ppt/s.xml', body: `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>` },
  ]);
}

export const odsOf = (rows: string): Buffer =>
  zipOf([
    { name: 'mimetype', body: 'application/vnd.oasis.opendocument.spreadsheet', stored: true },
    {
      name: 'content.xml',
      body: `<office:document-content><office:body><office:spreadsheet><table:table table:name="A">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`,
    },
  ]);

/** A PDF of so many pages, all showing the same stream. */
export function pdfOf(content: Buffer | string, pages = 1): Buffer {
  const packed = deflateSync(content, { level: 1 });
  const resources = '<</Font<</F 3 0 R>>>>';
  return pdfWith({ pages, resources, shared: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>', packed });
}

type ScannedPicture = { width: number; height: number; filter?: 'DCTDecode' | 'FlateDecode' };

/** A PDF of so many pages, each showing the same picture, as JPEG or deflated, and no text. */
export function scanOf(
  picture: Buffer,
  { width, height, filter = 'DCTDecode' }: ScannedPicture,
  pages: number,
): Buffer {
  const head = `<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/${filter}/Length ${picture.length}>>`;
  const shared = Buffer.concat([Buffer.from(`${head}stream\n`), picture, Buffer.from('\nendstream')]);
  const packed = deflateSync('600 0 0 800 0 0 cm /I Do');
  return pdfWith({ pages, resources: '<</XObject<</I 3 0 R>>>>', shared, packed });
}

/**
 * A PDF with these pages. `F` is Helvetica, `R` reads the letters a to z as Hebrew ones, and `I` is a gray picture of four
 * pixels.
 */
export function pdfPages(contents: readonly string[]): Buffer {
  const stream = (head: string, body: Buffer | string) => {
    const bytes = Buffer.from(body);
    return Buffer.concat([
      Buffer.from(`<<${head}/Length ${bytes.length}>>stream\n`),
      bytes,
      Buffer.from('\nendstream'),
    ]);
  };
  const map = '1 beginbfrange <61> <7a> <05D0> endbfrange';
  const pages = contents.map((_, at) => 7 + 2 * at);
  const resources = '<</Font<</F 3 0 R/R 4 0 R>>/XObject<</I 6 0 R>>>>';
  return pdfFile([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages.length}/Kids[${pages.map((page) => `${page} 0 R`).join(' ')}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 5 0 R>>',
    stream('', `begincmap 1 begincodespacerange <00> <ff> endcodespacerange ${map} endcmap`),
    stream(
      '/Type/XObject/Subtype/Image/Width 2/Height 2/ColorSpace/DeviceGray/BitsPerComponent 8',
      Buffer.alloc(4, 128),
    ),
    ...contents.flatMap((content, at) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents ${8 + 2 * at} 0 R/Resources${resources}>>`,
      stream('', content),
    ]),
  ]);
}

type PdfParts = { pages: number; resources: string; shared: Buffer | string; packed: Buffer };

/** `shared` is object 3, which the resources of every page may name. */
function pdfWith({ pages, resources, shared, packed }: PdfParts): Buffer {
  const kids = Array.from({ length: pages }, (_, at) => `${at + 5} 0 R`).join(' ');
  const page = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources${resources}>>`;
  const objects = [
    Buffer.from('<</Type/Catalog/Pages 2 0 R>>'),
    Buffer.from(`<</Type/Pages/Count ${pages}/Kids[${kids}]>>`),
    Buffer.from(shared),
    Buffer.concat([
      Buffer.from(`<</Length ${packed.length}/Filter/FlateDecode>>stream\n`),
      packed,
      Buffer.from('\nendstream'),
    ]),
    ...Array.from({ length: pages }, () => Buffer.from(page)),
  ];
  return pdfFile(objects);
}

function pdfFile(objects: readonly (Buffer | string)[]): Buffer {
  const body: Buffer[] = [Buffer.from('%PDF-1.5\n')];
  const places: number[] = [];
  let at = 9;
  for (const [n, object] of objects.entries()) {
    const whole = Buffer.concat([Buffer.from(`${n + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]);
    places.push(at);
    body.push(whole);
    at += whole.length;
  }
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const tail = `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${at}\n%%EOF`;
  return Buffer.concat([...body, Buffer.from(tail)]);
}

/** Only the head of a picture, which is all that is needed to say how large it is. */
export function pngHead(width: number, height: number): Buffer {
  const head = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\x02\0\0\0', 'latin1');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}

/**
 * Runs of text with the property changes of their characters, and those of the paragraph, in hexadecimal ([MS-DOC] 2.6).
 * `style` is the number of the paragraph's style, in four digits.
 */
type DocParagraph = { runs: [text: string, look?: string][]; style?: string; properties?: string; mark?: string };

/** A style of a DOC: `kind` is 1 for paragraphs and 2 for characters; the changes are those of `DocParagraph`. */
type DocStyle = { kind: 1 | 2; parent?: number; properties?: string; look?: string };

function sheetOf(styles: DocStyle[]): Buffer {
  const list = (changes: Buffer) =>
    Buffer.concat([Buffer.from(Uint16Array.of(changes.length).buffer), changes, Buffer.alloc(changes.length % 2)]);
  const descriptions = styles.map(({ kind, parent = 0xfff, properties = '', look = '' }) => {
    const base = Buffer.from(Uint16Array.of(0, kind | (parent << 4), kind, 0, 0, 0, 0).buffer);
    const own = kind === 1 ? [list(Buffer.from(`0000${properties}`, 'hex'))] : [];
    return list(Buffer.concat([base, ...own, list(Buffer.from(look, 'hex'))]));
  });
  return Buffer.concat([Buffer.from(Uint16Array.of(4, styles.length, 10).buffer), ...descriptions]);
}

/** A DOC of Word 97 with these paragraphs: one page of character formats, one of paragraph properties. */
export function docOf(paragraphs: DocParagraph[], styles: DocStyle[] = []): Buffer {
  const [textAt, pageBytes] = [0x600, 512];
  const looks: { text: string; stored: Buffer }[] = [];
  const properties: { text: string; stored: Buffer }[] = [];
  for (const { runs, style = '0000', properties: changes = '', mark = '\r' } of paragraphs) {
    const own = [...runs, [mark] as [string]].map(([text, look = '']) => ({ text, changes: Buffer.from(look, 'hex') }));
    for (const run of own) looks.push({ text: run.text, stored: Buffer.from([run.changes.length, ...run.changes]) });
    const all = Buffer.from(`${style}${changes}`, 'hex');
    const words = Math.ceil(all.length / 2);
    const stored = Buffer.from([0, words, ...all, ...(all.length % 2 ? [0] : [])]);
    properties.push({ text: own.map(({ text }) => text).join(''), stored });
  }
  const page = (runs: typeof looks, entryBytes: number): Buffer => {
    const bytes = Buffer.alloc(pageBytes);
    let [from, end] = [textAt, pageBytes - 2];
    for (const [at, { text, stored }] of runs.entries()) {
      bytes.writeUInt32LE(from, 4 * at);
      from += text.length;
      end -= stored.length + (stored.length % 2);
      stored.copy(bytes, end);
      bytes[4 * (runs.length + 1) + entryBytes * at] = end / 2;
    }
    bytes.writeUInt32LE(from, 4 * runs.length);
    bytes[pageBytes - 1] = runs.length;
    return bytes;
  };
  const text = Buffer.from(looks.map((run) => run.text).join(''), 'latin1');
  const numbers = (...all: number[]) => Buffer.concat(all.map((one) => Buffer.from(Uint32Array.of(one).buffer)));
  const piece = Buffer.concat([Buffer.alloc(2), numbers((2 * textAt) | 0x40000000), Buffer.alloc(2)]);
  const pieces = Buffer.concat([Buffer.from([2]), numbers(8 + piece.length, 0, text.length), piece]);
  const pages = [1, 2].map((at) => numbers(textAt, textAt + text.length, at));
  const head = Buffer.alloc(pageBytes);
  head.writeUInt16LE(0xa5ec, 0);
  head.writeUInt16LE(0x00c1, 2);
  head.writeUInt16LE(0x0200, 0x0a);
  head.writeUInt32LE(text.length, 0x4c);
  numbers(pieces.length, 12, pieces.length + 12, 12).copy(head, 0xfa);
  numbers(0, pieces.length).copy(head, 0x1a2);
  const sheet = sheetOf(styles);
  numbers(pieces.length + 24, sheet.length).copy(head, 0xa2);
  const main = Buffer.concat([head, page(looks, 1), page(properties, 13), text]);
  const compound = CFB.utils.cfb_new();
  CFB.utils.cfb_add(compound, 'WordDocument', main);
  CFB.utils.cfb_add(compound, '1Table', Buffer.concat([pieces, ...pages, sheet]));
  return CFB.write(compound, { type: 'buffer' });
}
