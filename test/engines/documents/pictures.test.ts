/** Photos and scans: leaning, in the shade, small, lying, upside down and in two columns, drawn for these tests. */
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { beforeAll, describe, expect, it } from 'vitest';
import { fontFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { describeImage } from '../../../engines/documents/formats/image-header.ts';
import { linesOfWords, textOfLines } from '../../../engines/documents/ocr/ocr-words.ts';
import { toPng } from '../../../engines/documents/ocr/page-picture.ts';
import type { ReadingPart } from '../../../shared/files/reading-format.ts';
import { pdfPages, scanOf } from './file-builders.ts';
import { openReader } from './setup.ts';

const { pictures, read, readWithLayout, text } = openReader();
const files = fontFilesFromCheckout();

beforeAll(() => initWasm(readFileSync(files.painter)));

const LINES = [
  'The harbour office is closed on Friday afternoon.',
  'Deliveries are accepted at gate seven until noon.',
  'Please bring the delivery note and your passport.',
  'Questions are answered by the warehouse manager.',
  'Visitors must wear a helmet and safety shoes.',
  'The next inspection takes place in September.',
];

type Drawing = { size?: number; turn?: number; zoom?: number; shade?: boolean };

/** A page with the lines above. */
const page = (drawing: Drawing): Buffer => Buffer.from(draw(drawing).asPng());

/** Its pixels of three bytes. */
const pixelsOf = (drawing: Drawing): Buffer => Buffer.from(draw(drawing).pixels.filter((_, at) => at % 4 !== 3));

function draw({ size = 26, turn = 0, zoom = 1, shade = false }: Drawing) {
  const texts = LINES.map((line, at) => `<text x="60" y="${90 + at * 2 * size}">${line}</text>`).join('');
  const light = shade
    ? '<defs><linearGradient id="s"><stop offset="0.1" stop-color="#fff"/><stop offset="1" stop-color="#777"/></linearGradient></defs><rect width="800" height="800" fill="url(#s)"/>'
    : '<rect width="800" height="800" fill="#fff"/>';
  const ink = shade ? '#5a5a5a' : '#000';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="800">${light}<g font-family="Inter" font-size="${size}" fill="${ink}" transform="rotate(${turn} 400 400)">${texts}</g></svg>`;
  const fontBuffers = [readFileSync(files.regular)];
  const font = { fontBuffers, defaultFontFamily: 'Inter', loadSystemFonts: false };
  return new Resvg(svg, { font, fitTo: { mode: 'zoom', value: zoom } }).render();
}

/** Recognized once for all tests that look at the same drawing. */
const readings = new Map<string, ReturnType<typeof readWithLayout>>();
function readPage(drawing: Drawing) {
  const key = JSON.stringify({ turn: 0, ...drawing });
  const reading = readings.get(key) ?? readWithLayout(page(drawing), 'page.png');
  readings.set(key, reading);
  return reading;
}

const readLines = async (drawing: Drawing): Promise<number> => {
  const { parts } = await readPage(drawing);
  return LINES.filter((line) => parts.some((part) => part.text.includes(line))).length;
};

/** A photographed receipt, also recognized once. */
const RECEIPT = readFileSync('test/engines/documents/samples/receipt.scan.jpg');
let receipt: ReturnType<typeof read> | undefined;
const readReceipt = () => (receipt ??= read({ bytes: RECEIPT, name: 'receipt.jpg' }));

/** The page above on a larger ground of the given SVG; `lean` tells how the paper lies. */
function laidOn(ground: string, { lean = 0 } = {}): Buffer {
  const texts = LINES.map((line, at) => `<text x="400" y="${250 + at * 52}">${line}</text>`).join('');
  const paper = `<g transform="rotate(${lean} 700 400)"><rect x="340" y="180" width="720" height="400" fill="#eee"/>${texts}</g>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1400" height="760">${ground}<g font-family="Inter" font-size="26" fill="#222">${paper}</g></svg>`;
  const font = { fontBuffers: [readFileSync(files.regular)], defaultFontFamily: 'Inter', loadSystemFonts: false };
  return Buffer.from(new Resvg(svg, { font }).render().asPng());
}

/** A paper of 12 short lines as a camera sees it that leans over: further up, everything is smaller. */
function seenFromBelow({
  ground = 70,
  shade = 1,
  lean = 0,
}: {
  ground?: number;
  shade?: number;
  lean?: number;
}): Buffer {
  const texts = SLIP.map((line, at) => `<text x="30" y="${60 + at * 50}">${line}</text>`).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="460" height="660"><rect width="460" height="660" fill="#eee"/><g font-family="Inter" font-size="26" fill="#222">${texts}</g></svg>`;
  const font = { fontBuffers: [readFileSync(files.regular)], defaultFontFamily: 'Inter', loadSystemFonts: false };
  const { pixels } = new Resvg(svg, { font, fitTo: { mode: 'zoom', value: 3 } }).render();
  const [sin, cos] = [Math.sin((lean * Math.PI) / 180), Math.cos((lean * Math.PI) / 180)];
  const at = (column: number, row: number): number => {
    const [dx, dy] = [column - 600, row - 600];
    const [across, down] = [dx * cos + dy * sin, dy * cos - dx * sin];
    const depth = 1 / (0.75 - down / 2_000);
    const [x, y] = [Math.round((230 + 0.55 * across * depth) * 3), Math.round((330 + 0.55 * down * depth) * 3)];
    const isPaper = x >= 0 && x < 1_380 && y >= 0 && y < 1_980;
    const light = 1 - (1 - shade) / (1 + Math.exp((column - 560 + row / 4) / 20));
    return Math.round(light * (isPaper ? (pixels[4 * (y * 1_380 + x)] ?? 0) : ground));
  };
  return Buffer.from(toPng({ width: 1_200, height: 1_200, at }));
}

/** Words at the left and amounts at the right, which have to stay together. */
const SLIP = [
  'Bread',
  'Coffee',
  'Paint brush',
  'Wood screws',
  'Apple juice',
  'Notebook',
  'Envelopes',
  'Soap',
  'Candles',
  'Honey',
  'Subtotal',
  'Total',
].map((word, at) => `${word}</text><text x="330" y="${60 + at * 50}">${10 + at * 7}.${35 + at}`);
const SLIP_LINES = SLIP.map((line) => line.replace(/<.*>/, ' '));

const DARK_GROUND = '<rect width="1400" height="760" fill="#5d4a3a"/>';
/** The grain of a wooden table, which OCR reads as letters. */
const WOOD = `${DARK_GROUND}${Array.from({ length: 90 }, (_, at) => `<path d="M ${(at * 47) % 1400} ${(at * 31) % 700} q 9 ${12 + (at % 7) * 3} ${at % 5} 38 l ${6 + (at % 9)} -20" stroke="#2a1e14" stroke-width="4" fill="none"/>`).join('')}`;

describe('a photo of a sheet of paper', () => {
  it.each([0, 4])('has no words of the table below it, leaning by %i degrees', async (lean) => {
    const lines = (await text(laidOn(WOOD, { lean }), 'photo.png')).split('\n').slice(1).filter(Boolean);
    expect(lines).toEqual(LINES);
  });

  it('has its words where they stand on the photo', async () => {
    const { parts } = await readWithLayout(laidOn(WOOD), 'photo.png');
    const [{ text = '', box } = {}] = parts[0]?.blocks?.[0]?.ocr?.words ?? [];
    expect(text).toBe('The');
    expect(box?.x).toBeGreaterThan(390);
    expect(box?.x).toBeLessThan(410);
    expect(box?.y).toBeGreaterThan(220);
    expect(box?.y).toBeLessThan(240);
  });

  it.each([
    ['from below and turned by 14 degrees', { lean: 14 }],
    ['half in a shade as dark as the lit ground', { ground: 130, shade: 0.55 }],
  ])('is read as if seen from above, taken %s', async (_, view) => {
    // The columns of a scanned table are set apart by more than one space.
    const found = (await text(seenFromBelow(view), 'photo.png')).replaceAll(/[ |]+/g, ' ');
    expect(SLIP_LINES.filter((line) => found.includes(line)).length).toBeGreaterThanOrEqual(SLIP_LINES.length - 1);
  });

  it('is not cut out of a dark page with a text of its own', async () => {
    const words =
      '<g font-family="Inter" font-size="26" fill="#fff"><text x="60" y="80">The menu of this program stands on a dark ground and must be read.</text><text x="60" y="680">Its last line says that all changes are saved.</text></g>';
    const found = await text(laidOn(`${DARK_GROUND}${words}`), 'screen.png');
    expect(found).toContain('must be read');
    expect(found).toContain('all changes are saved');
    expect(found).toContain(LINES[0]);
  });
});

describe('a picture is prepared for OCR', () => {
  it.each([
    ['leans by six degrees', { turn: 6 }],
    ['leans by five degrees to the other side', { turn: -5 }],
    ['lies on its right side', { turn: 90 }],
    ['lies on its left side', { turn: -90 }],
    ['stands upside down', { turn: 180 }],
    ['lies half in the shade', { shade: true }],
  ])('is read if it %s', async (_, drawing) => {
    expect(await readLines(drawing)).toBe(LINES.length);
  });

  it('has its small letters enlarged, of which none could be read', async () => {
    expect(await readLines({ zoom: 0.32 })).toBeGreaterThanOrEqual(3);
  });

  it('says with which confidence it was read', async () => {
    const { parts } = await read({ bytes: page({}), name: 'page.png' });
    expect(parts[0]?.ocr?.confidence).toBeGreaterThan(0.85);
    expect(parts[0]?.ocr?.confidence).toBeLessThanOrEqual(1);
  });

  it('is turned as its camera noted', async () => {
    // The tag says that the picture is mirrored, which no quarter turn makes readable.
    const tag = Buffer.from('ffe100224578696600004d4d002a0000000800010112000300000001000200000000000000', 'hex');
    const mirrored = Buffer.concat([RECEIPT.subarray(0, 2), tag.subarray(0, 36), RECEIPT.subarray(2)]);
    const [firstLine = ''] = (await readReceipt()).parts[0]?.text.split('\n') ?? [];
    expect(firstLine).toMatch(/\w{4}/);
    expect(await text(mirrored, 'receipt.jpg')).not.toContain(firstLine);
  });
});

const FIELDS = [
  ['Number:', 'KL-2204'],
  ['Received on:', '3 September'],
  ['Received by:', 'Mara Osei (desk)'],
  ['Bicycle:', 'green, 28 inch'],
  ['Fault:', 'rear brake, loose chain'],
  ['Promised for:', '9 September'],
  ['Estimate:', 'GBP 64.50'],
  ['Phone:', '0117 496 0532'],
] as const;

/** A form whose values stand in frames, or whose fields stand in a grid. */
function form(lines: 'frames' | 'grid'): Buffer {
  const fields = FIELDS.map(([label, value], at) => {
    const top = 130 + at * (lines === 'frames' ? 76 : 56);
    const frames =
      lines === 'frames'
        ? `<rect x="380" y="${top}" width="760" height="60"/>`
        : `<rect x="70" y="${top}" width="310" height="56"/><rect x="380" y="${top}" width="760" height="56"/>`;
    return `<g fill="none" stroke="#555" stroke-width="2">${frames}</g><text x="80" y="${top + 40}">${label}</text><text x="400" y="${top + 40}">${value}</text>`;
  }).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1240" height="900"><rect width="1240" height="900" fill="#fff"/><g font-family="Inter" font-size="28" fill="#222"><text x="70" y="80">Workshop order</text>${fields}<text x="70" y="860">Orders are kept for two years.</text></g></svg>`;
  const font = { fontBuffers: [readFileSync(files.regular)], defaultFontFamily: 'Inter', loadSystemFonts: false };
  return Buffer.from(new Resvg(svg, { font }).render().asPng());
}

describe('a form', () => {
  it.each(['frames', 'grid'] as const)('is read with what stands in its %s', async (lines) => {
    const read = await text(form(lines), 'form.png');
    for (const [label, value] of FIELDS) expect(read).toMatch(new RegExp(`${label} +${value.replace(/[()]/g, '.')}`));
    expect(read).toContain('Orders are kept for two years.');
    expect(read).not.toContain('|');
  });
});

const wordsIn = (parts: readonly ReadingPart[]) =>
  parts.flatMap(({ blocks = [] }) => blocks.flatMap(({ ocr }) => ocr?.words ?? []));

const middleOfBox = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }) =>
  [x + width / 2, y + height / 2] as const;

describe('each word of a picture is kept', () => {
  /** Where the middle of the word stands on the page that is not turned. */
  const [across, down] = [105, 289];

  it.each([0, 6, -5, 90, -90, 180])(
    'with its confidence and its place on a page turned by %i degrees',
    async (turn) => {
      const { parts } = await readPage({ turn });
      const [word, ...others] = wordsIn(parts).filter((one) => one.text === 'Visitors');
      expect(others).toEqual([]);
      expect(word?.confidence).toBeGreaterThan(0.7);
      const [x, y] = middleOfBox(word?.box ?? { x: 0, y: 0, width: 0, height: 0 });
      const angle = (turn * Math.PI) / 180;
      const expected = [
        400 + (across - 400) * Math.cos(angle) - (down - 400) * Math.sin(angle),
        400 + (across - 400) * Math.sin(angle) + (down - 400) * Math.cos(angle),
      ];
      expect(Math.hypot(x - (expected[0] ?? 0), y - (expected[1] ?? 0))).toBeLessThan(12);
    },
  );

  it('and the text of its blocks is the text of the page', async () => {
    const { parts } = await readPage({});
    const [part] = parts;
    expect(part?.blocks?.map((block) => block.text).join('\n\n')).toBe(part?.text);
    expect(part?.blocks?.map(({ ocr }) => ocr?.words.map((word) => word.text).join(' ')).join(' ')).toBe(
      part?.text.split(/\s+/).join(' '),
    );
  });

  it('and what was read with little confidence is named to those who read the text', async () => {
    const [part] = (await readWithLayout(RECEIPT, 'receipt.jpg')).parts;
    const unsure = wordsIn(part ? [part] : []).filter(({ confidence }) => confidence < 0.7);
    const [shown] = (await readReceipt()).parts;
    expect(unsure.length).toBeGreaterThan(0);
    expect(shown?.unsure?.map(({ start, end, confidence }) => [shown.text.slice(start, end), confidence])).toEqual(
      unsure.map((word) => [word.text, word.confidence]),
    );
  });

  it('on a scanned page in its points', async () => {
    const scan = scanOf(deflateSync(pixelsOf({})), { width: 800, height: 800, filter: 'FlateDecode' }, 1);
    const { parts } = await readWithLayout(scan, 'scan.pdf');
    expect(parts[0]?.ocr?.confidence).toBeGreaterThan(0.7);
    const word = wordsIn(parts).find((one) => one.text === 'Visitors');
    const [x, y] = middleOfBox(word?.box ?? { x: 0, y: 0, width: 0, height: 0 });
    // The picture fills a page of 600 by 800 points.
    expect(Math.hypot(x - (across * 600) / 800, y - down)).toBeLessThan(8);
  });
});

describe('the picture of a page for a model that sees', () => {
  const request = { organization: 'tests' };
  const sourceOf = (bytes: Uint8Array, name: string) => ({ name, size: bytes.length, load: async () => bytes });
  const sizeOf = (png: Uint8Array | undefined) => describeImage(png ?? new Uint8Array());

  it('is as large as the scan, and upright where the page is turned', async () => {
    const picture = deflateSync(Buffer.alloc(400 * 300 * 3, 200));
    const scan = scanOf(picture, { width: 400, height: 300, filter: 'FlateDecode' }, 2);
    const turned = Buffer.from(scan.toString('latin1').replaceAll('/Type/Page/', '/Type/Page/Rotate 90/'), 'latin1');
    const [first, ...others] = await pictures(sourceOf(turned, 'scan.pdf'), [2], request);
    expect(others).toEqual([]);
    expect(first?.page).toBe(2);
    expect(sizeOf(first?.png)).toEqual({ mimeType: 'image/png', width: 300, height: 400 });
  });

  it('keeps the words of a photo that is scaled down', async () => {
    const [photo] = await pictures(sourceOf(page({ zoom: 2.5 }), 'photo.png'), [1], request);
    expect(sizeOf(photo?.png)).toEqual({ mimeType: 'image/png', width: 1_568, height: 1_568 });
    expect(await text(photo?.png ?? new Uint8Array(), 'photo.png')).toContain(LINES[0]);
  });

  it('is none of a file without pictures or that is damaged', async () => {
    expect(await pictures(sourceOf(pdfPages(['']), 'empty.pdf'), [1, 7], request)).toEqual([]);
    expect(await pictures(sourceOf(Buffer.from('%PDF-1.7 broken'), 'broken.pdf'), [1], request)).toEqual([]);
  });

  it('is wanted of a page with little text and a large picture, and not of one with enough text', async () => {
    const line = (words: string, y: number) => `BT /F 12 Tf 1 0 0 1 40 ${y} Tm (${words}) Tj ET`;
    const large = 'q 500 0 0 500 50 50 cm /I Do Q';
    const many = Array.from({ length: 8 }, (_, at) => line(LINES[at % LINES.length] ?? '', 780 - 20 * at)).join(' ');
    const wantedPages = async (content: string) => (await read({ bytes: pdfPages([content]), name: 'a.pdf' })).pictured;
    expect(await wantedPages(`${line('Figure 1', 780)} ${large}`)).toEqual([1]);
    expect(await wantedPages(`${line('Figure 1', 780)} q 50 0 0 50 50 50 cm /I Do Q`)).toBeUndefined();
    expect(await wantedPages(`${many} ${large}`)).toBeUndefined();
  });
});

describe('the order of words', () => {
  const word = (line: number, left: number, text: string) =>
    ['5', '1', '1', '1', line, '1', left, line * 20, text.length * 8, 14, '95', text].join('\t');
  const row = (line: number, words: [number, string][]) => words.map(([left, text]) => word(line, left, text));
  const rowsOf = (left: string, right: string) =>
    Array.from({ length: 9 }, (_, at) =>
      row(at + 2, [
        ...left.split(' ').map((text, nth): [number, string] => [nth * 54, `${text}${'abcdefghi'[at]}`]),
        ...right.split(' ').map((text, nth): [number, string] => [400 + nth * 54, `${text}${'abcdefghi'[at]}`]),
      ]),
    ).flat();
  const textOf = (rows: string[]) => textOfLines(linesOfWords(rows.join('\n')));

  it('keeps columns of prose apart, and a heading over both where it stands', () => {
    const heading = row(1, [
      [300, 'The'],
      [330, 'harbour'],
      [392, 'news'],
    ]);
    const lines = textOf([...heading, ...rowsOf('ships sail to', 'cranes lift the')]).split('\n');
    expect(lines[0]).toBe('The harbour news');
    expect(lines.indexOf('shipsi saili toi')).toBeLessThan(lines.indexOf('cranesa lifta thea'));
  });

  it('keeps the rows of a table whole', () => {
    expect(textOf(rowsOf('oak desk', '129'))).toMatch(/oaka +deska +129a/);
    expect(textOf(rowsOf('oak desk 17 wide', '12 pieces 129 euros'))).toMatch(/oaka +deska +17a +widea +12a/);
  });

  it('keeps words in columns below each other, though each row is a paragraph of its own', () => {
    const paragraph = (nth: number, words: [number, string][]) =>
      row(nth, words).map((one) => one.replace('5\t1\t1\t1', `5\t1\t1\t${nth}`));
    const text = textOf([
      ...paragraph(1, [
        [0, 'Item'],
        [200, 'Qty'],
        [320, 'Unit'],
      ]),
      ...paragraph(2, [
        [0, 'Oak'],
        [32, 'desk'],
        [208, '2'],
        [320, 'pcs'],
      ]),
      ...paragraph(3, [
        [208, '1'],
        [320, 'box'],
      ]),
      ...paragraph(4, [
        [0, 'Signed'],
        [56, 'by'],
      ]),
    ]);
    expect(text).toBe(
      [
        'Item                     Qty            Unit',
        'Oak desk                  2             pcs',
        '                          1             box',
        '',
        'Signed by',
      ].join('\n'),
    );
  });

  it('leaves dust out, and no dash and no point that belongs to a word', () => {
    const speck = ['5', '1', '1', '1', '1', '300', '24', '2', '2', '87', '|'].join('\t');
    const high = ['5', '1', '1', '1', '1', '1', '320', '24', '12', '3', '60', 'Co'].join('\t');
    const dash = ['5', '1', '1', '1', '1', '1', '34', '24', '6', '2', '90', '-'].join('\t');
    expect(textOf([...row(1, [[0, 'Oak']]), dash, ...row(1, [[50, 'desk.']]), speck, high])).toBe('Oak - desk.');
  });
});
