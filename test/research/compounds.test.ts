/** German compounds: a word that ends in a word of the question is about it, in a German question alone. */
import { afterEach, expect, it } from 'vitest';
import { itemsOf, openResearch } from './setup.ts';

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

async function found(query: string, text: string) {
  at = openResearch({ news: { items: itemsOf('news', [{ title: 'Bericht', text }]) } });
  const { results, report } = await at.run({ query, sources: ['news'] });
  return { texts: results.findings.map((one) => one.text), completeness: report.confidence?.analysisCompleteness };
}

it.each([
  ['Wie hoch ist die Miete in Graz?', 'Die Nettomiete in Graz liegt bei 990 EUR im Monat.'],
  [
    'Wie hat sich der Strompreis in Graz entwickelt?',
    'Der Haushaltsstrompreis in Graz stieg im Jahr 2025 um 4 Prozent.',
  ],
  ['Wie hoch sind die Gebühren in Graz?', 'In Graz betragen die Hafengebühren seit Januar 14 EUR je Tonne.'],
])('answers %s by a compound', async (query, text) => {
  expect(await found(query, text)).toEqual({ texts: [text], completeness: 1 });
});

it.each([
  ['What is the rent in Graz?', 'The current parent company in Graz sold its torrent of paper.'],
  ['Wie hoch ist die Miete in Graz?', 'Der Gemeinderat von Graz tagt am Montag im alten Rathaus.'],
])('takes no other word for one of %s', async (query, text) => {
  const { completeness } = await found(query, text);
  expect(completeness).toBeLessThan(1);
});
