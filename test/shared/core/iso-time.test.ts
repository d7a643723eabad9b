import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { toIsoTime } from '../../../shared/core/time.ts';

const MOST = 8_640_000_000_000_000;
const EDGES = ['1970-01-01', '2000-02-29', '2026-12-31T23:59:59.999Z', '0999-12-31T23:59:59.999Z', '1000-01-01']
  .concat('9999-12-31T23:59:59.999Z', '+010000-01-01T00:00:00.000Z', '-000001-06-05T04:03:02.001Z')
  .map((text) => Date.parse(text));

it("writes an instant as Node's own does, whenever it is", () => {
  const near = Array.from({ length: 2_000 }, () => randomInt(4_000_000_000) * 1_000 + randomInt(1_000));
  const far = Array.from({ length: 2_000 }, () => Math.floor((Math.random() - 0.5) * 2 * MOST));
  for (const at of [...EDGES, 0, -1, 0.5, MOST, -MOST, ...near, ...far]) {
    expect(toIsoTime(at)).toBe(new Date(at).toISOString());
  }
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, MOST + 1])('rejects %d, which is not an instant', (at) => {
  expect(() => toIsoTime(at)).toThrow(RangeError);
});
