/** What the research agent finds with a mechanical planner, and what each part of it is worth. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { proves } from '../../support/proves.ts';
import { baselineWalk } from './mechanical.ts';
import { mechanicalModel } from './mechanical-model.ts';
import { ABLATION_PAGES, PAGES } from './pages.ts';
import { type Means, researchFrozen } from './research-frozen.ts';
import { isFound, scoreOf } from './score.ts';
import { type FrozenWeb, frozenWeb } from './serve.ts';
import { ABLATION_TOPICS, type Kind, TOPICS } from './topics.ts';

let web: FrozenWeb;
let beside: FrozenWeb;
beforeAll(async () => {
  [web, beside] = [await frozenWeb(), await frozenWeb(ABLATION_PAGES)];
});
afterAll(async () => {
  await web.close();
  await beside.close();
});

const LONG = 180_000;
const MIN_COST = 0.05;

const mechanical = (): Means => ({ model: mechanicalModel().model });

it(
  'finds the pages with the answer by a mechanical planner, far more than one search does',
  async ({ task }) => {
    const results = [];
    const single = [];
    for (const topic of TOPICS) {
      results.push(await researchFrozen(web, topic, mechanical()));
      const { read } = await baselineWalk(web, topic.question);
      single.push({ topic: topic.id, sources: read.map(({ url }) => url), quotes: [] });
    }
    const { one, two, contradicting, fabricatedCitations } = scoreOf(results);
    const base = scoreOf(single);
    const shown = [one, two, contradicting].map(({ found, of }) => `${found} of ${of}`).join(', ');
    proves(
      task,
      `the research agent with a mechanical planner (one page, two steps, contradicting): ${shown}; one search of the question and ten pages: ${base.two.found} of ${base.two.of} of two steps; ${fabricatedCitations} citations fabricated`,
    );
    expect(one.found / one.of).toBeGreaterThanOrEqual(0.9);
    expect(two.found / two.of).toBeGreaterThanOrEqual(0.8);
    expect((two.found - base.two.found) / two.of).toBeGreaterThanOrEqual(0.3);
    expect(contradicting.found).toBe(contradicting.of);
    expect(fabricatedCitations).toBe(0);
  },
  LONG,
);

type Ablation = { kind: Kind; without: (web: FrozenWeb) => Means };

/** Each takes one thing away at the agent's ports. */
const ABLATIONS: Record<string, Ablation> = {
  'one round': {
    kind: 'two',
    without: ({ connector, openPage }) => {
      let isRead = false;
      return {
        ...mechanical(),
        connector: {
          ...connector,
          search: async (query, signal) => (isRead ? { hits: [], notes: [] } : connector.search(query, signal)),
        },
        openPage: async (url, ask) => {
          isRead = true;
          return openPage(url, ask);
        },
      };
    },
  },
  'no page opened': {
    kind: 'one',
    without: () => ({
      ...mechanical(),
      openPage: async () => ({ refused: 'gone', explanation: 'no longer exists' }),
    }),
  },
  'the first 16,000 characters': {
    kind: 'long',
    without: ({ openPage }) => ({
      ...mechanical(),
      openPage: async (url, ask) => {
        const page = await openPage(url, ask);
        return 'refused' in page ? page : { ...page, text: page.text.slice(0, 16_000) };
      },
    }),
  },
  'no ranking': { kind: 'crowded', without: () => ({ model: mechanicalModel({ isRanking: false }).model }) },
};

for (const [name, { kind, without }] of Object.entries(ABLATIONS)) {
  it(
    `finds fewer answers with ${name}`,
    async ({ task }) => {
      const isOwn = ABLATION_TOPICS.some((topic) => topic.kind === kind);
      const [topics, pages, on] = isOwn ? [ABLATION_TOPICS, ABLATION_PAGES, beside] : [TOPICS, PAGES, web];
      const asked = topics.filter((topic) => topic.kind === kind);
      const share = async (means: () => Means) => {
        let found = 0;
        for (const topic of asked) {
          const { sources, quotes } = await researchFrozen(on, topic, means());
          const says = quotes.some(({ quote }) => topic.answers.some((answer) => quote.includes(answer)));
          if (says && isFound(topic.id, sources, pages)) found++;
        }
        return found / asked.length;
      };
      const [whole, less] = [await share(mechanical), await share(() => without(on))];
      const percent = (share: number) => `${Math.round(100 * share)} %`;
      proves(
        task,
        `answers of ${asked.length} questions found whole and with ${name}: ${percent(whole)}, ${percent(less)}`,
      );
      expect(whole - less).toBeGreaterThanOrEqual(MIN_COST);
    },
    LONG,
  );
}
