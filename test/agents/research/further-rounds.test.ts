/** Further rounds of a research with a model that names its sources or reads files: what is asked again, and what was left is read. */
import { afterEach, expect, it } from 'vitest';
import { mechanicalModel, type Role } from '../../evidence/frozen-web/mechanical-model.ts';
import { storeText } from '../../shared/files/setup.ts';
import { itemsOf, type NewItem, openResearch } from './setup.ts';

const QUERY = 'How did port fees in Eastmere change, and what do carriers pay for fuel?';
const PARTS = ['How did port fees in Eastmere change?', 'What do carriers pay for fuel?'];

type Shown = { item: number; title: string };
type Wished = { sub_questions: { sub_question: number }[]; last_round?: object; most_queries?: number };

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

/** The model notes the first sub-question alone; `queries` are what it asks in each further round. */
function open(
  sources: Parameters<typeof openResearch>[0],
  { queries = [] as string[][], score = (_: Shown, __: number[]): number => 1, files = {} } = {},
) {
  const ranked: { parts: number[]; titles: string[] }[] = [];
  const led: Wished[] = [];
  const roles: Role[] = [
    [/^You plan a research/, () => ({ sub_questions: PARTS, queries: ['port fees Eastmere'] })],
    [
      /^You choose what is read/,
      (wished, material) => {
        const parts = (wished as Wished).sub_questions.map(({ sub_question: part }) => part);
        const items = material as Shown[];
        ranked.push({ parts, titles: items.map(({ title }) => title) });
        return { items: items.map((one) => ({ item: one.item, score: score(one, parts), sub_questions: parts })) };
      },
    ],
    [
      /^You lead a research/,
      (wished) => {
        led.push(wished as Wished);
        return { covered: [1], queries: queries[led.length - 1] ?? [] };
      },
    ],
  ];
  at = openResearch(sources, mechanicalModel({ roles }).model, {}, files);
  const run = (more: object = {}) =>
    at.run({ query: QUERY, depth: 'overview', deliverables: ['key_findings'], ...more });
  return { ranked, led, run };
}

const NAMES = ['Alder', 'Birch', 'Cedar', 'Damson', 'Elm', 'Fir', 'Gorse', 'Hazel', 'Ivy', 'Juniper', 'Kapok', 'Larch'];
/** Different stories, as their numbers differ. */
const plants = (about: string): NewItem[] =>
  NAMES.map((name, nth) => ({
    title: `${name} ${about}`,
    text: `${name} tells of ${about} in Eastmere in ${7 * nth + 113} lines.`,
  }));
const FUEL = { title: 'Bunker', text: 'Bunker oil costs carriers 640 dollars a tonne.' };

it('ranks what was left of named sources anew for the sub-questions that are open, and asks no source again', async () => {
  const items = itemsOf('news', [...plants('port fees'), FUEL]);
  // At first sight, the item about fuel is worth less than the others.
  const { ranked, led, run } = open(
    { news: { items } },
    { score: ({ title }, parts) => (parts.includes(1) ? (title === 'Bunker' ? 1 : 2) : title === 'Bunker' ? 3 : 0) },
  );
  const { results, report } = await run();
  expect(ranked.map(({ parts }) => parts)).toEqual([[1, 2], [2]]);
  expect(ranked[1]?.titles).toHaveLength(7);
  expect(results.documents.map(({ title }) => title).slice(6)).toEqual(['Bunker']);
  expect(results.left_out).toMatchObject({ irrelevant: 6, beyond_depth: 0 });
  expect(at.asked).toHaveLength(1);
  expect(led).toMatchObject([{ most_queries: 0, last_round: { documents: 6, notes: 6 } }]);
  expect(report.effort).toMatchObject({ rounds: 2, ended_by: 'rounds' });
});

it('never puts an item to the model again that it does not want', async () => {
  const items = itemsOf('news', plants('port fees'));
  const { ranked, run } = open({ news: { items } }, { score: ({ title }) => (title.startsWith('Alder') ? 0 : 1) });
  const { results } = await run({ depth: 'standard', analysis_depth: 'basic' });
  expect(ranked).toEqual([]);
  expect(results.documents).toHaveLength(12);
  at.close();
  const again = open({ news: { items } }, { score: ({ title }) => (title.startsWith('Alder') ? 0 : 1) });
  const { results: fewer } = await again.run();
  expect(again.ranked.flatMap(({ titles }) => titles.filter((title) => title.startsWith('Alder')))).toHaveLength(1);
  expect(fewer.documents.map(({ title }) => title)).not.toContain('Alder port fees');
  expect(fewer.documents).toHaveLength(11);
});

it('asks the sources that take queries for the new ones alone, and reads what they have beside', async () => {
  const fees = itemsOf('archive', [{ title: 'Port fees', text: 'Port fees in Eastmere rose by 4 per cent.' }]);
  const fuel = itemsOf('archive', [FUEL]).map((item) => ({ ...item, address: `${item.address}/fuel` }));
  const { led, run } = open(
    {
      archive: async (_, source, { queries }) => {
        const items = queries.includes('bunker prices') ? [...fees, ...fuel] : fees;
        return { source, items, faults: [], queries: queries.length, isSample: false, takesQueries: true };
      },
      news: { items: itemsOf('news', [{ title: 'Weather', text: 'It rains in Eastmere on 41 days a year.' }]) },
    },
    { queries: [['bunker prices', 'port fees Eastmere']] },
  );
  const { results, report } = await run();
  expect(at.asked.map(({ source, queries, isFurther }) => [source, queries, isFurther ?? false])).toEqual([
    ['archive', ['port fees Eastmere'], false],
    ['news', ['port fees Eastmere'], false],
    ['archive', ['bunker prices'], true],
  ]);
  expect(results.plan?.queries).toEqual(['port fees Eastmere', 'bunker prices']);
  expect(results.documents.map(({ title }) => title)).toEqual(['Port fees', 'Weather', 'Bunker']);
  expect(results.sources[0]).toMatchObject({ source: 'archive', status: 'read', items: 2, queries: 2 });
  expect(led[0]).toMatchObject({ most_queries: 2 });
  expect(report.effort).toMatchObject({ rounds: 2 });
});

it('reads the parts of a file that were left in a further round, with their text from the stored reading', async () => {
  const files: NonNullable<Parameters<typeof openResearch>[3]> = {};
  const { run } = open(
    {},
    { files, score: ({ title }, parts) => (title.includes('page 9') && parts.includes(1) ? 1 : 2) },
  );
  const fileId = await storeText(at, at.address.organization, { fileName: 'report.txt', text: 'Report' });
  const filler = (nth: number) => `Paragraph ${nth} tells of port fees on day ${nth * 31}. `.repeat(500);
  files[fileId] = {
    kind: 'text',
    parts: NAMES.map((_, nth) => ({
      label: `page ${nth + 1}`,
      text: nth === 8 ? `${filler(nth)}\n\nCarriers pay 640 dollars a tonne for fuel.` : filler(nth),
    })),
  };
  const { results } = await run({ sources: [], file_ids: [fileId] });
  const titles = results.documents.map(({ title }) => title);
  expect(titles.slice(0, 6)).not.toContain('report.txt, page 9');
  expect(titles.slice(6)).toContain('report.txt, page 9');
  const late = results.documents.find(({ title }) => title === 'report.txt, page 9');
  expect(results.findings.flatMap(({ citations }) => citations.map(({ document }) => document))).toContain(
    late?.document,
  );
});

it('ends without a further call where nothing can be searched and nothing is left', async () => {
  const { led, run } = open({ news: { items: itemsOf('news', [FUEL]) } });
  const { report } = await run();
  expect(led).toEqual([]);
  expect(report.effort).toMatchObject({ rounds: 1, ended_by: 'no_search' });
});

it('ends with nothing new where the model wants nothing of what is left', async () => {
  const items = itemsOf('news', [...plants('port fees'), FUEL]);
  const { run } = open({ news: { items } }, { score: (_, parts) => (parts.includes(1) ? 1 : 0) });
  const { results, report } = await run();
  expect(results.documents).toHaveLength(6);
  expect(report.effort).toMatchObject({ rounds: 1, ended_by: 'nothing_new' });
});

it('ends as covered where the first reading of named sources answers everything', async () => {
  const { model } = mechanicalModel();
  at = openResearch({ news: { items: itemsOf('news', [FUEL]) } }, model);
  const { report } = await at.run({ query: 'What do carriers pay for bunker oil?', deliverables: ['key_findings'] });
  expect(report.effort).toMatchObject({ rounds: 1, ended_by: 'covered' });
});

it('reads no page that the model did not want, however often a search finds it', async () => {
  const hits = NAMES.map((name, nth) => ({
    url: `https://${name.toLowerCase()}.errand-tests.org/`,
    title: nth === 0 ? 'Spam' : `${name} port fees`,
    snippet: `${name} tells of port fees.`,
  }));
  const sources = { financial_reports: {}, market_data: {}, news_feeds: {} };
  const { led, run } = open(sources, {
    queries: [['bunker prices']],
    score: ({ title }) => (title === 'Spam' ? 0 : 1),
  });
  at.ports.searchConnector = async () => ({
    name: 'searxng',
    // The second search finds the page under another title, and nothing else.
    search: async ({ text }) => ({
      hits: text === 'bunker prices' ? hits.slice(0, 1).map((hit) => ({ ...hit, title: 'Bunker' })) : hits,
      notes: [],
    }),
  });
  const { results } = await run({ sources: [] });
  expect(led).toHaveLength(1);
  expect(results.plan?.queries).toContain('bunker prices');
  expect(results.documents.map(({ address }) => address)).not.toContain(hits[0]?.url);
});
