/** Bytes as letters and digits only: a double click selects the whole text, and it never needs quoting. */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The length depends only on the number of bytes. */
export function base62(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (let left = Math.ceil((bytes.byteLength * 8) / Math.log2(62)); left > 0; left--) {
    text = DIGITS.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

/** The base-62 text of a whole number, fast enough for every request. */
export function base62Of(number: number, length: number): string {
  let rest = number;
  let text = '';
  for (let left = length; left > 0; left--) {
    text = DIGITS.charAt(rest % DIGITS.length) + text;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text;
}
