/** PDF: opens the file, limits its drawing operators, reads scanned pages by OCR, and makes one part per page. */

import { Readable } from 'node:stream';
import { constants, createInflate, inflateSync } from 'node:zlib';
import type { Box } from '../../../shared/files/reading-format.ts';
import type { ReaderInput } from '../document.ts';
import { LITTLE_TEXT, type PagePicture, type ReaderResult, unreadable } from '../document.ts';
import { isPoorlyRead, readPixels, type ScannedText } from '../formats/image.ts';
import { pixelsOf, toPng } from '../ocr/page-picture.ts';
import { type Fax, faxesIn, unpackFax } from './fax.ts';
import { type Area, geometry, type Word } from './lines.ts';
import { type Matrix, readOperators } from './page-content.ts';
import { type PdfPage as LayoutPage, writePages } from './page-layout.ts';
import { inDrawnOrder, orderPage } from './reading-order.ts';

type Pdfjs = typeof import('unpdf/pdfjs');
type Pdf = Awaited<ReturnType<Pdfjs['getDocument']>['promise']>;
type PdfPage = Awaited<ReturnType<Pdf['getPage']>>;

async function loadPdfjs(): Promise<Pdfjs> {
  // pdf.js requires this class when it is loaded, but would use it only for drawing.
  Reflect.set(globalThis, 'DOMMatrix', Reflect.get(globalThis, 'DOMMatrix') ?? class DOMMatrix {});
  return import('unpdf/pdfjs');
}

type Message = { chunk?: { fnArray: unknown[]; argsArray: unknown[] } };
type Listener = (event: { data: unknown }) => void;

/**
 * Two linked ports for pdf.js and its worker, which run in one thread. Its own port copies every message, glyph by
 * glyph, which takes a quarter of the time of reading. Only the lists of a chunk of operators are copied here, as the
 * worker empties its own.
 */
function linkedPorts() {
  const listeners = [new Set<Listener>(), new Set<Listener>()];
  const portTo = (side: number) => ({
    postMessage(message: Message) {
      const { chunk } = message;
      const data = chunk?.fnArray
        ? { ...message, chunk: { ...chunk, fnArray: [...chunk.fnArray], argsArray: [...chunk.argsArray] } }
        : message;
      queueMicrotask(() => {
        for (const listen of [...(listeners[1 - side] ?? [])]) listen({ data });
      });
    },
    addEventListener: (_: string, listen: Listener) => void listeners[side]?.add(listen),
    removeEventListener: (_: string, listen: Listener) => void listeners[side]?.delete(listen),
  });
  return [portTo(0), portTo(1)] as const;
}

/** Opens a PDF without fonts, network or drawing. Larger pictures than `maxImageSize` pixels are not decoded. */
async function openPdf(bytes: Buffer, maxImageSize: number): Promise<Pdf> {
  const { getDocument, PDFWorker, VerbosityLevel } = await loadPdfjs();
  const [port, workerPort] = linkedPorts();
  const worker = PDFWorker.create({ port: port as never });
  const { WorkerMessageHandler } = Reflect.get(globalThis, 'pdfjsWorker');
  WorkerMessageHandler.initializeFromPort(workerPort);
  const task = getDocument({
    data: new Uint8Array(bytes),
    verbosity: VerbosityLevel.ERRORS,
    disableFontFace: true,
    useSystemFonts: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    useWasm: false,
    enableXfa: false,
    maxImageSize,
    worker,
  });
  try {
    return await task.promise;
  } catch (cause) {
    const { name } = cause as Error;
    throw cause instanceof RangeError
      ? cause
      : unreadable(name === 'PasswordException' ? 'encrypted' : 'corrupt', cause);
  }
}

/** The maximum distance from an object's number to its stream. */
const DICTIONARY_BYTES = 2_000;
const STREAM = 'stream';
const END = 'endstream';
/** Deflate cannot compress better than this ratio, and an operator takes at least a letter and a space. */
const LARGEST_RATIO = 1_032;
const SMALLEST_OPERATOR = 2;

/**
 * Rejects a PDF if a content stream has more drawing operators than any real page, before pdf.js parses them at about a
 * microsecond each. Encrypted streams, and those with a compression other than Flate, are not counted here; the CPU
 * limit stops them.
 */
async function checkOperators(bytes: Buffer, max: number): Promise<void> {
  for (const { packed, isFlate } of streamsIn(bytes, (max * SMALLEST_OPERATOR) / LARGEST_RATIO)) {
    if (isFlate && unpacksWithin(packed, max * SMALLEST_OPERATOR)) continue;
    if (await hasMoreOperators(isFlate ? inflateStream(packed) : [packed], max)) throw unreadable('tooManyOperators');
  }
}

/** Tells quickly that a stream is too short for so many operators. */
function unpacksWithin(packed: Buffer, maxOutputLength: number): boolean {
  try {
    inflateSync(packed, { maxOutputLength });
    return true;
  } catch {
    return false;
  }
}

function* streamsIn(bytes: Buffer, minBytes: number) {
  for (let at = bytes.indexOf(STREAM); at >= 0; ) {
    const from = at + STREAM.length;
    const end = bytes.indexOf(END, from);
    const to = end < 0 ? bytes.length : end;
    if (to - from >= minBytes) {
      const before = bytes.toString('latin1', Math.max(0, at - DICTIONARY_BYTES), at);
      const dictionary = before.slice(before.lastIndexOf(' obj') + 1);
      const isFlate = dictionary.includes('/FlateDecode');
      const firstByte = bytes[from] === 13 && bytes[from + 1] === 10 ? from + 2 : from + 1;
      if (!/\/Subtype\s*\/Image/.test(dictionary)) yield { packed: bytes.subarray(firstByte, to), isFlate };
    }
    at = bytes.indexOf(STREAM, to + END.length);
  }
}

/** Inflates in chunks, as a stream may unpack to more than the memory. A damaged stream ends at the damage. */
async function* inflateStream(packed: Buffer): AsyncGenerator<Buffer> {
  try {
    yield* Readable.from([packed]).pipe(createInflate({ finishFlush: constants.Z_SYNC_FLUSH }));
  } catch {
    // pdf.js reads a damaged stream up to the damage, so the count does the same.
  }
}

const [OTHER, SPACE, LETTER, OPEN, CLOSE, ESCAPE] = [0, 1, 2, 3, 4, 5];
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z'"]/.test(character)) return LETTER;
  if (/[\0\s>\]}]/.test(character)) return SPACE;
  return character === '(' ? OPEN : character === ')' ? CLOSE : character === '\\' ? ESCAPE : OTHER;
});

async function hasMoreOperators(chunks: Iterable<Buffer> | AsyncIterable<Buffer>, max: number): Promise<boolean> {
  const count = operatorCounter();
  for await (const chunk of chunks) {
    if (count(chunk) > max) return true;
  }
  return false;
}

/** An operator is a word that is neither a name (`/F1`) nor within a string (`(two words)`). */
function operatorCounter(): (chunk: Buffer) => number {
  let operators = 0;
  let depth = 0;
  let previous = SPACE;
  function step(kind: number): void {
    if (kind === OPEN) depth++;
    else if (depth > 0) depth -= kind === CLOSE ? 1 : 0;
    else if (kind === LETTER && (previous === SPACE || previous === CLOSE)) operators++;
  }
  return (chunk) => {
    for (const byte of chunk) {
      const isEscaped = depth > 0 && previous === ESCAPE;
      const kind = isEscaped ? OTHER : (CLASSES[byte] ?? OTHER);
      step(kind);
      previous = kind;
    }
    return operators;
  };
}

/** A form field of a page. Its value is not part of the page's text. */
type Annotation = { fieldName?: unknown; fieldValue?: unknown; fieldType?: unknown };

async function fieldsOf(page: PdfPage): Promise<string[]> {
  const annotations = (await page.getAnnotations()) as Annotation[];
  return annotations.flatMap(({ fieldName, fieldValue, fieldType }) => {
    const value = [fieldValue].flat().filter((entry) => typeof entry === 'string' && entry.trim() !== '');
    const isText = fieldType === 'Tx' || fieldType === 'Ch';
    return isText && value.length > 0 ? [`${fieldName ?? 'field'}: ${value.join(', ')}`] : [];
  });
}

/** Smaller images are decoration. */
const MIN_PIXELS = 100_000;
const WAIT_MS = 20_000;

type Picture = { width: number; height: number; kind?: number; data?: Uint8Array | Uint8ClampedArray };
type DecodedPicture = { width: number; height: number; data: Uint8Array | Uint8ClampedArray; matrix: Matrix };

/** State that all pages of one PDF share. */
type ScanState = { count: number; faxes: Fax[] };

async function namedPictures({ fnArray, argsArray }: Operators) {
  const { OPS } = await loadPdfjs();
  const placements = new Map<string, { at: number; width: number; height: number }>();
  for (const [at, operation] of fnArray.entries()) {
    if (operation !== OPS.paintImageXObject) continue;
    const [name, width = 0, height = 0] = argsArray[at] as [unknown, number, number];
    placements.set(String(name), { at, width, height });
  }
  return placements;
}

/**
 * The large images of a page, including group 4 faxes. Returns undefined if an image cannot be decoded, such as group 3
 * faxes, JBIG2 and JPEG 2000.
 */
async function picturesOf(page: PdfPage, maxPixels: number, scans: ScanState): Promise<DecodedPicture[] | undefined> {
  const operators = await page.getOperatorList();
  const { pictures: places } = await contentIn(page, operators, true);
  const decoded: DecodedPicture[] = [];
  for (const [name, { at, width, height }] of await namedPictures(operators)) {
    const picture = (await pictureOf(page, name)) ?? nextFax(scans, width, height);
    if (!picture) return undefined;
    const pixels = picture.width * picture.height;
    if (pixels < MIN_PIXELS) continue;
    if (pixels > maxPixels) throw unreadable('tooLarge');
    const data = 'bytes' in picture ? unpackFax(picture) : picture.data;
    const matrix = places.get(at);
    if (data && matrix) decoded.push({ width: picture.width, height: picture.height, data, matrix });
  }
  return decoded;
}

/** Reads the images of a page without text by OCR. */
async function readScan(page: PdfPage, reading: ReaderInput, scans: ScanState): Promise<ScannedText | undefined> {
  const pictures = await picturesOf(page, reading.limits.pixels, scans);
  if (!pictures) return undefined;
  const { toPoint } = viewOf(page);
  const scannedTexts: ScannedText[] = [];
  for (const picture of pictures) {
    if (++scans.count > reading.limits.scannedPages) throw unreadable('tooLarge');
    const toPage = (x: number, y: number) => toPoint(geometry.apply(picture.matrix, x, 1 - y));
    scannedTexts.push(await readPixels(picture, reading, toPage));
  }
  return joinScans(scannedTexts);
}

/** Pictures of one page are read with the confidence of the worst one. */
const joinScans = (scans: readonly ScannedText[]): ScannedText => ({
  text: scans.map(({ text }) => text).join('\n\n'),
  blocks: scans.flatMap(({ blocks }) => blocks),
  confidence: Math.min(1, ...scans.map(({ confidence }) => confidence)),
});

/** Faxes have no names, so they are matched by size and order: scanners write pages and their images in sequence. */
function nextFax({ faxes }: ScanState, width: number, height: number): Fax | undefined {
  const at = faxes.findIndex((fax) => fax.width === width && fax.height === height);
  return at < 0 ? undefined : faxes.splice(at, 1)[0];
}

/** Images shared by several pages are in `commonObjs`. */
function pictureOf(page: PdfPage, name: string): Promise<Picture | undefined> {
  const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), WAIT_MS);
    objects.get(name, (picture: Picture | null) => {
      clearTimeout(timer);
      resolve(picture ?? undefined);
    });
  });
}

/** Opens the PDF a second time, with its pictures, for pages that need them. */
function withPictures({ bytes, limits }: ReaderInput) {
  let opened: Promise<Pdf> | undefined;
  return {
    async page(number: number): Promise<PdfPage> {
      opened ??= openPdf(bytes, limits.pixels);
      return (await opened).getPage(number);
    },
    async close(): Promise<void> {
      await (await opened)?.loadingTask.destroy();
    },
  };
}

const NOTHING: ScannedText = { text: '', blocks: [], confidence: 1 };

export async function readPdf(reading: ReaderInput): Promise<ReaderResult> {
  const { bytes, budget, limits, geometry = true } = reading;
  await checkOperators(bytes, limits.operators);
  // Pictures take most of the time and are rarely needed.
  const pdf = await openPdf(bytes, 1);
  if (pdf.numPages > limits.pages) throw unreadable('tooLarge');
  const hasForm = (await pdf.getFieldObjects()) !== null;
  const pictured = withPictures(reading);
  const scans = { count: 0, faxes: faxesIn(bytes) };
  const pages: LayoutPage[] = [];
  const poor: number[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const content = await contentWhereCovered(page, () => pictured.page(number));
    for (const { text } of content.words) budget.countText(text);
    const visibleWords = content.words.filter(({ hidden }) => !hidden);
    const items = geometry ? orderPage(visibleWords, content.rules) : inDrawnOrder(visibleWords);
    const scanned = visibleWords.length === 0 ? await readScan(await pictured.page(number), reading, scans) : NOTHING;
    if (isPoor(page, content, scanned)) poor.push(number);
    const fields = hasForm ? await fieldsOf(page) : [];
    const { view, toBox } = viewOf(page);
    pages.push({ view, toBox, items, hidden: textOfHidden(content.words), fields, scanned });
    page.cleanup();
  }
  await pdf.loadingTask.destroy();
  await pictured.close();
  const isBlank = pages.every(({ items, fields, scanned }) => items.length + fields.length === 0 && !scanned?.text);
  if (isBlank && pages.some(({ scanned }) => scanned === undefined)) throw unreadable('pictures');
  return { ...writePages(pages, budget), ...(poor.length > 0 ? { pictured: poor } : {}) };
}

/** Where words may be behind a picture, the page is read with its pictures. */
async function contentWhereCovered(page: PdfPage, load: () => Promise<PdfPage>): Promise<Content> {
  const content = await contentOf(page, false);
  if (!content.mayBeCovered) return content;
  const complete = await load();
  const covered = await contentOf(complete, true);
  complete.cleanup();
  return covered;
}

/** A scan that was read badly, or a page with little text and a large picture. */
const isPoor = (page: PdfPage, content: Content, scanned: ScannedText | undefined): boolean =>
  scanned === NOTHING ? isMostlyPicture(page, content) : scanned !== undefined && isPoorlyRead(scanned);

type Content = Awaited<ReturnType<typeof contentOf>>;

/** The share of a page from which a picture may hold what the page is about. */
const PICTURE_SHARE = 0.25;

function isMostlyPicture(page: PdfPage, { words, pictures }: Content): boolean {
  if (words.reduce((sum, { text }) => sum + text.length, 0) >= LITTLE_TEXT.characters) return false;
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  const least = PICTURE_SHARE * (right - left) * (top - bottom);
  return [...pictures.values()].some(([a, b, c, d]) => Math.abs(a * d - b * c) >= least);
}

/** The largest picture of each of these pages, upright as the page is shown. */
export async function readPagePictures(
  { bytes, limits }: ReaderInput,
  numbers: readonly number[],
): Promise<PagePicture[]> {
  await checkOperators(bytes, limits.operators);
  const pdf = await openPdf(bytes, limits.pixels);
  const scans = { count: 0, faxes: faxesIn(bytes) };
  const pageNumbers = new Set(numbers.slice(0, limits.scannedPages));
  const pagePictures: PagePicture[] = [];
  for (let number = 1; number <= Math.min(pdf.numPages, Math.max(0, ...pageNumbers)); number++) {
    // Faxes are found by their order, so all pages before are looked through.
    if (!pageNumbers.has(number) && scans.faxes.length === 0) continue;
    const page = await pdf.getPage(number);
    const pictures = (await picturesOf(page, limits.pixels, scans)) ?? [];
    const [largest] = pictures.toSorted((a, b) => b.width * b.height - a.width * a.height);
    if (largest && pageNumbers.has(number))
      pagePictures.push({ page: number, png: toPng(pixelsOf(largest), page.rotate / 90) });
    page.cleanup();
  }
  await pdf.loadingTask.destroy();
  return pagePictures;
}

const textOfHidden = (words: readonly Word[]): string =>
  inDrawnOrder(words.filter(({ hidden }) => hidden))
    .flatMap(({ line }) => line?.text ?? [])
    .join('\n');

async function contentOf(page: PdfPage, isComplete: boolean) {
  const { AnnotationMode } = await loadPdfjs();
  return contentIn(page, await page.getOperatorList({ annotationMode: AnnotationMode.DISABLE }), isComplete);
}

type Operators = Awaited<ReturnType<PdfPage['getOperatorList']>>;

async function contentIn(page: PdfPage, operators: Operators, isComplete: boolean) {
  const { OPS: ops } = await loadPdfjs();
  const findFont = (name: string) => (page.commonObjs.has(name) ? page.commonObjs.get(name) : undefined);
  return readOperators(operators, { ops, findFont, isComplete, view: viewOf(page).view });
}

type Point = readonly [x: number, y: number];

function viewOf(page: PdfPage): Pick<LayoutPage, 'view' | 'toBox'> & { toPoint(point: Point): Point } {
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  const viewport = page.getViewport({ scale: 1 });
  const toPoint = ([x, y]: Point): Point => {
    const [across = 0, down = 0] = viewport.convertToViewportPoint(x, y);
    return [across, down];
  };
  return {
    toPoint,
    view: { left, bottom, right, top },
    toBox(area: Area): Box {
      const [ax, ay] = toPoint([area.left, area.bottom]);
      const [bx, by] = toPoint([area.right, area.top]);
      return {
        x: rounded(Math.min(ax, bx)),
        y: rounded(Math.min(ay, by)),
        width: rounded(Math.abs(ax - bx)),
        height: rounded(Math.abs(ay - by)),
      };
    },
  };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;
