import { expect, it } from 'vitest';
import { sectionsOf } from '../../engines/documents/markdown.ts';

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
