import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashOfKey, keyIdIn, makeKeyText } from '../../../shared/accounts/api-key-text.ts';
import { base62 } from '../../../shared/core/base62.ts';
import { ids } from '../../../shared/core/ids.ts';
import { logger } from '../../../shared/core/log.ts';
import { setClock } from '../../ports/clock.ts';

const idSource = ids(setClock());

it('contains the product, the id, at least 190 bits of secret and a checksum', () => {
  const { id, text } = makeKeyText(idSource);
  expect(text).toMatch(new RegExp(`^errand_${id}_[0-9A-Za-z]{39}$`));
  expect(33 * Math.log2(62)).toBeGreaterThan(190);
  expect(keyIdIn(text)).toBe(id);
});

it('always has the same length, and is unique', () => {
  const texts = Array.from({ length: 2_000 }, () => makeKeyText(idSource).text);
  expect(new Set(texts.map((text) => text.length)).size).toBe(1);
  expect(new Set(texts).size).toBe(texts.length);
  expect(new Set(texts.map((text) => text.slice(7, 18))).size).toBe(texts.length);
});

it('has the same length even if the random bits are all zero or all one', () => {
  for (const bytes of [4, 8, 24]) {
    expect(base62(new Uint8Array(bytes))).toHaveLength(base62(new Uint8Array(bytes).fill(255)).length);
  }
});

const { text } = makeKeyText(idSource);

it('differs from the same text with one character mistyped, left out, doubled or exchanged', () => {
  for (let at = 0; at < text.length; at++) {
    const [before, sign, after] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)];
    const swapped = before + after.charAt(0) + sign + after.slice(1);
    const typos = ['0', 'Z', 'a', '_', ' ']
      .filter((character) => character !== sign)
      .map((other) => before + other + after);
    for (const typo of [
      ...typos,
      before + after,
      before + sign + sign + after,
      ...(swapped === text ? [] : [swapped]),
    ]) {
      expect(keyIdIn(typo), typo).toBeUndefined();
    }
  }
});

it('differs from any other text, of any length', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (candidate) => keyIdIn(candidate) === undefined));
  for (const candidate of ['', 'errand_', `${text}\n`, ` ${text}`, text.repeat(2), 'errand_'.repeat(200_000)]) {
    expect(keyIdIn(candidate)).toBeUndefined();
  }
});

it('is kept as a hash of the whole, and hidden by the log', () => {
  expect(hashOfKey(text)).toMatch(/^[\w-]{43}$/);
  const lines: string[] = [];
  logger({ clock: setClock(), write: (line) => lines.push(line), minLevel: 'info' }).info(`with ${text}.`, { text });
  expect(lines[0]).not.toContain(text.slice(7, 30));
});
