/** Which sentence of a report stands in which section, and what a section says that has none. */
import { afterEach, expect, it } from 'vitest';
import { scriptedModel } from '../agents/scripted-model.ts';
import { mechanicalModel } from '../frozen-web/mechanical-model.ts';
import { itemsOf, openResearch } from './setup.ts';

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
  const findings = sentences.map((statement, nth) => ({
    ...{ statement, importance: 5, sub_question: 1, topics: sentences.length > 1 ? [nth + 1] : [1, 2] },
    citations: [{ document: 1, quote: statement }],
  }));
  at = openResearch({ news }, scriptedModel(answer({ queries: [] }), answer({ findings })).model);
  const deliverables = ['executive_summary', 'key_findings', 'trends', 'risks'];
  const { results } = await at.run({ query: 'How did rents in Vienna change?', deliverables });
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

it('says once that nothing was found, beside the list of what was read, and names no samples', async () => {
  const news = { items: itemsOf('news', [{ title: 'Rents in Vienna', text: 'Flats are rare.' }]), isSample: true };
  at = openResearch({ news }, scriptedModel(answer({ queries: [] }), answer({ findings: [] })).model);
  const query = 'How did rents in Vienna change?';
  const { results } = await at.run({ query, output_format: 'html', research_type: 'market_analysis' });
  expect([results.outcome, results.documents.length]).toEqual(['nothing_found', 1]);
  expect(results.notes.join()).not.toContain('fictional');
  const [report] = at.rendered;
  const runs = [{ text: 'Nothing was found.' }];
  expect(report?.sections).toEqual([{ heading: 'Executive summary', blocks: [{ kind: 'paragraph', runs }] }]);
  expect(report?.sources).toHaveLength(1);
});

const RENTS = [{ title: 'Rents in Vienna', text: 'The average rent in Vienna was 990 EUR in 2025.' }];
const titlesOf = ({ deliverables }: { deliverables: { title: string }[] }) => deliverables.map(({ title }) => title);

it('leaves out the sections of a type that stay empty, names them, and is complete without them', async () => {
  at = openResearch({ news: { items: itemsOf('news', RENTS) } }, mechanicalModel().model);
  const query = 'What was the average rent in Vienna?';
  const { results, report } = await at.run({ query, research_type: 'market_analysis' });
  expect(titlesOf(results)).toEqual(['Executive summary', 'Key findings', 'Limits', 'Bibliography']);
  expect(results.deliverables[2]?.note).toContain(
    'Nothing was found for: Market overview, Competitor analysis, Trends, Opportunities and Risks.',
  );
  expect(report.confidence?.analysisCompleteness).toBe(1);
});

it('keeps sections that the request names, also empty, and is less complete for them', async () => {
  at = openResearch({ news: { items: itemsOf('news', RENTS) } });
  const deliverables = ['key_findings', 'trends', 'risks', 'charts'];
  const { results, report } = await at.run({ query: 'What was the average rent in Vienna?', deliverables });
  expect(titlesOf(results)).toEqual(['Key findings', 'Trends', 'Risks', 'Charts']);
  expect(report.confidence?.analysisCompleteness).toBe(0.63);
});

it('is not complete without an answer, whatever sections are left out', async () => {
  at = openResearch({ news: { items: itemsOf('news', RENTS) } });
  const { report } = await at.run({
    query: 'What was the average rent in Vienna? Who repaired the organ of Graz?',
  });
  expect(report.confidence?.analysisCompleteness).toBeLessThanOrEqual(0.5);
  expect(report.warnings?.join()).toContain('No sentence is quoted for “Who repaired the organ of Graz?”.');
});

const FEES = 'Baltic ports raised their port fees by 6.5 per cent in 2026.';
const CARGO = 'Carriers shifted a third of their cargo to rail.';
const TARIFF = 'Rotterdam keeps its port tariff until the end of 2027.';
const TEXT = [FEES, CARGO, TARIFF];

const answer = (value: object) => ({ text: JSON.stringify(value) });
const paragraphs = (...all: [text: string, ...findings: number[]][]) =>
  answer({ paragraphs: all.map(([text, ...findings]) => ({ text, findings })) });

/** A research whose model finds these three sentences, each in a document of its own, and answers in turn from there on. */
function writeReport(deliverables: string[], ...moves: Parameters<typeof scriptedModel>) {
  const findings = TEXT.map((statement, nth) => ({
    ...{ statement, importance: 5 - nth, sub_question: 1, topics: [1] },
    citations: [{ document: nth + 1, quote: statement }],
  }));
  const { model } = scriptedModel(answer({ queries: [] }), answer({ findings }), ...moves);
  const titles = ['Port fees in the Baltic', 'Port fees and cargo', 'Port tariffs'];
  const news = {
    items: itemsOf(
      'news',
      TEXT.map((text, nth) => ({ title: titles[nth] ?? '', text })),
    ),
  };
  at = openResearch({ news }, model);
  const asks = { query: 'How did port fees change?', deliverables, depth: 'overview', sources: ['news'] };
  return ({ withoutLast = 0 } = {}) => at.run(asks, { most: at.stagesOf(asks).length - withoutLast });
}

const textsOf = ({ deliverables }: { deliverables: { paragraphs: { sentences: { text: string }[] }[] }[] }) =>
  deliverables.map(({ paragraphs }) => paragraphs.flatMap(({ sentences }) => sentences.map(({ text }) => text)));

it('says no sentence again in the words of another', async () => {
  const again = 'In 2026, ports in the Baltic raised the fees of a port by 6.5 per cent.';
  const run = writeReport(
    ['trends'],
    paragraphs([`${FEES} ${CARGO}`, 1, 2]),
    answer({
      remove: [],
      rewrite: [
        { sentence: 1, text: again },
        { sentence: 2, text: again },
      ],
    }),
    answer({ verdicts: [1, 2].map((claim) => ({ claim, verdict: 'supported' })) }),
  );
  expect(textsOf((await run()).results)).toEqual([[again, CARGO]]);
});

it('keeps a sentence whose new words are refused, and counts nothing as thrown out', async () => {
  const run = writeReport(
    ['trends'],
    paragraphs([FEES, 1], [CARGO, 2]),
    answer({ remove: [], rewrite: [{ sentence: 1, text: 'Unicorns conquered Atlantis yesterday evening.' }] }),
    answer({ sentences: [] }),
  );
  const { results, report } = await run();
  expect(textsOf(results)).toEqual([[FEES, CARGO]]);
  expect(results).toMatchObject({ statements_thrown_out: 0, thrown_out_for: {} });
  expect(report.confidence?.sourceReliability).toBe(1);
});

it.each([
  // Of a section that has nothing left, the findings are written that stand nowhere else.
  { summary: [FEES], trends: [FEES], left: [[FEES], [CARGO, TARIFF]] },
  { summary: [CARGO, TARIFF], trends: TEXT, left: [[CARGO, TARIFF], [FEES]] },
  { summary: [FEES, CARGO], trends: [FEES, CARGO], left: [[FEES], [CARGO]] },
  { summary: [FEES, TARIFF], trends: [FEES, CARGO], left: [[TARIFF], [FEES, CARGO]] },
])('has an answer first, also where its sections say all of it: $left', async ({ summary, trends, left }) => {
  const said = (texts: string[]) => paragraphs(...texts.map((one): [string, number] => [one, TEXT.indexOf(one) + 1]));
  const run = writeReport(
    ['executive_summary', 'trends'],
    said(trends),
    said(summary),
    answer({ remove: [], rewrite: [] }),
  );
  const { results } = await run();
  expect(textsOf(results)).toEqual(left);
  expect(results.notes.join()).toContain('taken out');
});

it.each([
  { contradictions: [[1, 2]], told: [`“${FEES.slice(0, -1)}” against “${CARGO.slice(0, -1)}”`] },
  // One sentence with itself, and a number without a sentence, are left out.
  {
    contradictions: [
      [1, 1],
      [2, 9],
    ],
    told: [],
  },
])(
  'reports with both citations what the critic says of sentences of different documents: $contradictions',
  async ({ contradictions, told }) => {
    const run = writeReport(
      ['trends', 'limits'],
      paragraphs([FEES, 1], [CARGO, 2]),
      answer({ remove: [], rewrite: [], contradictions }),
    );
    const { results } = await run();
    const limits = results.deliverables.find(({ deliverable }) => deliverable === 'limits');
    expect(limits?.paragraphs.map(({ text, citations }) => ({ text, citations }))).toEqual(
      told.map((one) => ({ text: `Documents 1 and 2 contradict each other: ${one}.`, citations: [1, 2] })),
    );
  },
);

it('cites for a paragraph only what its sentences rest on', async () => {
  const reworded = 'Rail won freight from the carriers of the sea.';
  const run = writeReport(
    ['trends'],
    paragraphs([`${FEES} ${reworded} ${TARIFF}`, 1, 2, 3]),
    answer({ verdicts: [{ claim: 1, verdict: 'supported' }] }),
    answer({ remove: [3], rewrite: [] }),
  );
  const { results } = await run();
  // A sentence in words of its own keeps its source: nothing that was taken out rests on it.
  expect(results.deliverables[0]?.paragraphs).toMatchObject([
    { text: `${FEES} ${reworded}`, citations: [1, 2], findings: [1, 2] },
  ]);
});

it('shows of a research that was stopped the sections that have content, in the order of the report', async () => {
  const run = writeReport(
    ['executive_summary', 'trends', 'data_table', 'risks', 'charts'],
    paragraphs([FEES, 1], [CARGO, 2]),
    answer({ rows: [] }),
    paragraphs([TARIFF, 3]),
  );
  // The look at the whole and the report are missing.
  const { results } = await run({ withoutLast: 2 });
  expect(results.deliverables.map(({ title }) => title)).toEqual(['Executive summary', 'Trends']);
  expect(textsOf(results)).toEqual([[TARIFF], [FEES, CARGO]]);
});
