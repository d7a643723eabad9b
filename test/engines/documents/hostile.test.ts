import { describe, expect, it } from 'vitest';
import { describeImage } from '../../../engines/documents/formats/image-header.ts';
import { expectWithin } from '../../support/expect-time.ts';
import { repetitions } from '../../support/repetitions.ts';
import { docxOf, odsOf, paragraph, pdfOf, pngHead, scanOf, xlsxOf, zipOf } from './file-builders.ts';
import { locked, sample, samples, unread } from './samples.ts';
import { openReader } from './setup.ts';

const MB = 1_000_000;
const MOST_MS = 20_000;
const MOST_GROWTH = 1_200 * MB;

/** With the limits of tasks; a decompression bomb must be refused much earlier. */
const documents = bound(openReader());
const brief = bound(openReader({ limits: { cpuMs: 700 } }));

/** No file takes all the time or all the memory. */
function bound({ text, read, refusal }: ReturnType<typeof openReader>) {
  return {
    text,
    read,
    async refusal(bytes: Uint8Array, name: string) {
      const begun = performance.now();
      const before = process.memoryUsage.rss();
      let peak = before;
      const sampling = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage.rss());
      }, 20);
      const reason = await refusal(bytes, name);
      clearInterval(sampling);
      expectWithin(performance.now() - begun, MOST_MS);
      expect(peak - before).toBeLessThan(MOST_GROWTH);
      return reason;
    },
  };
}

const wide = { timeout: 60_000 };

describe('bombs', wide, () => {
  it('refuses a DOCX that unpacks to more than the limit', async () => {
    expect(await documents.refusal(docxOf(Buffer.alloc(260 * MB, 'a')), 'a.docx')).toBe('tooLarge');
  });

  it('refuses many entries that are each within the limit, but not together', async () => {
    const body = Buffer.alloc(65 * MB, ' ');
    const relations = ['header', 'footer', 'comments', 'styles'].map(
      (type) => `<Relationship Id="${type}" Type="x/${type}" Target="${type}.xml"/>`,
    );
    const bomb = zipOf([
      { name: '[Content_Types].xml', body: '<Types/>' },
      { name: 'word/document.xml', body: paragraph('x') },
      { name: 'word/_rels/document.xml.rels', body: `<Relationships>${relations.join('')}</Relationships>` },
      ...['header', 'footer', 'comments', 'styles'].map((type) => ({ name: `word/${type}.xml`, body })),
    ]);
    expect(await documents.refusal(bomb, 'a.docx')).toBe('tooLarge');
  });

  it('never expands the entities that a document brings along', async () => {
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
    const bomb = `<!DOCTYPE d [<!ENTITY l0 "ha">${laughs}]>${paragraph('before &l9; after')}`;
    expect(await documents.text(docxOf(bomb), 'a.docx')).toMatch(/before &?l9;? after/);
    const blowUp = `<!DOCTYPE d [<!ENTITY q "${'q'.repeat(MB)}">]>${paragraph('&q;'.repeat(20_000))}`;
    expect((await documents.text(docxOf(blowUp), 'a.docx')).length).toBeLessThan(MB);
  });

  it.each([
    ['XML', docxOf(`${'<w:sdt>'.repeat(100_000)}x`), 'a.docx'],
    ['HTML', Buffer.from(`<html>${'<div>'.repeat(200_000)}x`), 'a.html'],
    ['RTF', Buffer.from(`{\\rtf1 ${'{'.repeat(2 * MB)}x`), 'a.rtf'],
  ])('refuses %s that is nested without end', async (_, bytes, name) => {
    expect(await documents.refusal(bytes, name)).toBe('tooLarge');
  });
});

describe('sheets', wide, () => {
  const cell = (reference: string) => `<c r="${reference}" t="str"><v>x</v></c>`;

  it('reads a sheet that claims every cell and has two', async () => {
    const rows = `<dimension ref="A1:XFD1048576"/><row r="1">${cell('A1')}</row><row r="1048576">${cell('XFD1048576')}</row>`;
    expect(await documents.text(xlsxOf(rows), 'a.xlsx')).toBe('sheet A\n| x |  |\n| --- | --- |\n|  | x |');
  });

  it('refuses a sheet of more than two million cells', async () => {
    const row = (n: number) =>
      `<row r="${n}"><c r="A${n}"><v>1</v></c><c r="B${n}"><v>2</v></c><c r="C${n}"><v>3</v></c></row>`;
    const rows = Array.from({ length: 670_000 }, (_, n) => row(n + 1)).join('');
    expect(await documents.refusal(xlsxOf(rows), 'a.xlsx')).toBe('tooLarge');
  });

  it('refuses a sheet whose cells lie on a diagonal, so that its table would be almost empty and huge', async () => {
    const letters = (n: number): string =>
      (n < 26 ? '' : letters(Math.floor(n / 26) - 1)) + String.fromCharCode(65 + (n % 26));
    const rows = Array.from({ length: 8_000 }, (_, n) => `<row r="${n + 1}">${cell(letters(n) + (n + 1))}</row>`);
    expect(await documents.refusal(xlsxOf(rows.join('')), 'a.xlsx')).toBe('tooLarge');
  });

  it('refuses a row that is repeated a million times, and counts empty ones for nothing', async () => {
    const row = (times: number, text: string) =>
      `<table:table-row table:number-rows-repeated="${times}"><table:table-cell table:number-columns-repeated="9">${text}</table:table-cell></table:table-row>`;
    const [full, empty] = ['<text:p>x</text:p>', ''];
    expect(await documents.refusal(odsOf(row(1_048_576, full)), 'a.ods')).toBe('tooLarge');
    const sparse = odsOf(row(1, full) + row(1_048_574, empty) + row(1, full));
    expect(await documents.text(sparse, 'a.ods')).toMatch(/^sheet A\n(\| x ){9}\|\n(\| --- ){9}\|\n(\| x ){9}\|$/);
  });
});

describe('PDF', wide, () => {
  it('refuses more pages than anybody reads', async () => {
    expect(await documents.refusal(pdfOf('BT /F 12 Tf (x) Tj ET', 6_000), 'a.pdf')).toBe('tooLarge');
  });

  it('refuses a page that unpacks to more than the memory', async () => {
    const text = Buffer.alloc(700 * MB, 'BT /F 12 Tf 9 9 Td (word) Tj ET ');
    expect(await documents.refusal(pdfOf(text), 'a.pdf')).toBe('tooManyOperators');
  });

  it('refuses a page of millions of operators before it is parsed, and says so', async () => {
    const hasty = openReader({ limits: { cpuMs: 2_000 } });
    const bytes = pdfOf(`BT /F 12 Tf (x) Tj ET ${'q '.repeat(3_000_000)}`);
    await expect(hasty.read({ bytes, name: 'a.pdf' })).rejects.toThrow(
      'has a page with more than 2,000,000 drawing operators',
    );
  });

  it('counts operators only, not names, numbers or words within strings', async () => {
    const few = openReader({ limits: { operators: 20 } });
    const words = '(a \\) \\( (b c) d e f g h i j k l m n o p q r s t u v w) Tj ';
    const page = `BT /F 12 Tf ${words}/A B1 1 2 3 4 5 6 ET `.padEnd(4_000);
    expect(await few.text(pdfOf(page), 'a.pdf')).toContain('u v w');
    expect(await few.refusal(pdfOf(`${page}${'q Q '.repeat(9)}`), 'a.pdf')).toBe('tooManyOperators');
  });

  it('is stopped when it takes too long', async () => {
    const text = 'BT /F 12 Tf 9 9 Td (word) Tj ET\n'.repeat(300_000);
    expect(await brief.refusal(pdfOf(text, 50), 'a.pdf')).toBe('tooSlow');
  });
});

describe('a scan', { timeout: 180_000 }, () => {
  const scanOfSample = (file: string, pages: number) => {
    const jpeg = sample(file).bytes();
    return scanOf(jpeg, describeImage(jpeg) ?? { width: 0, height: 0 }, pages);
  };

  it('of twenty pages is read, far beyond the CPU time of a document without OCR', async () => {
    // Each page takes about 450 ms, so that all of them need three times the limit.
    const limited = openReader({ limits: { cpuMs: 3_000 } });
    const { parts } = await limited.read({ bytes: scanOfSample('meter-reading.pillow.jpg', 20), name: 'a.pdf' });
    expect(parts.map(({ label }) => label)).toEqual(Array.from({ length: 20 }, (_, n) => `page ${n + 1}`));
    expect(new Set(parts.map(({ text }) => text)).size).toBe(1);
  });

  it('of more pages is refused', async () => {
    const limited = openReader({ limits: { scannedPages: 2 } });
    expect(await limited.refusal(scanOfSample('meter-reading.pillow.jpg', 3), 'a.pdf')).toBe('tooLarge');
  });

  it('is stopped when a page needs more than its time', async () => {
    const limited = openReader({ limits: { cpuMs: 300, ocrPageCpuMs: 100 } });
    expect(await limited.refusal(scanOfSample('receipt.scan.jpg', 20), 'a.pdf')).toBe('tooSlow');
  });
});

describe('pictures', wide, () => {
  it.each([
    ['PNG', pngHead(30_000, 30_000)],
    ['GIF', Buffer.from('GIF89a\x30\x75\x30\x75\0\0\0', 'latin1')],
    ['JPEG', Buffer.from('\xff\xd8\xff\xe0\0\x04JF\xff\xc0\0\x11\x08\x75\x30\x75\x30\x03', 'latin1')],
    ['WebP', Buffer.from('RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x2f\x75\0\x2f\x75\0', 'latin1')],
  ])('refuses a %s of 30,000 by 30,000 by its head', async (_, bytes) => {
    expect(await documents.refusal(bytes, 'a.png')).toBe('tooLarge');
  });

  it('refuses a picture that breaks off', async () => {
    expect(await documents.refusal(pngHead(100, 100), 'a.png')).toBe('corrupt');
  });

  it('refuses a recognition more memory than there is', async () => {
    const poor = openReader({ limits: { memoryMb: 40 } });
    expect(await poor.refusal(sample('meter-reading.pillow.jpg').bytes(), 'a.jpg')).toBe('tooLarge');
  });

  it('stops a recognition that takes too long, inside of WebAssembly', async () => {
    const { bytes } = sample('conference-badge.pillow.gif');
    const hurried = openReader({ limits: { cpuMs: 100, ocrPageCpuMs: 20 } });
    expect(await hurried.refusal(bytes(), 'a.gif')).toBe('tooSlow');
  });
});

describe('what is not as it should be', wide, () => {
  it.each(locked)('says that $file is behind a password', async ({ file, bytes }) => {
    expect(await documents.refusal(bytes(), file)).toBe('encrypted');
  });

  it('says that a ZIP entry or a show is behind a password', async () => {
    const [types, body] = [{ name: '[Content_Types].xml', body: '<Types/>' }, paragraph('x')];
    const zip = zipOf([types, { name: 'word/document.xml', body, flags: 1 }]);
    expect(await documents.refusal(zip, 'a.docx')).toBe('encrypted');
    const show = sample('kickoff-slides.libreoffice.ppt').bytes();
    const token = show.indexOf(Buffer.from('5fc091e3', 'hex'));
    expect(token).toBeGreaterThan(0);
    show.writeUInt32LE(0xf3d1c4df, token);
    expect(await documents.refusal(show, 'a.ppt')).toBe('encrypted');
  });

  it('judges by the bytes: a DOCX called .pdf is read as DOCX', async () => {
    const { bytes } = sample('lease-contract.pandoc.docx');
    expect(await documents.read({ bytes: bytes(), name: 'lease.pdf' })).toMatchObject({ kind: 'docx' });
    const rtf = sample('travel-policy.pandoc.rtf').bytes();
    expect(await documents.read({ bytes: rtf, name: 'policy.doc' })).toMatchObject({ kind: 'rtf' });
    const html = Buffer.from('<html><table><tr><th>Name</th></tr><tr><td>Ada</td></tr></table></html>');
    expect(await documents.read({ bytes: html, name: 'people.xls' })).toMatchObject({ kind: 'html' });
    const tabs = Buffer.from('Name\tTown\nAda\tLondon\n');
    expect(await documents.read({ bytes: tabs, name: 'people.xls' })).toMatchObject({
      kind: 'csv',
      parts: [{ text: expect.stringContaining('| Ada | London |') }],
    });
  });

  it.each([
    ['nothing at all', Buffer.alloc(0), 'a.docx', 'empty'],
    ['blanks', Buffer.from(' \n\t\n'), 'a.txt', 'empty'],
    ['a DOCX without a word', docxOf(paragraph(' ')), 'a.docx', 'empty'],
    ['a PDF without a word', pdfOf(' '), 'a.pdf', 'empty'],
    ['noise called .pdf', Buffer.from([0, 1, 2, 3, 0xff, 0xfe]), 'a.pdf', 'corrupt'],
    ['noise', Buffer.from([0, 1, 2, 3, 0xff, 0xfe]), 'a.bin', 'unsupported'],
    ['a program', Buffer.from('\x7fELF\x02\x01\0\0', 'latin1'), 'a', 'unsupported'],
    ['a ZIP of something else', zipOf([{ name: 'a.txt', body: 'x' }]), 'a.zip', 'unsupported'],
    ['a scan that cannot be unpacked', unread(), 'a.pdf', 'pictures'],
    ['a PDF in name only', Buffer.from('%PDF-1.7 and no more'), 'a.pdf', 'corrupt'],
  ])('says what is wrong with %s', async (_, bytes, name, reason) => {
    expect(await documents.refusal(bytes, name)).toBe(reason);
  });

  it('refuses a file over the limit before it looks into it', async () => {
    const small = openReader({ limits: { fileBytes: 10 } });
    expect(await small.refusal(Buffer.from('eleven byte'), 'a.txt')).toBe('tooLarge');
  });

  it('refuses a text over the limit', async () => {
    expect(await documents.refusal(Buffer.alloc(11 * MB, 'word '), 'a.txt')).toBe('tooLarge');
  });
});

const PARSED = samples.filter(({ type }) => /^(pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|html|png|webp)$/.test(type));
const DAMAGED_COPIES = repetitions({ few: 4, many: 12 });
const oneOfEach = [...new Map(PARSED.map((one) => [one.type, one])).values()];

describe.each(oneOfEach)('a damaged $type', { timeout: 60_000 }, ({ file, bytes }) => {
  it('is read or refused, and never ends the process', async () => {
    const whole = bytes();
    for (const share of [0.1, 0.5, 0.9, 0.99]) {
      await documents.refusal(whole.subarray(0, Math.floor(whole.length * share)), file);
    }
    for (let round = 1; round <= DAMAGED_COPIES; round++) {
      const damaged = Buffer.from(whole);
      for (let n = 0; n < 40; n++) damaged[(round * 7919 + n * n * 104_729) % damaged.length] = (n * 37 + round) & 0xff;
      await documents.refusal(damaged, file);
    }
    expect(await documents.text(Buffer.from('still here'), 'a.txt')).toContain('still here');
  });
});
