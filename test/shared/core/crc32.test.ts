import { crc32 as nodes } from 'node:zlib';
import { expect, it } from 'vitest';
import { crc32 } from '../../../shared/core/crc32.ts';

it.each(['', 'a', 'errand_EPj5a86cT4I', 'ü€𝄞', 'x'.repeat(1_000)])("gives of %.20j what Node's own gives", (text) => {
  expect(crc32(text)).toBe(nodes(text));
});
