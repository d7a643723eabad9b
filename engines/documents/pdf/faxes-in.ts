/**
 * Finds the pictures of a PDF that are packed as faxes, which pdf.js leaves packed. A picture never lies inside another
 * object, so its head stands in the file as it is. In an encrypted file it does not, and there are none.
 */
import type { Fax } from './unpack-fax.ts';

const HEAD_BYTES = 2_000;
const MAX_FAXES = 5_000;

/** In the order of the file. Only group 4, which scanners write; groups of faxes proper stay unread. */
export function faxesIn(bytes: Buffer): Fax[] {
  const faxes: Fax[] = [];
  if (bytes.includes('/Encrypt')) return faxes;
  for (let at = bytes.indexOf('/CCITTFaxDecode'); at >= 0 && faxes.length < MAX_FAXES; ) {
    const begins = bytes.indexOf('stream', at);
    if (begins < 0) break;
    const fax = faxAt(bytes, at, begins);
    if (fax) faxes.push(fax);
    at = bytes.indexOf('/CCITTFaxDecode', begins);
  }
  return faxes;
}

function faxAt(bytes: Buffer, at: number, begins: number): Fax | undefined {
  const before = bytes.toString('latin1', Math.max(0, at - HEAD_BYTES), Math.min(begins, at + HEAD_BYTES));
  const head = before.slice(before.lastIndexOf(' obj', Math.min(at, HEAD_BYTES)) + 1);
  const numberOf = (name: string) => Number(new RegExp(`/${name}\\s+(-?\\d+)(?!\\s+\\d+\\s+R)`).exec(head)?.[1]);
  const is = (name: string) => new RegExp(`/${name}\\s+true`).test(head);
  const [width, height] = [numberOf('Width'), numberOf('Height')];
  const columns = numberOf('Columns');
  const isAlone = !/\/(Flate|LZW|ASCII85|ASCIIHex|RunLength)Decode/.test(head);
  if (!isAlone || !(numberOf('K') < 0) || !(width > 0) || !(height > 0) || columns !== width) return undefined;
  const from = begins + 'stream'.length + (bytes[begins + 6] === 13 ? 2 : 1);
  const length = numberOf('Length');
  const end = length > 0 ? from + length : bytes.indexOf('endstream', from);
  const isInverted = /\/Decode\s*\[\s*1(\.0)?\s+0/.test(head);
  return {
    bytes: bytes.subarray(from, end < 0 ? bytes.length : end),
    width,
    height,
    whiteIsSet: is('BlackIs1') === isInverted,
    isAligned: is('EncodedByteAlign'),
  };
}
