import { expect, it } from 'vitest';
import { describeImage } from '../../../engines/documents/formats/image-header.ts';
import { sample } from './samples.ts';

it.each([
  ['conference-badge.pillow.png', 'image/png'],
  ['conference-badge.pillow.gif', 'image/gif'],
  ['conference-badge.pillow.webp', 'image/webp'],
  ['meter-reading.pillow.jpg', 'image/jpeg'],
  ['meter-reading.scan.webp', 'image/webp'],
  ['notice.scan.jpeg', 'image/jpeg'],
])('tells of %s what it is and how large, by its head alone', (file, mimeType) => {
  const bytes = sample(file).bytes();
  const described = describeImage(bytes.subarray(0, 1_000));
  expect(described).toMatchObject({ mimeType });
  expect(described).toEqual(describeImage(bytes));
  expect(described?.width).toBeGreaterThan(400);
  expect(described?.height).toBeGreaterThan(400);
});

it('tells the same size whatever the format', () => {
  const [png, gif, webp] = ['png', 'gif', 'webp'].map((type) =>
    describeImage(sample(`conference-badge.pillow.${type}`).bytes()),
  );
  for (const other of [gif, webp]) expect([other?.width, other?.height]).toEqual([png?.width, png?.height]);
});

it('returns nothing for a file that is not an image, or is cut off', () => {
  for (const bytes of ['', 'GIF', '\x89PNG', '\xff\xd8\xff\xe0\xff\xff', 'RIFF....WEBPVP8?', 'text']) {
    expect(describeImage(Buffer.from(bytes, 'latin1')), bytes).toBeUndefined();
  }
});
