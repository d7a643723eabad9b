/** Optical character recognition by Tesseract in WebAssembly, from two files that are handed in. It reaches nothing else. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import openCore from 'tesseract.js-core/tesseract-core-simd-lstm.js';
import type { OcrAssets } from '../document.ts';
import { unreadable } from '../failure.ts';
import type { ReaderInput } from '../read-document.ts';

/** The text of a picture in any format the core knows. */
export type Ocr = (picture: Uint8Array) => string;

const LSTM_ONLY = 1;
const UPRIGHT = 1;
const INPUT = '/input';

let sharedOcr: Promise<Ocr> | undefined;

/** Once for a thread: it costs a tenth of a second. */
export async function openOcr({ assets, watchOcr }: Pick<ReaderInput, 'assets' | 'watchOcr'>): Promise<Ocr> {
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
