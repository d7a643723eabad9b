/** CRC-32 of a short text. Node's own lies in `node:zlib`, which costs a starting function 8 ms. */

const POLYNOMIAL = 0xedb88320;
const BITS = 8;
const BYTES = 256;

const TABLE = Uint32Array.from({ length: BYTES }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < BITS; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  return crc;
});

export function crc32(text: string): number {
  let crc = ~0;
  for (const byte of Buffer.from(text)) crc = (crc >>> BITS) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}
