import { afterAll, beforeAll, expect, it } from 'vitest';
import { proves } from '../../support/proves.ts';
import { baselineWalk, mechanicalWalk, type Walk } from './mechanical.ts';
import { HOSTS } from './names.ts';
import { PAGES, paragraphsOf } from './pages.ts';
import { type PublicResult, scoreOf } from './score.ts';
import { type FrozenWeb, frozenWeb } from './serve.ts';
import { TOPICS, type Topic } from './topics.ts';

let web: FrozenWeb;
beforeAll(async () => {
  web = await frozenWeb();
});
afterAll(() => web.close());

const toResult = ({ id }: Topic, { read }: Walk): PublicResult => ({
  topic: id,
  sources: read.map(({ url }) => url),
  quotes: read.map(({ url, text }) => ({ url, quote: text.split(/(?<=\.)\s/)[1] ?? '' })),
});

it('has 60 hosts, at least 120 pages with addresses of their own, and 40 questions', () => {
  expect(new Set(HOSTS).size).toBe(60);
  expect(PAGES.length).toBeGreaterThanOrEqual(120);
  expect(new Set(PAGES.map(({ url }) => url)).size).toBe(PAGES.length);
  const kinds = TOPICS.map(({ kind }) => kind);
  const count = (kind: Topic['kind']) => kinds.filter((one) => one === kind).length;
  expect([count('one'), count('two'), count('contradicting'), count('unanswerable')]).toEqual([10, 15, 8, 7]);
});

it('shows no answer and no name of the second step to the search engine on the first page', () => {
  for (const { question, answers, bridge, pages } of TOPICS) {
    for (const page of pages.filter(({ carriesAnswer }) => carriesAnswer)) {
      expect(paragraphsOf(page).join(' ')).toMatch(new RegExp(answers.join('|')));
      expect(page.title + page.lead.slice(0, 200)).not.toMatch(new RegExp(answers.join('|')));
    }
    if (bridge === undefined) continue;
    expect(question).not.toContain(bridge);
    expect(`${pages[0]?.title} ${pages[0]?.lead}`).not.toContain(bridge);
    expect(pages[0]?.body).toContain(bridge);
  }
});

it('reads every page that is open as it was written, and says why the others are not', async () => {
  const ask = { organization: 'one', signal: new AbortController().signal, ownHosts: [] };
  const reasons = { robots: 'robots', consent: 'consent', busy: 'busy', paywall: 'paywall' } as const;
  for (const page of PAGES) {
    const opened = await web.openPage(page.url, ask);
    const reason = reasons[page.delivery as keyof typeof reasons];
    if (reason !== undefined) expect(opened, page.url).toMatchObject({ refused: reason });
    else {
      expect(opened, page.url).toMatchObject({ url: page.finalUrl });
      const text = 'refused' in opened ? '' : opened.text.replaceAll(/\s+/g, ' ');
      expect(text, page.url).toContain(page.body);
      if (page.hostile) expect(text, page.url).not.toContain(page.hostile);
    }
  }
});

it('differs for a loop and a single search, and leads a loop of names to the answers', async ({ task }) => {
  const walks = async (walk: (question: string) => Promise<Walk>) => {
    const results: PublicResult[] = [];
    for (const topic of TOPICS) results.push(toResult(topic, await walk(topic.question)));
    return scoreOf(results);
  };
  const single = await walks((question) => baselineWalk(web, question));
  const loop = await walks((question) => mechanicalWalk(web, question, { rounds: 2, pages: 6 }));
  const shown = ({ one, two, contradicting }: typeof loop) =>
    [one, two, contradicting].map(({ found, of }) => `${found} of ${of}`).join(', ');
  proves(
    task,
    `pages with the answer (one page, two steps, contradicting): names followed ${shown(loop)}; one search ${shown(single)}`,
  );
  expect(loop.one.found / loop.one.of).toBeGreaterThanOrEqual(0.9);
  expect(loop.two.found / loop.two.of).toBeGreaterThanOrEqual(0.8);
  expect(loop.two.found / loop.two.of - single.two.found / single.two.of).toBeGreaterThanOrEqual(0.3);
  expect([single.fabricatedCitations, loop.fabricatedCitations]).toEqual([0, 0]);
});

it('scores a quote that is not on its page, a page that does not exist, and a missing second source', () => {
  const [first] = PAGES;
  const quotes = [
    { url: first?.finalUrl ?? '', quote: `${first?.body} And more.` },
    { url: 'https://elsewhere.org/', quote: 'It' },
  ];
  const topic = 'contradicting-1';
  const carrying = PAGES.filter((page) => page.topic === topic && page.carriesAnswer).map(({ finalUrl }) => finalUrl);
  const result = { topic, quotes };
  const part = scoreOf([{ ...result, sources: carrying.slice(0, 1) }]);
  expect([part.fabricatedCitations, part.contradicting]).toEqual([2, { found: 0, of: 1 }]);
  expect(scoreOf([{ ...result, sources: carrying }]).contradicting).toEqual({ found: 1, of: 1 });
});
