/** The examples of docs/guides/sources.md are used unchanged. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { sourceSchema } from '../../../shared/sources/source-schema.ts';
import { read } from './setup.ts';

const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/sources.md'), 'utf8');
const examples = [...guide.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text = '']) => parse(text));

it('has an example of every kind, and each is taken', () => {
  const sources = examples.map((given) => v.parse(sourceSchema, given));
  const kinds = sources.flatMap(({ connectors }) => connectors.map(({ kind }) => kind));
  expect(kinds).toEqual(['feed', 'json', 'csv', 'page', 'documents']);
  expect(sources.flatMap(({ entries }) => entries.map(({ title }) => title))).toEqual(['Tariff talks in Gdynia']);
});

it('reads by the example what the publisher of exchange rates documents', async () => {
  const { connectors } = examples[1];
  const answer = { base: 'EUR', start_date: '2026-01-02', rates: { '2026-01-02': { USD: 1.081, GBP: 0.87 } } };
  expect((await read(connectors[0], JSON.stringify(answer))).entries).toEqual([
    expect.objectContaining({
      title: 'Euro reference rates of 2026-01-02',
      text: 'One euro was 1.081 dollars and 0.87 pounds.',
      figures: [
        { label: 'US dollars per euro', value: 1.081 },
        { label: 'Pounds per euro', value: 0.87 },
      ],
    }),
  ]);
});
