/** What a research tells of its work while it goes on: queries, hits, pages, notes, and what it may still use. */
import { afterEach, expect, it } from 'vitest';
import type { StageActivity } from '../../../shared/tasks/activity-recorder.ts';
import { createMeter } from '../../../shared/usage/meter.ts';
import { mechanicalModel } from '../../evidence/frozen-web/mechanical-model.ts';
import { note, roleModel } from './role-model.ts';
import { itemsOf, openResearch } from './setup.ts';

const QUERY = 'How did port fees in Eastmere change?';
const TEASER = { title: 'Port fees in Eastmere', text: 'Fees at the port of Eastmere change in March.' };
const PAGE = 'The port of Eastmere raises its port fees by 6.5 per cent in March, the harbour master said.';
const [FIRST, SECOND] = ['https://news.errand-tests.org/1', 'https://news.errand-tests.org/2'];

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

/** The events of all stages, in order. */
async function stageEvents(): Promise<StageActivity['events']> {
  const signal = new AbortController().signal;
  const events: StageActivity['events'] = [];
  let carried: unknown;
  const input = { query: QUERY, sources: ['news', 'silent'] };
  for (const stage of at.stagesOf(input)) {
    const work = { address: at.address, input, signal, meter: createMeter(), report: () => undefined };
    const answer = (await stage.run(work, carried)) as { activity?: StageActivity };
    if (answer === carried) continue;
    events.push(...(answer.activity as StageActivity).events);
    const { activity: _, ...rest } = answer;
    expect(JSON.stringify(rest)).not.toContain('"activity"');
    carried = JSON.parse(JSON.stringify(rest));
  }
  return events;
}

const sources = {
  news: { items: itemsOf('news', [TEASER, { ...TEASER, text: 'Port fees of Eastmere: the harbour board met.' }]) },
  silent: { faults: [{ address: 'https://silent.errand-tests.org/', reason: 'answered\u0007 with status 500' }] },
};

it('tells queries, hits, pages, notes and the budget in the order in which they came', async () => {
  at = openResearch(sources, undefined, { [FIRST]: { text: PAGE } });
  const events = await stageEvents();
  const kinds = [...new Set(events.map(({ kind }) => kind))];
  expect(kinds.slice(0, 3)).toEqual(['query', 'budget', 'hits']);
  const of = (kind: string) => events.filter((event) => event.kind === kind);
  expect(of('hits')).toMatchObject([
    { source: 'news', count: 2 },
    { source: 'silent', count: 0, reason: 'answered with status 500' },
  ]);
  expect(of('page_opened')).toMatchObject([{ url: FIRST, title: TEASER.title }]);
  expect(of('page_refused')).toMatchObject([{ url: SECOND, reason: 'no longer exists' }]);
  expect(of('note')).toContainEqual(expect.objectContaining({ text: PAGE, documents: [1] }));
  expect(of('budget').at(-1)).toMatchObject({ used: { documents: 2 }, limits: { rounds: 3 } });
  const times = events.map(({ at: when }) => when);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

it('tells a statement of a model of which a figure stands nowhere, and why it is not published', async () => {
  const statement = 'The port of Eastmere raises its port fees by 9.5 per cent in March.';
  at = openResearch(sources, roleModel({ read: { findings: [note(statement, PAGE)] }, agreesWithAll: true }).model, {
    [FIRST]: { text: PAGE },
  });
  const rejected = (await stageEvents()).filter(({ kind }) => kind === 'claim_rejected');
  expect(rejected).toMatchObject([{ text: statement, reason: 'figure' }]);
});

it('tells once which documents answer a sub-question', async () => {
  const names = ['Alder', 'Birch', 'Cedar', 'Damson', 'Elm', 'Fir'];
  const items = names.map((name, nth) => ({
    title: `Port fees of ${name}`,
    text: `${name} says that port fees in Eastmere change by ${7 * nth + 113} euros.`,
  }));
  at = openResearch({ news: { items: itemsOf('news', items) }, silent: {} }, mechanicalModel().model);
  const events = (await stageEvents()).filter(({ kind }) => kind === 'coverage');
  const told = { kind: 'coverage', sub_question: 1, text: QUERY };
  expect(events).toMatchObject([{ ...told, documents: [1, 2, 3, 4, 5, 6] }]);
});
