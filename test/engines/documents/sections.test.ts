import { expect, it } from 'vitest';
import { DOCUMENT_LIMITS, startBudget } from '../../../engines/documents/document.ts';
import { readHtml } from '../../../engines/documents/formats/html.ts';
import { sectionsOf } from '../../../engines/documents/markdown.ts';

it('keeps the columns of a table with cells over several columns and rows', () => {
  const html = `<table><tr><th>Date</th><th>Item</th><th>Net</th><th>VAT</th></tr>
<tr><td rowspan="2">2 May</td><td>Train</td><td>80.00</td><td>8.00</td></tr><tr><td>Taxi</td><td>20.00</td><td>2.00</td></tr>
<tr><td colspan="2">Total</td><td>100.00</td><td>10.00</td></tr></table>`;
  const [part] = readHtml({ bytes: Buffer.from(html), budget: startBudget(DOCUMENT_LIMITS) });
  expect(part?.text.split('\n').slice(2)).toEqual([
    '| 2 May | Train | 80.00 | 8.00 |',
    '|  | Taxi | 20.00 | 2.00 |',
    '| Total |  | 100.00 | 10.00 |',
  ]);
});

it('numbers the paragraphs of a document without headings as a reader counts them', () => {
  const blocks = Array.from({ length: 7 }, (_, at) => ({ text: `Paragraph ${at + 1}. ${'x'.repeat(2_500)}` }));
  const parts = sectionsOf([...blocks, { text: 'y'.repeat(7_000) }]);
  expect(parts.map(({ label }) => label)).toEqual([
    'paragraphs 1-2',
    'paragraphs 3-4',
    'paragraphs 5-6',
    'paragraph 7',
    'paragraph 8',
  ]);
  for (const { label, text } of parts.slice(0, 4)) {
    const [first = 0, last = first] = (label.match(/\d+/g) ?? []).map(Number);
    expect([text.indexOf(`Paragraph ${first}.`), text.lastIndexOf('Paragraph ')]).toEqual([
      0,
      text.indexOf(`Paragraph ${last}.`),
    ]);
  }
});
