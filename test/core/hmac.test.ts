import { createHmac, createSecretKey, randomBytes, randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { hmac } from '../../shared/core/crypto.ts';

const ENCODINGS = ['hex', 'base64', 'base64url'] as const;
const UNITS = ['a', '"', 'ü', '€', '𝄞', '\ud800', '\udc00', '\0'];

const randomText = (length: number): string => Array.from({ length }, () => UNITS[randomInt(UNITS.length)]).join('');

function expectSame(bytes: Buffer, text: string): void {
  const key = createSecretKey(bytes);
  for (const encoding of ENCODINGS) {
    const nodes = createHmac('sha256', bytes).update(text).digest(encoding);
    expect(hmac(key, text, encoding)).toBe(nodes);
    expect(hmac(key, text, encoding)).toBe(nodes); // what is kept of the key is as it was
  }
}

/** Around what fills a block of the hash, and what is kept for short texts. */
const KEY_BYTES = [1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1_000];
const LENGTHS = [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 128, 1_343, 1_344, 1_345, 4_031, 4_032, 4_033, 100_000];

it.each(KEY_BYTES)("signs as Node's own does, with a key of %i bytes and texts of any length", (bytes) => {
  for (const length of LENGTHS) {
    const key = randomBytes(bytes);
    expectSame(key, 'x'.repeat(length));
    expectSame(key, randomText(length));
  }
});

it("signs as Node's own does, whatever key and text", () => {
  for (let round = 0; round < 500; round++) expectSame(randomBytes(randomInt(1, 200)), randomText(randomInt(300)));
});

it('keeps the keys apart, also when they are used in turns', () => {
  const keys = [randomBytes(32), randomBytes(32)].map((bytes) => ({ bytes, key: createSecretKey(bytes) }));
  for (let round = 0; round < 10; round++) {
    for (const { bytes, key } of keys) {
      const text = randomText(round);
      expect(hmac(key, text, 'hex')).toBe(createHmac('sha256', bytes).update(text).digest('hex'));
    }
  }
});
