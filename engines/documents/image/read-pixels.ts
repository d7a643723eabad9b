/** Reads bare pixels by OCR, handed over in the simplest format there is (Netpbm). */
import type { ReaderInput } from '../read-document.ts';
import { openOcr } from './ocr.ts';

export type Pixels = { width: number; height: number; data: Uint8Array | Uint8ClampedArray };

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
