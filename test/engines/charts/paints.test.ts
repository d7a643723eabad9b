import { describe, expect, it } from 'vitest';
import { DARK, LIGHT } from '../../../engines/charts/drawing.ts';
import { contrastOf } from '../../support/browser/contrast.ts';

describe.each([
  ['by day', LIGHT],
  ['by night', DARK],
])('the colours of charts %s', (_, { series, paper, ink, soft, axis }) => {
  it('stand out from the paper: words at 4.5 to 1, shapes at 3 to 1', () => {
    for (const words of [ink, soft]) expect(contrastOf(words, paper)).toBeGreaterThan(4.5);
    for (const shape of [...series, axis]) expect(contrastOf(shape, paper)).toBeGreaterThan(3);
  });

  it.each(Object.entries(EYES))('are distinguishable by eyes %s', (_name, eyes) => {
    const seen = series.map((colour) => labOf(eyes(linearOf(colour))));
    for (const [at, one] of seen.entries()) {
      for (const other of seen.slice(at + 1)) expect(distance(one, other)).toBeGreaterThan(20);
    }
  });
});

type Three = [number, number, number];

const times =
  (rows: [Three, Three, Three]) =>
  (colour: Three): Three =>
    rows.map((row) => row.reduce((sum, part, at) => sum + part * (colour[at] ?? 0), 0)) as Three;

/** Machado, Oliveira and Fernandes (2009), at full strength, over linear light. */
const EYES: Record<string, (colour: Three) => Three> = {
  'of most people': (colour) => colour,
  'without red': times([
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ]),
  'without green': times([
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ]),
  'without blue': times([
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ]),
};

const linearOf = (colour: string): Three =>
  [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Three;

const toXyz = times([
  [0.4124, 0.3576, 0.1805],
  [0.2126, 0.7152, 0.0722],
  [0.0193, 0.1192, 0.9505],
]);

/** CIE L*a*b* under daylight, in which distances approximate perceived differences. */
function labOf(colour: Three): Three {
  const [x, y, z] = toXyz(colour).map((part, at) => {
    const share = Math.max(part, 0) / ([0.95047, 1, 1.08883][at] ?? 1);
    return share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116;
  }) as Three;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const distance = (one: Three, other: Three): number => Math.hypot(...one.map((part, at) => part - (other[at] ?? 0)));
