/** Images by OCR (Tesseract in WebAssembly): the text in an image file or in raw pixels. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import openCore from 'tesseract.js-core/tesseract-core-simd-lstm.js';
import type { DocumentBlock } from '../../../shared/files/reading-format.ts';
import type { ReaderInput } from '../document.ts';
import { LITTLE_TEXT, type OcrAssets, type ReaderResult, unreadable } from '../document.ts';
import { findSheet } from '../ocr/find-sheet.ts';
import { blocksOfLines, boxOnPage, linesOfWords, type OcrLine, ocrConfidence, textOfLines } from '../ocr/ocr-words.ts';
import { toPng } from '../ocr/page-picture.ts';
import {
  beforeDeskew,
  beforeRotation,
  deskew,
  enlarge,
  type GrayPicture,
  middleOf,
  type PointBefore,
  readGray,
  rotate,
  skewOf,
  toNetpbm,
  withEvenLight,
  withoutFrames,
} from '../ocr/prepare-picture.ts';
import { describeImage, type ImageDescription } from './image-header.ts';

/** The lines of a picture, and where a point of them stands on it, as shares of its width and height. */
type Recognized = { lines: OcrLine[]; confidence: number; toPicture: PointBefore };

/** Decodes an image in any format that Tesseract supports, and recognizes the text of a prepared picture. */
type Ocr = { decode(picture: Uint8Array): GrayPicture; recognize(picture: GrayPicture): Recognized };

const LSTM_ONLY = 1;
const UPRIGHT = 1;
/** From this orientation on, width and height are exchanged. */
const FIRST_TURNED = 5;
const INPUT = '/input';

let sharedOcr: Promise<Ocr> | undefined;

/**
 * Loads Tesseract once per thread, as that takes a tenth of a second. It reads only the two given files and has no
 * other access.
 */
function openOcr(assets: OcrAssets): Promise<Ocr> {
  sharedOcr ??= loadOcr(assets);
  return sharedOcr;
}

async function loadOcr({ ocrProgram, ocrLanguage }: OcrAssets): Promise<Ocr> {
  const core = await openCore({ wasmBinary: readFileSync(ocrProgram), print: ignore, printErr: ignore });
  core.FS.writeFile('/eng.traineddata', gunzipSync(readFileSync(ocrLanguage)));
  const api = new core.TessBaseAPI();
  if (api.Init('/', 'eng', LSTM_ONLY) !== 0) throw new Error('The data for OCR cannot be used.');
  function withImage<T>(bytes: Uint8Array, orientation: number, run: () => T): T {
    core.FS.writeFile(INPUT, bytes);
    try {
      if (api.SetImageFile(orientation, 0) !== 0) throw unreadable('corrupt');
      return run();
    } finally {
      api.Clear();
      core.FS.unlink(INPUT);
    }
  }
  return {
    decode: (picture) =>
      withImage(picture, orientationOf(picture), () => {
        const image = api.GetInputImage();
        const width = image.get_w();
        const [rowWords, start, depth] = [image.get_wpl(), image.get_data(), image.get_d()];
        const word = (row: number, at: number) => core.getValue(start + 4 * (row * rowWords + at), 'i32');
        return readGray(width, image.get_h(), (at) => {
          const [row, column] = [Math.floor(at / width), at % width];
          if (depth === 1) return bitOfWord(word(row, column >> 5), column);
          return depth === 32 ? grayOfWord(word(row, column)) : grayInWord(word(row, column >> 2), column);
        });
      }),
    recognize: (picture) =>
      withImage(toNetpbm(picture), UPRIGHT, () => {
        if (api.Recognize(null) !== 0) throw unreadable('corrupt');
        const lines = linesOfWords(api.GetTSVText(0));
        const { width, height } = picture;
        return { lines, confidence: ocrConfidence(lines), toPicture: (x, y) => [x / width, y / height] };
      }),
  };
}

const ignore = () => undefined;

/** Red, green and blue are the three upper bytes of a word. Their shares of brightness are those of television. */
const grayOfWord = (word: number): number => brightness(word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255);
const brightness = (red: number, green: number, blue: number): number => (77 * red + 151 * green + 28 * blue) >> 8;
/** 32 black and white pixels share a word, the first in its highest bit. A set bit is black. */
const bitOfWord = (word: number, column: number): number => ((word >>> (31 - (column & 31))) & 1 ? 0 : 255);
/** Four gray pixels share a word, the first in its upper byte. */
const grayInWord = (word: number, column: number): number => (word >>> (24 - 8 * (column & 3))) & 255;

/** The orientation that a camera noted in a JPEG, from 1 (upright) to 8: the value of EXIF tag 0x0112, in either byte order. */
const ORIENTATION_TAGS = ['011200030000000100', '1201030001000000'].map((hex) => Buffer.from(hex, 'hex'));
const HEAD = 2_000;

function orientationOf(picture: Uint8Array): number {
  const head = Buffer.from(picture.subarray(0, HEAD));
  if (head[0] !== 0xff || head[1] !== 0xd8) return UPRIGHT;
  for (const tag of ORIENTATION_TAGS) {
    const at = head.indexOf(tag);
    const value = head[at + tag.length] ?? 0;
    if (at >= 0 && value >= 1 && value <= 8) return value;
  }
  return UPRIGHT;
}

/** A picture that is read with less confidence is tried as it is, and then the other ways up. */
const SURE = 0.6;
const SURER = 0.1;

/** Reads a picture: light and lines are evened, thin letters enlarged, and a page that lies or stands upside down is turned. */
function readPicture(picture: GrayPicture, ocr: Ocr): Recognized {
  const readPrepared = (image: GrayPicture): Recognized => {
    const even = withEvenLight(image);
    const skew = skewOf(even);
    const reading = readFrames(deskew(even, skew), ocr);
    return toOriginal(reading, image, beforeDeskew(image, skew), image);
  };
  const sheet = findSheet(picture);
  if (sheet) {
    const sheetReading = readPrepared(sheet.picture);
    if (sheetReading.confidence >= SURE) return toOriginal(sheetReading, sheet.picture, sheet.before, picture);
  }
  const upright = readPrepared(picture);
  if (upright.confidence >= SURE) return upright;
  const best = moreConfident(upright, ocr.recognize(picture));
  if (best.confidence >= SURE) return best;
  const quarters = turnOf(picture, ocr);
  if (quarters === 0) return best;
  const rotated = rotate(picture, quarters);
  return moreConfident(best, toOriginal(readPrepared(rotated), rotated, beforeRotation(picture, quarters), picture));
}

const WORDS_A_FRAME = 8;
/** Reads once more without the frames if few words were found in them, and takes what has more letters. */
function readFrames(picture: GrayPicture, ocr: Ocr): Recognized {
  const reading = ocr.recognize(enlarge(picture));
  const frameless = withoutFrames(picture);
  if (!frameless) return reading;
  const { top, bottom, frames } = frameless;
  const framed = reading.lines
    .flatMap(({ words }) => words)
    .filter((word) => {
      const [, y] = reading.toPicture(word.left, (word.top + word.bottom) / 2);
      return y > top && y < bottom;
    });
  if (framed.length >= WORDS_A_FRAME * frames) return reading;
  const again = ocr.recognize(enlarge(frameless.picture));
  return letterConfidence(again) > letterConfidence(reading) ? again : reading;
}

/** The number of letters, each by how surely it was read. */
const letterConfidence = ({ lines, confidence }: Recognized): number =>
  confidence * lines.flatMap(({ words }) => words).reduce((sum, { text }) => sum + text.length, 0);

type Size = Pick<GrayPicture, 'width' | 'height'>;

/** Places what was found on a prepared picture of the size `size` on the picture before, of the size `whole`. */
function toOriginal(reading: Recognized, size: Size, before: PointBefore, whole: Size): Recognized {
  const toPicture: PointBefore = (x, y) => {
    const [left, top] = reading.toPicture(x, y);
    const [right, down] = before(left * size.width, top * size.height);
    return [right / whole.width, down / whole.height];
  };
  return { ...reading, toPicture };
}

const moreConfident = (a: Recognized, b: Recognized): Recognized => (b.confidence > a.confidence ? b : a);

/** The quarter turns after which the middle of the picture is read clearly better. */
function turnOf(picture: GrayPicture, ocr: Ocr): 0 | 1 | 2 | 3 {
  const middle = middleOf(picture);
  const asIs = ocr.recognize(enlarge(middle)).confidence;
  const [best] = ([1, 2, 3] as const)
    .map((quarters) => ({ quarters, confidence: ocr.recognize(enlarge(rotate(middle, quarters))).confidence }))
    .sort((a, b) => b.confidence - a.confidence);
  return best && best.confidence >= asIs + SURER ? best.quarters : 0;
}

/** The CPU time of OCR is counted apart from the rest. */
async function runOcr<T>({ assets, watchOcr }: ReaderInput, run: (ocr: Ocr) => T): Promise<T> {
  const ocr = await openOcr(assets);
  watchOcr?.('begins');
  try {
    return run(ocr);
  } finally {
    watchOcr?.('ends');
  }
}

/** Reads an image by OCR: one part with its text, or none. */
export async function readImage(reading: ReaderInput): Promise<ReaderResult> {
  const { bytes, budget } = reading;
  const image = sizeOf(reading);
  const isTurned = orientationOf(bytes) >= FIRST_TURNED;
  const [width, height] = isTurned ? [image.height, image.width] : [image.width, image.height];
  const { text, blocks, confidence } = await recognizePicture(
    (ocr) => ocr.decode(bytes),
    reading,
    (x, y) => [x * width, y * height],
  );
  budget.countText(text);
  const parts = text === '' ? [] : [{ label: 'image', text, blocks, ocr: { confidence } }];
  return isPoorlyRead({ text, confidence }) ? { parts, pictured: [1] } : parts;
}

function sizeOf({ bytes, limits }: ReaderInput): ImageDescription {
  const image = describeImage(bytes);
  if (!image || image.width === 0 || image.height === 0) throw unreadable('corrupt');
  if (image.width * image.height > limits.pixels) throw unreadable('tooLarge');
  return image;
}

/** An image file for a model that sees: gray, upright and scaled down. */
export async function imagePicture(reading: ReaderInput): Promise<Uint8Array> {
  sizeOf(reading);
  const ocr = await openOcr(reading.assets);
  const { width, height, data } = ocr.decode(reading.bytes);
  return toPng({ width, height, at: (x, y) => data[y * width + x] ?? 255 });
}

export const isPoorlyRead = ({ text, confidence }: Pick<ScannedText, 'text' | 'confidence'>): boolean =>
  text.length < LITTLE_TEXT.characters || confidence < LITTLE_TEXT.confidence;

type Pixels = { width: number; height: number; data: Uint8Array | Uint8ClampedArray };

/** What OCR read on a page or a picture of it. */
export type ScannedText = { text: string; blocks: DocumentBlock[]; confidence: number };

/** Reads raw pixels by OCR. `toPage` places a point, given as shares of width and height, on the page. */
export const readPixels = (pixels: Pixels, reading: ReaderInput, toPage: PointBefore): Promise<ScannedText> =>
  recognizePicture(() => grayOfPixels(pixels), reading, toPage);

async function recognizePicture(
  open: (ocr: Ocr) => GrayPicture,
  reading: ReaderInput,
  toPage: PointBefore,
): Promise<ScannedText> {
  const { lines, confidence, toPicture } = await runOcr(reading, (ocr) => readPicture(open(ocr), ocr));
  const blocks = blocksOfLines(lines, (word) => boxOnPage(word, (x, y) => toPage(...toPicture(x, y))));
  return { text: textOfLines(lines), blocks, confidence };
}

/** Converts pixels of one bit, three bytes or four bytes each. A set bit is white. */
function grayOfPixels({ width, height, data }: Pixels): GrayPicture {
  const amount = width * height;
  if (data.length < amount) {
    const rowBytes = Math.ceil(width / 8);
    return readGray(width, height, (at) => {
      const [row, column] = [Math.floor(at / width), at % width];
      return (((data[row * rowBytes + (column >> 3)] ?? 0) >> (7 - (column & 7))) & 1) * 255;
    });
  }
  const step = data.length >= amount * 4 ? 4 : 3;
  return readGray(width, height, (at) =>
    brightness(data[at * step] ?? 0, data[at * step + 1] ?? 0, data[at * step + 2] ?? 0),
  );
}
