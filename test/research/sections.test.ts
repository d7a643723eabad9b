/** Which sentence of a report stands in which section, and what a section says that has none. */
import { afterEach, expect, it } from 'vitest';
import { itemsOf, openResearch } from './opened.ts';

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

const SAID_ELSEWHERE = 'What was found about this stands in another section.';

it.each([
  ['one sentence that fits two sections', ['Rents in Vienna rose by 5 per cent because of a shortage of flats.']],
  [
    'a sentence for each section',
    ['Rents in Vienna rose by 5 per cent in 2026.', 'Tenants in Vienna warned that rents are a risk to families.'],
  ],
])('says of %s that it was found, wherever it stands', async (_what, sentences) => {
  const news = { items: itemsOf('news', [{ title: 'Rents in Vienna', text: sentences.join(' ') }]) };
  at = openResearch({ news });
  const { results } = await at.run({ query: 'How did rents in Vienna change?' });
  const empty = results.deliverables.slice(1, 4).filter(({ paragraphs }) => paragraphs.length === 0);
  expect(results.deliverables[0]?.paragraphs).not.toEqual([]);
  expect(empty.map(({ title }) => title)).toContain('Key findings');
  expect(empty.map(({ note }) => note)).toEqual(empty.map(() => SAID_ELSEWHERE));
});

it('says of nothing that it was found where nothing was', async () => {
  at = openResearch({ news: { items: itemsOf('news', [{ title: 'Bread', text: 'A bakery opens in Bristol.' }]) } });
  const { results } = await at.run({ query: 'How did rents in Vienna change?' });
  expect(results.findings).toEqual([]);
  expect(results.deliverables.slice(1, 4).map(({ note }) => note)).not.toContain(SAID_ELSEWHERE);
});
