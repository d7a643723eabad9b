/** What the product's own research agent, without a model, finds on the frozen web. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { proves } from '../proves.ts';
import { researchFrozen } from './research-frozen.ts';
import { type PublicResult, scoreOf } from './score.ts';
import { type FrozenWeb, frozenWeb } from './serve.ts';
import { TOPICS } from './topics.ts';

let web: FrozenWeb;
beforeAll(async () => {
  web = await frozenWeb();
});
afterAll(() => web.close());

it('cites the pages with the answer, also behind a name, contradicting ones together, and says what is not answered', async ({
  task,
}) => {
  const results: PublicResult[] = [];
  for (const topic of TOPICS) results.push(await researchFrozen(web, topic));
  const { one, two, contradicting, unanswerable, fabricatedCitations } = scoreOf(results);
  const answerable = new Set(TOPICS.filter(({ kind }) => kind !== 'unanswerable').map(({ id }) => id));
  const denied = results.filter(({ topic, saysUnanswered }) => answerable.has(topic) && saysUnanswered);
  const shown = [one, two, contradicting, unanswerable].map(({ found, of }) => `${found} of ${of}`).join(', ');
  proves(
    task,
    `the research agent without a model (one page, two steps, contradicting, unanswerable): ${shown}; ${fabricatedCitations} citations fabricated`,
  );
  expect(one.found).toBe(10);
  expect(two.found).toBeGreaterThanOrEqual(12);
  expect(contradicting.found).toBe(8);
  expect(unanswerable.found).toBe(7);
  expect(denied.map(({ topic }) => topic)).toEqual([]);
  expect(fabricatedCitations).toBe(0);
}, 120_000);
