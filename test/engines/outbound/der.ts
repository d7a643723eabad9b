/** The DER types that a certificate uses. */

function tagContents(tag: number, ...contents: Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  const { length } = body;
  if (length < 128) return Buffer.concat([Buffer.of(tag, length), body]);
  const head = length < 256 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), body]);
}

export const sequence = (...contents: Uint8Array[]): Buffer => tagContents(0x30, ...contents);
export const set = (...contents: Uint8Array[]): Buffer => tagContents(0x31, ...contents);
export const explicit = (n: number, content: Uint8Array): Buffer => tagContents(0xa0 + n, content);
export const implicit = (n: number, content: Uint8Array): Buffer => tagContents(0x80 + n, content);
export const utf8 = (text: string): Buffer => tagContents(0x0c, Buffer.from(text));
export const octets = (content: Uint8Array): Buffer => tagContents(0x04, content);
export const bits = (content: Uint8Array): Buffer => tagContents(0x03, Buffer.of(0), content);
export const yes = (): Buffer => tagContents(0x01, Buffer.of(0xff));

/** The first byte is kept below 0x80, so that the number is not negative. */
export const positive = (content: Uint8Array): Buffer => tagContents(0x02, Buffer.of(1), content);
export const small = (value: number): Buffer => tagContents(0x02, Buffer.of(value));

export const instant = (at: Date): Buffer =>
  tagContents(0x18, Buffer.from(`${at.toISOString().replace(/\D/g, '').slice(0, 14)}Z`));

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return tagContents(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const low = value & 0x7f;
  const high: number[] = [];
  for (let left = value >> 7; left > 0; left >>= 7) high.unshift((left & 0x7f) | 0x80);
  return [...high, low];
}
