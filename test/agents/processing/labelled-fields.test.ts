/** The named rules hold what docs/guides/extraction.md says of them, in both halves of the labelled documents. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import { proves } from '../../support/proves.ts';
import { type Judged, judge, readLabelled, scoreOf } from './labelled-fields.ts';

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

const half = (isHeldOut: boolean) => judged.filter((one) => one.isHeldOut === isHeldOut).flatMap(({ all }) => all);
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

it('has at least 30 documents with at least 300 labelled fields, each in a form that another program made', () => {
  expect(set.length).toBeGreaterThanOrEqual(30);
  expect(set.every(({ files }) => files.length > 0)).toBe(true);
  expect(set.flatMap(({ labels }) => Object.values(labels).flat()).length).toBeGreaterThanOrEqual(300);
});

it.for<[name: string, isHeldOut: boolean]>([
  ['development', false],
  ['held-out', true],
])(
  'finds 90 %% or more of the %s half, 95 %% or more of that right, every citation there',
  ([name, isHeldOut], { task }) => {
    const { labelled, found, recall, precision, badCitations } = scoreOf(half(isHeldOut));
    proves(
      task,
      `${name} half: ${percent(recall)} of ${labelled} found, ${percent(precision)} of ${found} right, ${badCitations} citations that point nowhere`,
    );
    expect(recall).toBeGreaterThanOrEqual(0.9);
    expect(precision).toBeGreaterThanOrEqual(0.95);
    expect(badCitations).toBe(0);
  },
);
