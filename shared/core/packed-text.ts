/** Packs long texts for the table, which stores text only and is paid by the kilobyte. */
import type * as Zlib from 'node:zlib';

/** Loaded when first used, because it adds 8 ms to a cold start and most functions never need it. */
const zlib = (): typeof Zlib => process.getBuiltinModule('node:zlib');

/** Higher qualities take ten times as long for a tenth less. */
const QUALITY = 5;
/** 128 KB: larger ones cost time even where the text is short. */
const WINDOW_BITS = 17;

/** Well-formed text, by Brotli in base64. */
export function packText(text: string): string {
  const { brotliCompressSync, constants } = zlib();
  const bytes = Buffer.from(text);
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params }).toString('base64');
}

/** Far above any piece of a long value, so that a small text from elsewhere cannot fill the memory. */
const MAX_BYTES = 1_000_000;

export const unpackText = (packed: string): string =>
  zlib().brotliDecompressSync(Buffer.from(packed, 'base64'), { maxOutputLength: MAX_BYTES }).toString();
