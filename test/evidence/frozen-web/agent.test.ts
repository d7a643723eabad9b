/** What the product's own research agent, without a model, quotes of the frozen web. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { proves } from '../../support/proves.ts';
import { researchFrozen } from './research-frozen.ts';
import { type PublicResult, scoreOf } from './score.ts';
import { type FrozenWeb, frozenWeb } from './serve.ts';
import { TOPICS } from './topics.ts';

let web: FrozenWeb;
beforeAll(async () => {
  web = await frozenWeb();
});
afterAll(() => web.close());

it('invents no citation, and cites the pages that one search finds: with the answer, and contradicting ones together', async ({
  task,
}) => {
  const results: PublicResult[] = [];
  for (const topic of TOPICS) results.push(await researchFrozen(web, topic));
  const { one, two, contradicting, fabricatedCitations } = scoreOf(results);
  const shown = [one, two, contradicting].map(({ found, of }) => `${found} of ${of}`).join(', ');
  const quotes = results.flatMap((result) => result.quotes).length;
  proves(
    task,
    `the research agent without a model (one page, two steps, contradicting): ${shown}; ${fabricatedCitations} of ${quotes} citations fabricated`,
  );
  expect(one.found).toBe(10);
  expect(contradicting.found).toBe(8);
  expect(quotes).toBeGreaterThan(TOPICS.length);
  expect(fabricatedCitations).toBe(0);
}, 120_000);
