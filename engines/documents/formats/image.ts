/** Images by OCR (Tesseract in WebAssembly): the text in a picture file or in bare pixels. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import openCore from 'tesseract.js-core/tesseract-core-simd-lstm.js';
import type { ReaderInput } from '../document.ts';
import { type DocumentPart, type OcrAssets, unreadable } from '../document.ts';
import { describeImage } from './image-header.ts';

// Optical character recognition by Tesseract in WebAssembly, from two files that are handed in. It reaches nothing else.

/** The text of a picture in any format the core knows. */
type Ocr = (picture: Uint8Array) => string;

const LSTM_ONLY = 1;
const UPRIGHT = 1;
const INPUT = '/input';

let sharedOcr: Promise<Ocr> | undefined;

/** Once for a thread: it costs a tenth of a second. */
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

/** A picture by OCR: one part with the text that stands in it, or none. */
export async function readImage(reading: ReaderInput): Promise<DocumentPart[]> {
  const { bytes, limits, budget } = reading;
  const image = describeImage(bytes);
  if (!image || image.width === 0 || image.height === 0) throw unreadable('corrupt');
  if (image.width * image.height > limits.pixels) throw unreadable('tooLarge');
  const ocr = await openOcr(reading);
  const text = budget.countText(ocr(bytes));
  return text === '' ? [] : [{ label: 'image', text }];
}

/** Reads bare pixels by OCR, handed over in the simplest format there is (Netpbm). */
type Pixels = { width: number; height: number; data: Uint8Array | Uint8ClampedArray };

export async function readPixels(pixels: Pixels, reading: ReaderInput): Promise<string> {
  const ocr = await openOcr(reading);
  return ocr(netpbm(pixels));
}

/** One bit, three bytes or four bytes a pixel. */
function netpbm({ width, height, data }: Pixels): Buffer {
  const amount = width * height;
  if (data.length < amount) {
    // A set bit is white here and black there.
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
