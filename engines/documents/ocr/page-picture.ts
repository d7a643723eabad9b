/** The picture of a page or a photo as a vision model gets it: upright, scaled down, as PNG. */
import { crc32, deflateSync } from 'node:zlib';

/** `at` returns one byte of a pixel: red, green and blue are 0 to 2. */
type Pixels = { width: number; height: number; at(x: number, y: number, channel: number): number };

/** Providers scale larger pictures down themselves, or charge for each pixel. */
const SIDES = [1_568, 1_100, 780];
/** A photo that is larger as PNG is made smaller. */
const MAX_BYTES = 2_000_000;
const CHANNELS = 3;

type RawPixels = { width: number; height: number; data: Uint8Array | Uint8ClampedArray };

/** Pixels of one bit, three bytes or four bytes each. A set bit is white. */
export function pixelsOf({ width, height, data }: RawPixels): Pixels {
  if (data.length < width * height) {
    const rowBytes = Math.ceil(width / 8);
    const at = (x: number, y: number) => (((data[y * rowBytes + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) * 255;
    return { width, height, at };
  }
  const step = data.length >= width * height * 4 ? 4 : CHANNELS;
  return { width, height, at: (x, y, channel) => data[(y * width + x) * step + channel] ?? 255 };
}

/** `quarters`: how often the picture has to be turned clockwise. */
export function toPng(pixels: Pixels, quarters = 0): Uint8Array {
  const upright = rotatePixels(pixels, quarters);
  let png: Uint8Array = new Uint8Array();
  for (const side of SIDES) {
    png = encodePng(shrink(upright, side));
    if (png.length <= MAX_BYTES) break;
  }
  return png;
}

function rotatePixels({ width, height, at }: Pixels, quarters: number): Pixels {
  switch (((quarters % 4) + 4) % 4) {
    case 1:
      return { width: height, height: width, at: (x, y, channel) => at(y, height - 1 - x, channel) };
    case 2:
      return { width, height, at: (x, y, channel) => at(width - 1 - x, height - 1 - y, channel) };
    case 3:
      return { width: height, height: width, at: (x, y, channel) => at(width - 1 - y, x, channel) };
    default:
      return { width, height, at };
  }
}

type Shrunk = { width: number; height: number; data: Uint8Array };

/** Each pixel is the mean of those that it replaces. */
function shrink({ width: from, height: down, at }: Pixels, side: number): Shrunk {
  const scale = Math.max(1, Math.max(from, down) / side);
  const width = Math.max(1, Math.floor(from / scale));
  const height = Math.max(1, Math.floor(down / scale));
  const data = new Uint8Array(width * height * CHANNELS);
  for (let y = 0, to = 0; y < height; y++) {
    const [top, bottom] = rangeOf(y, scale, down);
    for (let x = 0; x < width; x++) {
      const [left, right] = rangeOf(x, scale, from);
      for (let channel = 0; channel < CHANNELS; channel++, to++) {
        let sum = 0;
        for (let dy = top; dy < bottom; dy++) for (let dx = left; dx < right; dx++) sum += at(dx, dy, channel);
        data[to] = sum / ((bottom - top) * (right - left));
      }
    }
  }
  return { width, height, data };
}

function rangeOf(at: number, scale: number, max: number): readonly [from: number, to: number] {
  const from = Math.floor(at * scale);
  return [from, Math.min(max, Math.max(from + 1, Math.floor((at + 1) * scale)))];
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Eight bits for each of red, green and blue. */
const FORMAT = [8, 2, 0, 0, 0];
/** The filter of a row: differences to the pixel on the left. */
const SUB = 1;

function encodePng({ width, height, data }: Shrunk): Uint8Array {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set(FORMAT, 8);
  const rowLength = width * CHANNELS;
  const rows = Buffer.alloc(height * (rowLength + 1));
  for (let y = 0; y < height; y++) {
    const row = y * (rowLength + 1);
    rows[row] = SUB;
    for (let x = 0; x < rowLength; x++) {
      const left = x < CHANNELS ? 0 : (data[y * rowLength + x - CHANNELS] ?? 0);
      rows[row + 1 + x] = ((data[y * rowLength + x] ?? 0) - left) & 255;
    }
  }
  const chunks = [chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat([SIGNATURE, ...chunks]));
}

function chunk(name: string, body: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(name, 'latin1'), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}
