/** The named rules hold what docs/guides/extraction.md says of them, in both halves of the labelled documents. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readerFilesFromCheckout } from '../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../engines/documents/documents.ts';
import { type Judged, judge, readLabelled, scoreOf } from '../golden/fields.ts';

const documents = openDocuments(readerFilesFromCheckout());
const set = readLabelled();
const judged: { isHeldOut: boolean; all: Judged[] }[] = [];

beforeAll(async () => {
  for (const { labels, isHeldOut, files } of set) {
    for (const { file, bytes } of files) {
      const { parts } = await documents.read({ bytes: bytes(), name: file }, { organization: 'tests' });
      judged.push({ isHeldOut, all: await judge(file, labels, parts) });
    }
  }
}, 120_000);
afterAll(() => documents.close());

const half = (isHeldOut: boolean) =>
  scoreOf(judged.filter((one) => one.isHeldOut === isHeldOut).flatMap(({ all }) => all));

it('has at least 30 documents with at least 300 labelled fields, each in a form that another program made', () => {
  expect(set.length).toBeGreaterThanOrEqual(30);
  expect(set.every(({ files }) => files.length > 0)).toBe(true);
  expect(set.flatMap(({ labels }) => Object.values(labels).flat()).length).toBeGreaterThanOrEqual(300);
});

it.each([
  ['development', false],
  ['held-out', true],
])('finds 90 %% or more of the %s half, 95 %% or more of that right, every citation there', (_name, isHeldOut) => {
  const { recall, precision, badCitations } = half(isHeldOut);
  expect(recall).toBeGreaterThanOrEqual(0.9);
  expect(precision).toBeGreaterThanOrEqual(0.95);
  expect(badCitations).toBe(0);
});
