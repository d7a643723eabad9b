/** A report that a model writes: what code and a second look confirm is published, and the rest is marked or left out. */
import { afterEach, expect, it } from 'vitest';
import { note, roleModel, sectionsOf, sentence } from './role-model.ts';
import { itemsOf, openResearch } from './setup.ts';

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

const RELEASE = {
  title: 'Orla Foods plc: results for fiscal 2026',
  text: [
    '# Results for fiscal 2026',
    '',
    'Net sales grew, and the board proposes a higher dividend.',
    '',
    '| $ million | 2025 | 2026 |',
    '| --- | --- | --- |',
    '| Net sales | 14,544 | 14,694 |',
    '| Adjusted non-GAAP EBIT | 1,701 | 1,608 |',
  ].join('\n'),
};

const NOTES = [
  note('Orla Foods had net sales of $14,694 million in fiscal 2026.', 'Net sales | 14,544 | 14,694', {
    figures: [
      {
        ...{ label: 'net sales of Orla Foods', value: '14,694', unit: '$', scale: 1_000_000 },
        ...{ period: 'fiscal 2026', when: '2026' },
      },
    ],
  }),
  note('Adjusted EBIT of Orla Foods fell to $1,608 million in fiscal 2026.', 'Adjusted non-GAAP EBIT | 1,701 | 1,608'),
];
const SOURCES = { news_feeds: { items: itemsOf('news_feeds', [RELEASE]) } };
const ASKS = { query: 'How did the results of Orla Foods change in fiscal 2026?', deliverables: ['executive_summary'] };

function open(answers: Parameters<typeof roleModel>[0]) {
  const { model, given } = roleModel(answers);
  at = openResearch(SOURCES, model);
  return { given };
}

const summaryOf = (...sentences: object[]) => sectionsOf([1, ...sentences]);

it('publishes what a second look confirms, with subject, scale and period from title and head', async () => {
  open({
    read: { findings: NOTES },
    write: summaryOf(
      sentence('Adjusted EBIT of Orla Foods fell by 5.5 % to $1,608 million in fiscal 2026.', [2], {
        computed: ['(1701 - 1608) / 1701 * 100'],
      }),
    ),
  });
  const { results } = await at.run(ASKS);
  expect(results.findings.map(({ text, checked_by: by }) => [text, by])).toEqual(
    NOTES.map(({ statement }) => [statement, 'model']),
  );
  expect(results.findings[0]?.figures).toEqual([
    {
      ...{ label: 'net sales of Orla Foods', value: 14_694_000_000, text: '14,694', unit: '$', scale: 1_000_000 },
      ...{ period: 'fiscal 2026', when: '2026', document: 1 },
    },
  ]);
  expect(results.deliverables[0]?.paragraphs[0]?.sentences).toEqual([
    {
      text: 'Adjusted EBIT of Orla Foods fell by 5.5 % to $1,608 million in fiscal 2026.',
      checked_by: 'model',
      computed: [{ formula: '(1701 - 1608) / 1701 * 100', value: expect.closeTo(5.467, 3) }],
      findings: [2],
      citations: [1],
    },
  ]);
  expect(results.statements_thrown_out).toBe(0);
  expect(results.notes.join(' ')).not.toMatch(/confirm|left out/);
});

it.each([
  ['a figure that stands nowhere', sentence('Net sales reached $15,123 million in fiscal 2026.', [1]), 'figure'],
  ['wrong arithmetic', sentence('EBIT fell by 9.1 %.', [2], { computed: ['(1701 - 1608) / 1701 * 100'] }), 'figure'],
  [
    'a formula of figures that stand nowhere',
    sentence('EBIT fell by 31.3 %.', [2], { computed: ['(2340 - 1608) / 2340 * 100'] }),
    'formula',
  ],
  ['another year', sentence('Net sales were $14,694 million in 2019.', [1]), 'figure'],
])('leaves out a sentence with %s, whatever the second look says', async (_, wrong, reason) => {
  const right = sentence('Net sales of Orla Foods were $14,694 million.', [1]);
  open({ read: { findings: NOTES }, write: summaryOf(right, wrong) });
  const { results } = await at.run(ASKS);
  expect(results.deliverables[0]?.paragraphs[0]?.text).toBe(right.text);
  expect(results.thrown_out_for).toEqual({ [reason]: 1 });
});

it('asks the writer once more with the reason, and publishes what it corrects', async () => {
  const wrong = 'Net sales of Orla Foods were $15,123 million.';
  const corrected = 'Net sales of Orla Foods were $14,694 million in fiscal 2026.';
  const { given } = open({
    read: { findings: NOTES },
    write: summaryOf(sentence(wrong, [1])),
    rewrite: { statements: [{ number: 1, text: corrected, row: null, computed: [] }] },
  });
  const { results } = await at.run(ASKS);
  expect(results.deliverables[0]?.paragraphs[0]?.text).toBe(corrected);
  expect(results.statements_thrown_out).toBe(0);
  const request = given.find(({ role }) => role === 'rewrite')?.messages.join('\n');
  expect(request).toContain('$15,123 million: stands at none of its quotes');
  expect(request).toContain('| $ million | 2025 | 2026 |');
});

it.each(['mark', 'remove'] as const)(
  'does with a sentence that nothing confirms what the caller wants: %s',
  async (unconfirmed) => {
    const unsure = 'The board of Orla Foods expects growth to go on.';
    open({
      read: { findings: NOTES },
      write: summaryOf(sentence('Net sales of Orla Foods were $14,694 million.', [1]), sentence(unsure, [1])),
      verdicts: { [unsure]: { verdict: 'not_stated', why: 'The quotes say nothing of expectations.' } },
    });
    const { results } = await at.run({ ...ASKS, unconfirmed });
    const sentences = results.deliverables[0]?.paragraphs[0]?.sentences ?? [];
    expect(sentences.map(({ text }) => text).includes(unsure)).toBe(unconfirmed === 'mark');
    if (unconfirmed === 'mark') {
      expect(sentences[1]).toMatchObject({ checked_by: null, unconfirmed: 'The quotes say nothing of expectations.' });
      expect(results.notes).toContain('1 statement could not be confirmed and is marked.');
    } else expect(results.thrown_out_for).toEqual({ not_stated: 1 });
  },
);

it('takes a sentence out that needs one which is gone', async () => {
  open({
    read: { findings: NOTES },
    write: summaryOf(
      sentence('Net sales were $14,694 million.', [1]),
      sentence('They were $13,333 million before.', [1]),
      sentence('That is a rise.', [1], { continues: true }),
    ),
  });
  const { results } = await at.run(ASKS);
  expect(results.deliverables[0]?.paragraphs[0]?.text).toBe('Net sales were $14,694 million.');
  expect(results.thrown_out_for).toEqual({ figure: 1, depends: 1 });
});

it('says what is missing, and lets a second look search for it where something was found', async () => {
  const missing = 'The documents do not say how the results will change in 2027.';
  const { given } = open({
    plan: { sub_questions: ['How did results change?', 'What is expected for 2027?'], queries: ['orla results'] },
    read: { findings: NOTES },
    write: summaryOf(sentence(missing, [], { kind: 'missing', sub_question: 2 })),
  });
  const { results } = await at.run(ASKS);
  expect(results.deliverables[0]?.paragraphs[0]?.sentences).toEqual([
    { text: missing, kind: 'missing', checked_by: 'model', findings: [], citations: [] },
  ]);
  const looks = given.filter(({ role }) => role === 'look').flatMap(({ messages }) => messages);
  expect(looks.join()).toContain(missing);
});

it('marks everything where the second look agrees with what code made false', async () => {
  open({
    read: { findings: NOTES },
    write: summaryOf(sentence('Net sales of Orla Foods were $14,694 million.', [1])),
    agreesWithAll: true,
  });
  const { results } = await at.run(ASKS);
  expect(results.findings.every(({ checked_by: by }) => by === null)).toBe(true);
  expect(results.deliverables[0]?.paragraphs[0]?.sentences[0]).toMatchObject({ checked_by: null });
});

it.each([
  ['a fall, without its sign', 'Adjusted EBIT fell by 5 % in fiscal 2026.', ['(1608 - 1701) / 1701 * 100']],
  ['a result rounded to one digit with a scale word', 'EBIT was about $2 billion in fiscal 2026.', ['1608 / 1']],
  ['the date below the title of the document', 'Results were published on 3 November 2026.', []],
])('publishes %s', async (_, text, computed) => {
  const dated = { ...RELEASE, text: RELEASE.text.replace('2026\n', '2026\n\nLysholm, 3 November 2026\n') };
  at = openResearch(
    { news_feeds: { items: itemsOf('news_feeds', [dated]) } },
    roleModel({ read: { findings: NOTES }, write: summaryOf(sentence(text, [2], { computed })) }).model,
  );
  const { results } = await at.run(ASKS);
  expect(results.deliverables[0]?.paragraphs[0]?.text).toBe(text);
});

it('says again what a finding computes', async () => {
  const computing = note('EBIT of Orla Foods fell by 5.5 % in fiscal 2026.', 'Adjusted non-GAAP EBIT | 1,701 | 1,608', {
    computed: ['(1701 - 1608) / 1701 * 100'],
  });
  const text = 'The fall of EBIT was 5.5 %.';
  open({ read: { findings: [computing] }, write: summaryOf(sentence(text, [1])) });
  const { results } = await at.run(ASKS);
  expect(results.deliverables[0]?.paragraphs[0]?.text).toBe(text);
});

it('takes out what the writer withdraws', async () => {
  const unsure = 'The board of Orla Foods expects growth to go on.';
  open({
    read: { findings: NOTES },
    write: summaryOf(sentence('Net sales of Orla Foods were $14,694 million.', [1]), sentence(unsure, [1])),
    verdicts: { [unsure]: { verdict: 'not_stated', why: 'The quotes say nothing of expectations.' } },
    rewrite: { statements: [{ number: 1, text: '', row: null, computed: [] }] },
  });
  const { results } = await at.run(ASKS);
  expect(results.deliverables[0]?.paragraphs[0]?.sentences).toHaveLength(1);
  expect(results.thrown_out_for).toEqual({ withdrawn: 1 });
});

it('leaves out everything that the second look contradicts, and says so', async () => {
  const wrong = 'Net sales of Orla Foods were $14,694 million.';
  const verdicts = [...NOTES.map(({ statement }) => statement), wrong].map((text) => [
    text,
    { verdict: 'contradicted', why: 'It is another company.' },
  ]);
  open({
    read: { findings: NOTES },
    write: summaryOf(sentence(wrong, [1])),
    verdicts: Object.fromEntries(verdicts),
  });
  const { results } = await at.run(ASKS);
  expect(results.findings).toEqual([]);
  expect(results.deliverables[0]).toMatchObject({
    paragraphs: [],
    note: 'No statement of the model passed the check.',
  });
  expect(results.thrown_out_for).toEqual({ contradicted: 3 });
});

it.each(['mark', 'remove'] as const)(
  'treats all as not confirmed where the second look gives no usable answer: %s',
  async (unconfirmed) => {
    const { given } = open({
      read: { findings: NOTES },
      write: summaryOf(sentence('Net sales of Orla Foods were $14,694 million.', [1])),
      look: 'They look fine to me.',
    });
    const { results } = await at.run({ ...ASKS, unconfirmed });
    const published = [
      ...results.findings,
      ...results.deliverables.flatMap(({ paragraphs }) => paragraphs.flatMap(({ sentences }) => sentences)),
    ];
    const mark = { checked_by: null, unconfirmed: 'The check gave no usable answer.' };
    expect(published).toMatchObject(unconfirmed === 'mark' ? [mark, mark, mark] : []);
    // Nothing tells the writer what to correct.
    expect(given.map(({ role }) => role)).not.toContain('rewrite');
    expect(results.statements_thrown_out).toBe(unconfirmed === 'mark' ? 0 : 3);
  },
);

it('has the second look search for what is missing where something was found', async () => {
  const missing = 'The documents do not say what the dividend of 2026 is.';
  const { given } = open({
    read: { findings: NOTES },
    write: summaryOf(sentence(missing, [], { kind: 'missing', sub_question: 1 })),
    verdicts: { [missing]: { verdict: 'contradicted', why: 'One passage gives it.' } },
  });
  const { results } = await at.run({ ...ASKS, query: 'What is the dividend of Orla Foods for 2026?' });
  const [look] = given.filter(({ role }) => role === 'look');
  expect(look?.messages.at(-1)).toContain(JSON.stringify({ text: missing, missing: true }).slice(1, -1));
  expect(look?.messages.join()).toContain('Adjusted non-GAAP EBIT | 1,701 | 1,608');
  expect(look?.messages[0]).toContain('{"about":"What is the dividend of Orla Foods for 2026?"}');
  expect(JSON.stringify(results.deliverables)).not.toContain(missing);
});

const FERRIES = {
  title: 'Nordhof Ferries: report for Q3',
  publishedAt: '2026-11-04T08:00:00.000Z',
  text: [
    '# Season 2025/26',
    '',
    'The fleet carried more people than ever, with fourteen ships.',
    '',
    'Invoice INV-2041 for the season is still open.',
    '',
    '## Outlook for FY2027',
    '',
    'The board expects fares to stay as they are, after a rise of 3.25 percent on 3 March 2026.',
    '',
    '| in thousand EUR, non-GAAP | FY2025 | FY2026 |',
    '| --- | --- | --- |',
    '| Revenue | 1,608 | 1,701 |',
    '| Loss of the ferry to Halden | (640) | (598) |',
  ].join('\n'),
};
const QUOTES = {
  people: 'The fleet carried more people than ever',
  invoice: 'Invoice INV-2041 for the season is still open.',
  fares: 'The board expects fares to stay as they are',
  revenue: 'Revenue | 1,608 | 1,701',
  loss: 'Loss of the ferry to Halden | (640) | (598)',
};

/** What is published of a sentence that rests on one quote, and that a second look agrees to. */
async function publishedOn(place: keyof typeof QUOTES, text: string, computed: string[]) {
  const first = 'Nordhof Ferries reports.';
  const { model } = roleModel({
    read: { findings: [note(first, QUOTES[place])] },
    write: summaryOf(sentence(first, [1]), sentence(text, [1], { computed })),
  });
  at = openResearch({ news_feeds: { items: itemsOf('news_feeds', [FERRIES]) } }, model);
  const { results } = await at.run({ ...ASKS, query: 'How is Nordhof Ferries doing?' });
  const [, sentenceAfter] = results.deliverables[0]?.paragraphs[0]?.sentences ?? [];
  return { published: sentenceAfter, reasons: results.thrown_out_for };
}

it.each<[keyof typeof QUOTES, string, ...string[]]>([
  ['people', 'Die Flotte beförderte in der Saison 2025/26 so viele Menschen wie nie.'],
  ['people', 'The fleet of 14 ships carried more people than ever in Q3.'],
  ['people', 'By 4 November 2026 the fleet had carried more people than ever.'],
  ['invoice', 'Die Rechnung INV-2041 ist offen.'],
  ['fares', 'Im Geschäftsjahr 2027 sollen die Fahrpreise bleiben, nach einem Anstieg um 3,25 % am 3. März 2026.'],
  ['fares', 'For FY2027 the board expects the same fares.'],
  ['revenue', 'Der Umsatz stieg 2026 auf 1,701 Mio. Euro.'],
  ['revenue', 'Der Umsatz stieg um 5,8 % auf 1.701 Tsd. Euro.', '(1701 - 1608) / 1608 * 100'],
  ['revenue', 'Le chiffre d’affaires est passé de 1 608 à 1 701 milliers d’euros.'],
  ['revenue', 'Revenue was EUR 1,608 thousand in FY2025.'],
  ['revenue', '收入为1,701千欧元。'],
  ['loss', 'Der Verlust sank von 640.000 auf 598.000 Euro, also um 6,6 %.', '(640 - 598) / 640 * 100'],
  ['loss', 'The loss narrowed by EUR 42 thousand.', '640 - 598'],
])(
  'publishes figures in the language of the report, from quote, lines, heads and headings: %s, %s',
  async (...given) => {
    const [place, text, ...computed] = given;
    expect(await publishedOn(place, text, computed)).toMatchObject({ published: { text, checked_by: 'model' } });
  },
);

it.each<[keyof typeof QUOTES, string, ...string[]]>([
  ['people', 'Die Flotte beförderte in der Saison 2024/25 so viele Menschen wie nie.'],
  ['people', 'The fleet of 15 ships carried more people than ever.'],
  ['people', 'The fleet carried 423 people a day.'],
  ['people', 'By 5 October 2026 the fleet had carried more people than ever.'],
  ['invoice', 'Die Rechnung INV-2042 ist offen.'],
  ['fares', 'Im Geschäftsjahr 2028 sollen die Fahrpreise bleiben.'],
  ['fares', 'Nach einem Anstieg um 3,5 % bleiben die Preise.'],
  ['fares', 'The fares rose on 9 March 2026.'],
  ['fares', 'Fares rose by 17 percent.', '3.51 / 3 * 100 - 100'],
  ['revenue', 'Der Umsatz stieg 2026 auf 1,806 Mio. Euro.'],
  ['revenue', 'Der Umsatz stieg um 9,1 %.', '(1701 - 1608) / 1608 * 100'],
  ['revenue', 'Der Umsatz stieg um 9,1 %.', '(1701 - 1559) / 1559 * 100'],
])('publishes no figure that stands nowhere, also where its place has none: %s, %s', async (...given) => {
  const [place, text, ...computed] = given;
  const { published, reasons } = await publishedOn(place, text, computed);
  expect(published).toBeUndefined();
  expect(Object.keys(reasons).join()).toMatch(/^(?:figure|formula)$/);
});

const AGREEMENT = {
  title: 'Supply agreement with Brackmoor',
  publishedAt: '2026-11-21T08:00:00.000Z',
  text: [
    '# Supply agreement',
    '',
    'The first Contract Year begins on 1 April 2025 and lasts twelve months.',
    '',
    '## 7. Prices',
    '',
    '7.2 The price of 15.60 EUR per MWh rises from the first of next month, and half of it is due at once.',
    '',
    '| | Three months ended December 31, | |',
    '| --- | --- | --- |',
    '| | 2022 | 2021 |',
    '| Delivered MWh | 390 | 410 |',
    '| Returned MWh | 12 | 15 |',
  ].join('\n'),
};
const PRICE = '7.2 The price of 15.60 EUR per MWh rises from the first of next month, and half of it is due at once.';
const BEGIN = 'The first Contract Year begins on 1 April 2025 and lasts twelve months.';

it.each<[string, string, string, string[]]>([
  ['what follows from a quantity of the question', PRICE, '11,400 MWh cost 177,840 EUR.', ['11400 * 15.60']],
  [
    'a result of an earlier formula',
    PRICE,
    'With the surcharge they cost 213,408 EUR.',
    ['11400 * 15.60', '177840 * 1.2'],
  ],
  ['a day that follows from a term', BEGIN, 'It ends on 31 March 2026.', ['2025-04-01 + 12 months - 1 day']],
  ['a day that the text counts from its own', PRICE, 'The price rises on 1 December 2026.', []],
  ['half of an amount', PRICE, 'At once 7.80 EUR are due.', ['15.60 / 2']],
  ['the number of a clause', PRICE, 'Clause 7.2 says so.', []],
  [
    'the year of a column',
    '| Returned MWh | 12 | 15 |',
    'In the quarter to 31 December 2021, 15 MWh were returned.',
    [],
  ],
])('publishes %s', async (_, quote, text, computed) => {
  const finding = note('The agreement says so.', quote);
  at = openResearch(
    { news_feeds: { items: itemsOf('news_feeds', [AGREEMENT]) } },
    roleModel({ read: { findings: [finding] }, write: summaryOf(sentence(text, [1], { computed })) }).model,
  );
  const query = 'What do 11,400 MWh cost, with a surcharge of 1.2?';
  const { results } = await at.run({ query, deliverables: ['executive_summary'] });
  expect(results.deliverables[0]?.paragraphs[0]?.text).toBe(text);
});

it.each<[string, string, string, string[]]>([
  ['a day of a wrong term', BEGIN, 'It ends on 31 August 2026.', ['2025-04-01 + 17 months - 1 day']],
  ['a day far from that of the document', PRICE, 'The price rises on 1 May 2027.', []],
  ['a year that is not on the page', '| Returned MWh | 12 | 15 |', 'In 2019, 15 MWh were returned.', []],
])('does not publish %s', async (_, quote, text, computed) => {
  at = openResearch(
    { news_feeds: { items: itemsOf('news_feeds', [AGREEMENT]) } },
    roleModel({
      read: { findings: [note('The agreement says so.', quote)] },
      write: summaryOf(sentence(text, [1], { computed })),
    }).model,
  );
  const { results } = await at.run({ query: 'What does it say?', deliverables: ['executive_summary'] });
  expect(JSON.stringify(results.deliverables)).not.toContain(text);
});
