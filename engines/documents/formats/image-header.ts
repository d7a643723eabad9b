/**
 * Reads an image's type and size from its header: for models that accept images, and to reject images too large for
 * memory.
 */

export type ImageDescription = {
  mimeType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  width: number;
  height: number;
};

/** Returns undefined if the bytes are not an image of these four types, or are truncated. */
export function describeImage(data: Uint8Array): ImageDescription | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const begins = (text: string, at = 0) => bytes.toString('latin1', at, at + text.length) === text;
  if (begins('\x89PNG') && bytes.length >= 24) {
    return { mimeType: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (begins('GIF8') && bytes.length >= 10) {
    return { mimeType: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (begins('\xff\xd8\xff')) return jpeg(bytes);
  return begins('RIFF') && begins('WEBP', 8) && bytes.length >= 30 ? webp(bytes) : undefined;
}

/** Skips segments up to the frame header. */
function jpeg(bytes: Buffer): ImageDescription | undefined {
  let at = 2;
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    // C4, C8 and CC are tables, although their codes are in the range of frame headers.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { mimeType: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webp(bytes: Buffer): ImageDescription | undefined {
  const mimeType = 'image/webp';
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { mimeType, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { mimeType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { mimeType, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}
