/** Which items a research with a model reads: what the model is shown of them, and what follows from its answer. */
import { afterEach, expect, it } from 'vitest';
import { mechanicalModel, type Role } from '../../evidence/frozen-web/mechanical-model.ts';
import { itemsOf, type NewItem, openResearch } from './setup.ts';

const QUERY = 'How did port fees in Eastmere change, and what do carriers pay for fuel?';
const PARTS = ['How did port fees in Eastmere change?', 'What do carriers pay for fuel?'];

type Shown = {
  item: number;
  title: string;
  source: string;
  beginning?: string;
  headings?: string[];
  passages?: string[];
};
type Scored = { score: number; sub_questions?: number[] };

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

const NAMES = ['Alder', 'Birch', 'Cedar', 'Damson', 'Elm', 'Fir', 'Gorse', 'Hazel', 'Ivy', 'Juniper', 'Kapok', 'Larch'];
/** Different stories, as their numbers differ. */
const plants = (about: string, count: number): NewItem[] =>
  NAMES.slice(0, count).map((name, nth) => ({
    title: `${name} ${about}`,
    text: `${name} tells of ${about} in ${7 * nth + 113} lines.`,
  }));

/** `judge` answers for each item that is shown; undefined names none. */
function open(sources: Record<string, NewItem[]>, judge: (shown: Shown) => Scored | undefined) {
  const calls: Shown[][] = [];
  const roles: Role[] = [
    [/^You plan a research/, () => ({ sub_questions: PARTS, queries: ['port fees Eastmere'] })],
    [
      /^You choose what is read/,
      (_, material) => {
        const shown = material as Shown[];
        calls.push(shown);
        return { items: shown.flatMap((one) => ({ item: one.item, ...judge(one) })).filter((one) => 'score' in one) };
      },
    ],
  ];
  const gathered = Object.entries(sources).map(([name, items]) => [name, { items: itemsOf(name, items) }]);
  at = openResearch(Object.fromEntries(gathered), mechanicalModel({ roles }).model);
  const run = (depth = 'overview') => at.run({ query: QUERY, depth, deliverables: ['key_findings'] });
  return { calls, run };
}

it('shows the model items of every source, whatever their words, and reads what it wants', async () => {
  const fees = plants('port fees in Eastmere', 12);
  const fuel = [{ title: 'Bunkerpreise', text: 'Reeder zahlen für Schweröl mehr als im Vorjahr.' }];
  const { calls, run } = open({ fees, fuel }, ({ source }) =>
    source === 'fuel' ? { score: 3, sub_questions: [2] } : { score: 1, sub_questions: [1] },
  );
  const { results } = await run();
  expect(calls[0]?.slice(0, 2).map(({ source }) => source)).toEqual(['fees', 'fuel']);
  expect(results.documents[0]).toMatchObject({ source: 'fees', relevance: 0.33 });
  expect(results.documents.slice(0, 6).map(({ title }) => title)).toContain('Bunkerpreise');
});

it('reads the best item of each sub-question before a second one of any', async () => {
  const { run } = open({ fees: plants('port fees', 12), fuel: plants('fuel', 2) }, ({ source }) =>
    source === 'fees' ? { score: 3, sub_questions: [1] } : { score: 1, sub_questions: [2] },
  );
  const { results } = await run();
  expect(results.documents.slice(0, 6).map(({ source }) => source)).toEqual([
    ...['fees', 'fuel', 'fees', 'fees', 'fees', 'fees'],
  ]);
});

it('never reads an item that the model does not want, and counts it', async () => {
  const { run } = open({ fees: plants('port fees in Eastmere', 12) }, ({ title }) => ({
    score: /^(?:Alder|Birch)/.test(title) ? 2 : 0,
  }));
  const { results } = await run();
  expect(results.documents.map(({ title }) => title.split(' ')[0])).toEqual(['Alder', 'Birch']);
  expect(results.left_out).toMatchObject({ irrelevant: 10, beyond_depth: 0 });
});

it('reads nothing if the model wants none of the items, and says that nothing was found', async () => {
  const { run } = open({ fees: plants('port fees in Eastmere', 12) }, () => ({ score: 0 }));
  const { results, report } = await run();
  expect([results.documents, results.outcome]).toEqual([[], 'nothing_found']);
  expect(results.notes).toContain('No item of the sources is about the question.');
  expect(report.warnings?.join()).toContain('Nothing was found that answers the query');
});

it('reads the nearest items of the search where the model names none of them', async () => {
  const nearest = { title: 'Port fees in Eastmere', text: 'Port fees in Eastmere change in March.' };
  const { run } = open({ news: [...plants('weather', 11), nearest] }, () => undefined);
  const { results } = await run();
  expect(results.documents[0]).toMatchObject({ title: nearest.title });
  expect(results.documents.length).toBeGreaterThanOrEqual(6);
});

it('does not ask which items to read where all can be read once repeated stories are taken away', async () => {
  const story = { title: 'Port fees rise', text: 'The port of Eastmere raised its port fees by 4 per cent in March.' };
  const { calls, run } = open({ news: [...plants('weather', 5), ...Array.from({ length: 9 }, () => story)] }, () => ({
    score: 0,
  }));
  const { results } = await run();
  expect(calls).toEqual([]);
  expect(results.documents).toHaveLength(6);
  expect(results.left_out).toMatchObject({ duplicates: 8, irrelevant: 0 });
});

it('shows of a long text its headings and the passages about the sub-questions, not how it begins', async () => {
  const filler = Array.from({ length: 40 }, (_, nth) => `Paragraph ${nth} tells of the weather on that day.`).join(
    '\n\n',
  );
  const told = 'Carriers pay 640 dollars a tonne for fuel.';
  const long = {
    title: 'Annual report',
    text: `# Weather\n\n${filler}\n\n# Bunker costs\n\n${told}\n\n# Board\n\n${filler}`,
  };
  const { calls, run } = open({ news: [long, ...plants('port fees', 11)] }, () => ({ score: 1 }));
  await run();
  const shown = calls.flat().find(({ title }) => title === long.title);
  expect(shown?.headings).toEqual(['Weather', 'Bunker costs', 'Board']);
  expect(shown?.passages?.[0]).toContain(told);
  expect([...(shown?.headings ?? []), ...(shown?.passages ?? [])].join('').length).toBeLessThanOrEqual(600);
  expect(shown).not.toHaveProperty('beginning');
});
