import { afterAll, describe, expect, it } from 'vitest';
import { samples } from './samples.ts';
import { openReader } from './setup.ts';
import { recallOf } from './words.ts';

const documents = openReader();

/** Pictures are read by OCR. */
const OCR = /\.(png|jpe?g|gif|webp)$|\.scan\.pdf$/;
const wantedOf = (file: string): number => (OCR.test(file) ? 0.9 : 0.98);

const shares = new Map<string, number[]>();
afterAll(() => {
  for (const [type, all] of [...shares].sort()) {
    const mean = all.reduce((sum, share) => sum + share, 0) / all.length;
    const figures = `lowest ${(Math.min(...all) * 100).toFixed(1)} %, mean ${(mean * 100).toFixed(1)} %`;
    console.log(`words kept in ${type.padEnd(5)} ${figures} of ${all.length}`);
  }
});

describe.each(samples)('$file', ({ file, type, bytes, words }) => {
  it('keeps the words of its source', { timeout: 30_000 }, async () => {
    const { share, missing } = recallOf(words(), await documents.text(bytes(), file));
    shares.set(type, [...(shares.get(type) ?? []), share]);
    expect(share, `missing: ${missing.slice(0, 20).join(' ')}`).toBeGreaterThanOrEqual(wantedOf(file));
  });
});

it('has at least three samples of every type that people attach', () => {
  const groups =
    'pdf doc docx txt rtf xls xlsx csv ppt pptx odt ods odp html md png jpg|jpeg gif webp json xml js|ts|py';
  for (const group of groups.split(' ')) {
    const types = group.split('|');
    expect(samples.filter(({ type }) => types.includes(type)).length, group).toBeGreaterThanOrEqual(3);
  }
});

it('has more than two dozen different texts', () => {
  expect(new Set(samples.map(({ source }) => source)).size).toBeGreaterThanOrEqual(24);
});

it('counts a word as kept only as often as it is there', () => {
  expect(recallOf('one two two three', 'Two, ONE')).toEqual({ share: 0.5, missing: ['two', 'three'] });
});
