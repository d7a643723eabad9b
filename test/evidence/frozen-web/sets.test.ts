/** Questions and pages of another set: `npm run prove:research -- --sets DIR` reads them from DIR/topics.json. */
import { expect, it } from 'vitest';
import { proves } from '../../support/proves.ts';
import { setOf } from '../promises/sets.ts';
import { mechanicalModel } from './mechanical-model.ts';
import { pagesOf } from './pages.ts';
import { researchFrozen } from './research-frozen.ts';
import { scoreOf } from './score.ts';
import { frozenWeb } from './serve.ts';
import type { Topic } from './topics.ts';

const topics = setOf<Topic[]>('topics.json');

it.runIf(topics)(
  'answers the questions of another set without a fabricated citation',
  async ({ task }) => {
    const [asked, pages] = [topics ?? [], pagesOf(topics ?? [])];
    const web = await frozenWeb(pages);
    const scored = async (model?: ReturnType<typeof mechanicalModel>['model']) => {
      const results = [];
      for (const topic of asked) results.push(await researchFrozen(web, topic, model ? { model } : {}));
      return scoreOf(results, asked, pages);
    };
    const scores = {
      'without a model': await scored(),
      'with a mechanical planner': await scored(mechanicalModel().model),
    };
    await web.close();
    const shown = Object.entries(scores).map(([means, { one, two, contradicting, fabricatedCitations }]) => {
      const found = [one, two, contradicting].map((share) => `${share.found} of ${share.of}`).join(', ');
      return `${means} ${found}, ${fabricatedCitations} citations fabricated`;
    });
    proves(task, `${asked.length} other questions (one page, two steps, contradicting): ${shown.join('; ')}`);
    expect(Object.values(scores).map(({ fabricatedCitations }) => fabricatedCitations)).toEqual([0, 0]);
  },
  1_800_000,
);
