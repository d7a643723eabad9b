/** Bytes as letters and digits only: a double click selects the whole text, and it never needs quoting. */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The length depends only on the number of bytes. */
export function base62(bytes: Uint8Array): string {
  let remainder = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (let digitsLeft = Math.ceil((bytes.byteLength * 8) / Math.log2(62)); digitsLeft > 0; digitsLeft--) {
    text = DIGITS.charAt(Number(remainder % 62n)) + text;
    remainder /= 62n;
  }
  return text;
}

/** The base-62 text of a whole number, fast enough for every request. */
export function base62Of(number: number, length: number): string {
  let remainder = number;
  let text = '';
  for (let digitsLeft = length; digitsLeft > 0; digitsLeft--) {
    text = DIGITS.charAt(remainder % DIGITS.length) + text;
    remainder = Math.floor(remainder / DIGITS.length);
  }
  return text;
}
