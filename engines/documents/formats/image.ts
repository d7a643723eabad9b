/** Images by OCR (Tesseract in WebAssembly): the text in an image file or in raw pixels. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import openCore from 'tesseract.js-core/tesseract-core-simd-lstm.js';
import type { ReaderInput } from '../document.ts';
import { type DocumentPart, type OcrAssets, unreadable } from '../document.ts';
import { describeImage } from './image-header.ts';

/** Recognizes the text of an image in any format that Tesseract supports. */
type Ocr = (picture: Uint8Array) => string;

const LSTM_ONLY = 1;
const UPRIGHT = 1;
const INPUT = '/input';

let sharedOcr: Promise<Ocr> | undefined;

/**
 * Loads Tesseract once per thread, as that takes a tenth of a second. It reads only the two given files and has no
 * other access.
 */
async function openOcr({ assets, watchOcr }: Pick<ReaderInput, 'assets' | 'watchOcr'>): Promise<Ocr> {
  sharedOcr ??= loadOcr(assets);
  const recognize = await sharedOcr;
  return (picture) => {
    watchOcr?.('begins');
    try {
      return recognize(picture);
    } finally {
      watchOcr?.('ends');
    }
  };
}

async function loadOcr({ ocrProgram, ocrLanguage }: OcrAssets): Promise<Ocr> {
  const core = await openCore({ wasmBinary: readFileSync(ocrProgram), print: ignore, printErr: ignore });
  core.FS.writeFile('/eng.traineddata', gunzipSync(readFileSync(ocrLanguage)));
  const api = new core.TessBaseAPI();
  if (api.Init('/', 'eng', LSTM_ONLY) !== 0) throw new Error('The data for OCR cannot be used.');
  return (picture) => {
    core.FS.writeFile(INPUT, picture);
    try {
      if (api.SetImageFile(UPRIGHT, 0) !== 0) throw unreadable('corrupt');
      if (api.Recognize(null) !== 0) throw unreadable('corrupt');
      return api.GetUTF8Text().trim();
    } finally {
      api.Clear();
      core.FS.unlink(INPUT);
    }
  };
}

const ignore = () => undefined;

/** Reads an image by OCR: one part with its text, or none. */
export async function readImage(reading: ReaderInput): Promise<DocumentPart[]> {
  const { bytes, limits, budget } = reading;
  const image = describeImage(bytes);
  if (!image || image.width === 0 || image.height === 0) throw unreadable('corrupt');
  if (image.width * image.height > limits.pixels) throw unreadable('tooLarge');
  const ocr = await openOcr(reading);
  const text = budget.countText(ocr(bytes));
  return text === '' ? [] : [{ label: 'image', text }];
}

type Pixels = { width: number; height: number; data: Uint8Array | Uint8ClampedArray };

/** Reads raw pixels by OCR. They are passed in the simplest image format (Netpbm). */
export async function readPixels(pixels: Pixels, reading: ReaderInput): Promise<string> {
  const ocr = await openOcr(reading);
  return ocr(netpbm(pixels));
}

/** Converts pixels of one bit, three bytes or four bytes each. */
function netpbm({ width, height, data }: Pixels): Buffer {
  const amount = width * height;
  if (data.length < amount) {
    // A set bit is white in the input and black in Netpbm.
    const bits = Buffer.from(data.map((byte) => ~byte & 0xff));
    return Buffer.concat([Buffer.from(`P4\n${width} ${height}\n`), bits]);
  }
  const step = data.length >= amount * 4 ? 4 : 3;
  const head = Buffer.from(`P6\n${width} ${height}\n255\n`);
  const body = Buffer.alloc(amount * 3);
  for (let from = 0, to = 0; to < body.length; from += step, to += 3) {
    body[to] = data[from] ?? 0;
    body[to + 1] = data[from + 1] ?? 0;
    body[to + 2] = data[from + 2] ?? 0;
  }
  return Buffer.concat([head, body]);
}
