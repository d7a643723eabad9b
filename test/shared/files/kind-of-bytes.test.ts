/** Detection of file types: files of many programs, and files that try to be of two types. */
import { describe, expect, it } from 'vitest';
import { detectType, HEAD_BYTES } from '../../../shared/files/detect-type.ts';
import { docxOf, odsOf, paragraph, pdfOf, xlsxOf, zipOf } from '../../engines/documents/file-builders.ts';
import { sample } from '../../engines/documents/samples.ts';
import { openReader } from '../../engines/documents/setup.ts';

const binary = (text: string) => Buffer.from(text, 'latin1');
const types = { name: '[Content_Types].xml', body: '<Types/>' };
const main = { name: 'word/document.xml', body: paragraph('Rent is due.') };
const noise = (length: number) => Buffer.from(Uint8Array.from({ length }, (_, n) => (n * 7_919 + (n >> 8)) & 0xff));

const pdf = pdfOf('BT /F 12 Tf (Rent is due.) Tj ET');
const odt = {
  name: 'content.xml',
  body: '<office:document-content><office:body><office:text><text:p>Rent is due.</text:p></office:text></office:body></office:document-content>',
};
const mimetype = { name: 'mimetype', body: 'application/vnd.oasis.opendocument.text', stored: true };
const manifest = {
  name: 'META-INF/manifest.xml',
  body: '<manifest:manifest><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/></manifest:manifest>',
};
const printerHeader = '\x1b%-12345X@PJL JOB\r\n@PJL ENTER LANGUAGE=PDF\r\n';
const rtf = '{\\rtf1\\ansi Rent is due.}';

/** Requested bytes behind the head. */
async function kindOf(bytes: Buffer): Promise<{ kind: string; fetched: number[] }> {
  const fetched: number[] = [];
  const read = async (from: number, to: number) => {
    const piece = bytes.subarray(from, to + 1);
    if (to >= HEAD_BYTES) fetched.push(piece.length);
    return piece;
  };
  return { kind: await detectType({ size: bytes.length, head: bytes.subarray(0, HEAD_BYTES), read }), fetched };
}

describe('a valid file', () => {
  const documents = openReader();

  it.each([
    ['docx', 'whose first entry is [trash]/', zipOf([{ name: '[trash]/0000.dat', body: noise(9) }, types, main])],
    [
      'docx',
      'whose first entry is docMetadata/',
      zipOf([{ name: 'docMetadata/LabelInfo.xml', body: 'x' }, types, main]),
    ],
    ['docx', 'with [content_types].xml in small letters', zipOf([{ ...types, name: '[content_types].xml' }, main])],
    [
      'docx',
      'with large pictures',
      zipOf([{ name: 'word/media/a.png', body: noise(300_000), stored: true }, types, main]),
    ],
    ['docx', 'with a comment behind its directory', commented(docxOf(paragraph('Rent is due.')), 60_000)],
    ['odt', 'whose mimetype comes last', zipOf([odt, manifest, mimetype])],
    ['odt', 'without a mimetype', zipOf([manifest, odt])],
    ['rtf', 'with a NUL at its end', binary(`${rtf}\0`)],
    ['rtf', 'with control bytes within', binary(rtf.replace('due', 'due\x02\x01'))],
    ['rtf', 'behind a byte-order mark', binary(`\xef\xbb\xbf${rtf}`)],
    ['rtf', 'behind zero bytes', binary(`\0\0\0${rtf}`)],
    ['pdf', 'behind a byte-order mark', Buffer.concat([binary('\xef\xbb\xbf'), pdf])],
    ['pdf', 'behind the header of a printer', Buffer.concat([binary(printerHeader), pdf])],
    ['pdf', 'behind zero bytes', Buffer.concat([Buffer.alloc(128), pdf])],
  ])('%s %s is recognized and read', async (kind, _, bytes) => {
    const recognized = (await kindOf(bytes)).kind;
    expect(recognized).toBe(kind === 'odt' ? 'open document' : kind);
    const document = await documents.read({ bytes, name: `a.${kind}` });
    expect(document.kind).toBe(kind);
    expect(document.parts.map(({ text }) => text).join()).toContain('Rent is due');
  });

  it.each([
    ['xlsx', xlsxOf('<row r="1"><c r="A1" t="str"><v>x</v></c></row>')],
    ['open document', odsOf('')],
    ['pptx', sample('kickoff-slides.pandoc.pptx').bytes()],
    ['compound file', sample('budget-2026.xlwt.xls').bytes()],
    ['text', Buffer.from('A PDF begins with %PDF-1.7, an RTF with {\\rtf1.')],
    ['text', Buffer.from('MZ,ELF,PK\n1,2,3\n')],
  ])('%s is recognized', async (kind, bytes) => {
    expect((await kindOf(bytes)).kind).toBe(kind);
  });
});

describe('the bytes to fetch after the head', () => {
  it('are none for a file that is not a ZIP, and none for a small one', async () => {
    expect((await kindOf(Buffer.concat([pdf, noise(900_000)]))).fetched).toEqual([]);
    expect((await kindOf(docxOf(paragraph('x')))).fetched).toEqual([]);
  });

  it('are the end of a ZIP, and its directory if that is long', async () => {
    const large = { name: 'word/media/a.png', body: noise(900_000), stored: true };
    expect((await kindOf(zipOf([types, main, large]))).fetched).toHaveLength(1);
    const many = Array.from({ length: 2_000 }, (_, n) => ({ name: `word/media/${n}.png`, body: 'x' }));
    const kindFound = await kindOf(zipOf([types, main, large, ...many]));
    expect(kindFound.kind).toBe('docx');
    expect(kindFound.fetched).toHaveLength(2);
  });

  it('may be deleted meanwhile', async () => {
    const bytes = zipOf([types, main]);
    expect(await detectType({ size: bytes.length, head: bytes, read: async () => undefined })).toBe('gone');
  });
});

describe('a file that poses as two types', () => {
  it.each([
    ['a program for Windows with a PDF behind its first bytes', binary('MZ\x90\0'), pdf],
    ['a program for Linux with a PDF behind its first bytes', binary('\x7fELF\x02\x01\0'), pdf],
    ['a program for macOS with a PDF behind its first bytes', binary('\xcf\xfa\xed\xfe\x07\0\0\x01'), pdf],
    ['a fat program for macOS with an RTF behind its first bytes', binary('\xca\xfe\xba\xbe\0\0'), binary(rtf)],
    ['a program for Windows with a whole DOCX behind it', binary('MZ\x90\0'), docxOf(paragraph('x'))],
    ['a film with a PDF behind its first bytes', binary('\0\0\0\x18ftypmp42'), pdf],
    ['a packed file with an RTF behind its first bytes', binary('\x1f\x8b\x08\0'), binary(rtf)],
    ['an archive with a PDF as its first entry', zipOf([{ name: 'a.pdf', body: pdf, stored: true }]), Buffer.alloc(0)],
    [
      'an archive that only begins like an office file',
      zipOf([types, { name: 'run.exe', body: 'MZ' }]),
      Buffer.alloc(0),
    ],
    [
      'a Java program with a document in it',
      zipOf([types, main, { name: 'META-INF/MANIFEST.MF', body: '' }]),
      Buffer.alloc(0),
    ],
    ['an archive that is cut off', docxOf(paragraph('x')).subarray(0, 120), Buffer.alloc(0)],
    ['a PDF mark that stands too far behind', Buffer.alloc(1_024), pdf],
  ])('is refused: %s', async (_, firstBytes, secondBytes) => {
    expect((await kindOf(Buffer.concat([firstBytes, secondBytes]))).kind).toBe('other');
  });

  it('is a PDF when it begins as one, even with a ZIP at its end', async () => {
    expect((await kindOf(Buffer.concat([pdf, docxOf(paragraph('x'))]))).kind).toBe('pdf');
  });
});

function commented(zip: Buffer, length: number): Buffer {
  const whole = Buffer.concat([zip, Buffer.alloc(length, 'c')]);
  whole.writeUInt16LE(length, zip.length - 2);
  return whole;
}
