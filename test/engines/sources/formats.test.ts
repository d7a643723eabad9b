/** The public sources with answers written by hand in the documented formats. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DOCUMENT_LIMITS } from '../../../engines/documents/document.ts';
import { readEntries } from '../../../engines/documents/read-document.ts';
import { publicSources } from '../../../scripts/bundle/sources.ts';

const SOURCES = publicSources();
const example = (name: string) => readFileSync(join(import.meta.dirname, 'formats', name));
const setting = { limits: DOCUMENT_LIMITS, assets: { ocrProgram: '', ocrLanguage: '', sqlite: '' } };

/** The connector whose URL contains this text, and its example. */
const READ: [address: string, file: string, first: object][] = [
  [
    'bbci.co.uk',
    'rss-2.xml',
    { address: 'https://news.example/1', text: expect.stringContaining('by four per cent.') },
  ],
  ['federalreserve.gov', 'rss-2.xml', { publishedAt: '2026-11-20T07:41:12.000Z' }],
  ['rss.dw.com', 'rss-1.xml', { address: 'https://news.example/2', publishedAt: '2026-11-19T17:20:00.000Z' }],
  [
    'action=getcurrent',
    'edgar-current.xml',
    { title: '10-K - HARBOUR DUES INC (0000000001) (Filer)', publishedAt: '2026-11-20T13:58:00.000Z' },
  ],
  [
    'efts.sec.gov',
    'edgar-search.json',
    {
      title: 'Harbour Dues Inc (DUES) (CIK 0000000001): 10-K of 2026-11-20',
      address: 'https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=0000000001&type=10-K',
      publishedAt: '2026-11-20T00:00:00.000Z',
    },
  ],
  [
    'data-api.ecb.europa.eu',
    'ecb-exchange-rates.csv',
    {
      title: 'CHF per euro, 2026-10',
      figures: [{ label: 'CHF per euro', value: 0.9498 }],
      publishedAt: '2026-10-01T00:00:00.000Z',
    },
  ],
  [
    'api.worldbank.org',
    'world-bank.json',
    {
      title: 'GDP growth (annual %): World, 2025',
      figures: [{ label: 'GDP growth (annual %): World', value: 2.71 }],
      publishedAt: '2025-01-01T00:00:00.000Z',
    },
  ],
  [
    'fiscaldata.treasury.gov',
    'fiscal-data.json',
    { figures: [{ label: 'Treasury Bills', value: 3.912, unit: '%' }], publishedAt: '2026-10-31T00:00:00.000Z' },
  ],
  [
    'gdeltproject.org',
    'gdelt.json',
    { address: 'https://paper.example/harbour-dues', publishedAt: '2026-11-19T17:15:00.000Z' },
  ],
];

it.each(READ)('reads %s as %s', async (address, file, first) => {
  const connectors = Object.values(SOURCES).flatMap((source) => source.connectors);
  const of = connectors.find((one) => one.address.some((text) => text.includes(address)));
  if (!of || of.kind === 'documents') throw new Error(`No source asks ${address}.`);
  const shape = { of, base: of.address[0] ?? '', about: [], max: 10 };
  const { entries, unfit } = await readEntries({ bytes: example(file), name: '', shape }, setting);
  expect(unfit).toBeUndefined();
  expect(entries[0]).toMatchObject(first);
});

it('has an example for every connector of the public sources', () => {
  const shown = new Set(READ.map(([address]) => address));
  const unseen = Object.values(SOURCES)
    .flatMap((source) => source.connectors)
    .filter(({ address }) => !address.some((text) => [...shown].some((part) => text.includes(part))));
  expect(unseen).toEqual([]);
});

it('names for each public source when its format was last checked, in its file and in the guide', () => {
  const root = join(import.meta.dirname, '../../..');
  const guide = readFileSync(join(root, 'docs/guides/sources.md'), 'utf8');
  for (const name of Object.keys(SOURCES)) {
    const [first = ''] = readFileSync(join(root, `assets/sources/${name}.yaml`), 'utf8').split('\n');
    const [date = 'no date'] = /\d{4}-\d{2}-\d{2}/.exec(first) ?? [];
    expect(guide).toMatch(new RegExp(`\\| \`${name}\` +\\| ${date} `));
  }
});
