/**
 * Every option value in the documents has an effect: its result differs from the default's, apart from echoed
 * options, ids, times and notes. The values are read from the documents, so that none is missing.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { submission } from '../../functions/agents/add-task.ts';
import { knownFieldPaths } from '../../functions/http/unknown-fields.ts';
import { KNOWN_SOURCES, TASK_TYPES } from '../../shared/agents/agent-input.ts';
import { scheduledStart } from '../../shared/agents/agent-schedule.ts';
import type { NotificationInput } from '../../shared/agents/notification-input.ts';
import type { ProcessingInput } from '../../shared/agents/processing-input.ts';
import type { ResearchInput } from '../../shared/agents/research-input.ts';
import { gatheringOf, item, openMail, rates } from './notification/setup.ts';
import { openProcessing } from './processing/setup.ts';
import { roleModel } from './research/role-model.ts';
import { itemsOf, openResearch } from './research/setup.ts';
import { named, runStages } from './run-stages.ts';
import { scriptedModel } from './scripted-model.ts';

const document = (name: string) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
const [AGENTS, RESEARCH, EXTRACTION] = ['reference/agents-api.md', 'guides/research.md', 'guides/extraction.md'].map(
  document,
) as [string, string, string];

const codeIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '');

/** The values in the row of a field. */
function valuesOf(field: string): string[] {
  const row = AGENTS.split('\n').find((line) => line.startsWith(`| \`${field}\` `));
  if (row === undefined) throw new Error(`docs/reference/agents-api.md has no row of ${field}.`);
  return codeIn(row.replace(/\(if nothing is said[^)]*\)/, '')).slice(1);
}

/** The values in the first column of the table with this head, each with its synonyms. */
function tableOf(text: string, head: string): [string, string[]][] {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.startsWith(`| ${head} `));
  const rows = lines.slice(at + 2, lines.indexOf('', at));
  const cells = rows.map((row) => row.split('|').slice(1, -1));
  return cells.map((row) => [codeIn(row[0] ?? '')[0] ?? '', codeIn(row.at(-1) ?? '')]);
}

/** Fields that only repeat the request or its plan. */
const ECHOED = new Set(['research_type', 'geographic_scope', 'depth', 'analysis_depth', 'plan', 'notes', 'files']);

const TOPICS = new Set([
  'market_overview',
  'competitor_analysis',
  'trends',
  'risks',
  'opportunities',
  'recommendations',
]);
const SENTENCES = [
  'Port fees at NAME rose by NUM per cent this year.',
  'The operators of NAME expect port fees to grow to EUR 1NUM in the coming year.',
  'Carriers warn that the port fees of NAME threaten NUM services.',
  'A competitor of NAME gained NUM per cent of market share after the port fees changed.',
  'NAME plans to invest EUR NUM million of its port fees in a new terminal.',
  'The regulator of NAME recommends that port fees should fall by NUM per cent.',
  'Customers of NAME paid port fees for NUM thousand containers.',
  'Analysts see potential for new markets where NAME lowers its port fees below EUR NUM.',
  'The port fees of NAME include NUM kinds of surcharges for waiting ships.',
];
const PLACES = ['Gdansk', 'Riga', 'Antwerp', 'Valencia', 'Genoa', 'Piraeus', 'Bergen', 'Turku', 'Malmo', 'Kotka'];

const storiesOf = (source: string, from: number) =>
  itemsOf(
    source,
    Array.from({ length: 14 }, (_, nth) => {
      const place = `${PLACES[nth % PLACES.length]} ${['North', 'South', 'Old', 'New', 'East'][(from + nth) % 5]} Basin`;
      const number = 11 + 7 * nth + from;
      return {
        title: `${place}: port fees and what becomes of them`,
        text: SENTENCES.map((text) => text.replace('NAME', place).replace('NUM', String(number))).join(' '),
        publishedAt: new Date(Date.UTC(2026, 4, 1 + nth, from)).toISOString(),
        figures: [{ label: `Port fee ${PLACES[nth % PLACES.length]}`, value: number, unit: 'EUR' }],
      };
    }),
  );

describe('research', () => {
  async function research(asks: Partial<ResearchInput>) {
    const sources = Object.fromEntries(
      KNOWN_SOURCES.map((source, at) => [source, { items: storiesOf(source, 3 * at) }] as const),
    );
    const at = openResearch(sources);
    try {
      const { results, report } = await at.run({ query: 'Port fees', ...asks });
      const kept = Object.entries(results).filter(([name]) => !ECHOED.has(name));
      // The path of a stored text contains the task's id.
      const shown = JSON.parse(JSON.stringify(Object.fromEntries(kept)).replaceAll(/task_[\da-f-]{36}/g, 'task_<id>'));
      return {
        shown,
        queries: results.plan?.queries,
        sections: results.deliverables,
        files: (report.files ?? []).map(({ name }) => name),
      };
    } finally {
      at.close();
    }
  }

  const words: [string, string, string[], string][] = [
    ...tableOf(RESEARCH, '`depth`').map(
      ([word, also]) => ['depth', word, also, 'standard'] as [string, string, string[], string],
    ),
    ...tableOf(RESEARCH, '`analysis_depth`').map(
      ([word, also]) => ['analysis_depth', word, also, 'detailed'] as [string, string, string[], string],
    ),
  ];

  it.each(words)('%s %s', async (option, word, also, byDefault) => {
    const [own, usual] = [(await research({ [option]: word })).shown, (await research({})).shown];
    if (word === byDefault) expect(own).toEqual(usual);
    else expect(own).not.toEqual(usual);
    for (const other of also) expect((await research({ [option]: other })).shown, other).toEqual(own);
  });

  it.each(tableOf(RESEARCH, '`research_type`').slice(1))('research_type %s', async (type) => {
    const titles = async (asks: Partial<ResearchInput>) => (await research(asks)).sections.map(({ title }) => title);
    const queries = async (asks: Partial<ResearchInput>) => (await research(asks)).queries;
    expect(await queries({ research_type: type })).not.toEqual(await queries({}));
    expect(await titles({ research_type: 'tea leaves' })).toEqual(await titles({}));
  });

  it.each(tableOf(RESEARCH, '`length`'))('length %s', async (length) => {
    const own = await research({ length: length as 'short' });
    if (length === 'standard') expect(own.shown).toEqual((await research({})).shown);
    else expect(own.shown).not.toEqual((await research({})).shown);
  });

  /** Of the report of a model whose note a second look does not confirm. */
  async function findingsOf(asks: Partial<ResearchInput>) {
    const story = { title: 'Port fees', text: 'Port fees at Riga rose by 4 per cent this year.' };
    const statement = 'Port fees at Riga rose by 4 per cent, to the anger of carriers.';
    const citations = [{ document: 1, quote: story.text }];
    const { model } = roleModel({
      read: { findings: [{ statement, importance: 5, sub_question: 1, topics: [], citations }] },
      verdicts: { [statement]: { verdict: 'not_stated', why: 'Nobody says that they are angry.' } },
    });
    const at = openResearch({ news_feeds: { items: itemsOf('news_feeds', [story]) } }, model);
    try {
      return (await at.run({ query: 'Port fees', ...asks })).results.findings;
    } finally {
      at.close();
    }
  }

  const unconfirmed = RESEARCH.split('\n\n').find((paragraph) => paragraph.startsWith('**`unconfirmed`**')) ?? '';
  it.each(codeIn(unconfirmed).slice(1))('unconfirmed %s', async (word) => {
    const [findings, usual] = [await findingsOf({ unconfirmed: word as 'mark' }), await findingsOf({})];
    if (word === 'mark') expect(findings).toEqual(usual);
    else expect(findings).not.toEqual(usual);
  });

  it('geographic_scope', async () => {
    const usual = await research({});
    expect((await research({ geographic_scope: ['Gdansk'] })).shown).not.toEqual(usual.shown);
    expect(valuesOf('geographic_scope')).toEqual(['global']);
    expect((await research({ geographic_scope: ['global'] })).shown).toEqual(usual.shown);
  });

  it.each<[string, Partial<ResearchInput>]>([
    ['include_domains', { include_domains: ['market_data.errand-tests.org'] }],
    ['exclude_domains', { exclude_domains: ['market_data.errand-tests.org'] }],
    ['time_range', { time_range: { from: '2026-05-05', to: '2026-05-08' } }],
  ])('%s', async (_, narrowed) => {
    expect((await research(narrowed)).shown).not.toEqual((await research({})).shown);
  });

  it.each(KNOWN_SOURCES)('sources %s', async (source) => {
    expect((await research({ sources: [source] })).shown).not.toEqual((await research({})).shown);
  });

  it.each(tableOf(RESEARCH, 'Known words'))('deliverables %s', async (word, also) => {
    const sectionOf = async (deliverable: string) => {
      const [{ deliverable: _, title: __, ...section } = { deliverable: '', title: '' }] = (
        await research({ deliverables: [deliverable] })
      ).sections;
      return section;
    };
    const own = await sectionOf(word);
    // What belongs to a topic is for a language model to say.
    if (!TOPICS.has(word)) {
      expect(own).not.toHaveProperty('note');
      expect(own).not.toEqual(await sectionOf('qwertz'));
    }
    for (const other of also) expect(await sectionOf(other), other).toEqual(own);
  });

  it.each(valuesOf('output_format'))('output_format %s', async (format) => {
    const [own, usual] = [await research({ output_format: format as 'json' }), await research({})];
    if (format === 'json') expect(own.files).toEqual(usual.files);
    else expect(own.files).not.toEqual(usual.files);
  });
});

describe('processing', () => {
  const PAGE = `<!doctype html><html><body><h1>Invoice No. INV-20871</h1>
<p>Buyer: Harbour Estates Ltd, Lindenstraße 14, 79098 Freiburg. VAT FR 61 482 915 337.</p>
<p>Due date: 3 March 2026. Write to ann@acme.org, call +44 20 7946 0958 or see https://acme.org/pay.</p>
<p>IBAN DE89 3704 0044 0532 0130 00. The total is 1,214.80 euros with 20 per cent of tax.</p>
<table><tr><th>Item</th><th>Count</th><th>Place</th></tr><tr><td>Crane</td><td>2</td><td>Riga</td></tr></table>
<p>Contact: Ann Lee</p></body></html>`;

  const at = openProcessing();
  afterAll(() => at.close());

  async function processPage(
    asks: Partial<ProcessingInput>,
    { name = 'page.html', bytes = PAGE, type = null as string | null } = {},
  ) {
    const documents = [{ ...at.serve(name, bytes), type }];
    const { results, report } = await at.run({ documents, ...asks });
    const [first] = results.documents;
    return {
      kind: first && 'kind' in first ? first.kind : first?.status,
      values: first && 'values' in first ? first.values : [],
      files: (report.files ?? []).map((file) => file.name),
      warnings: report.warnings ?? [],
    };
  }

  it.each(tableOf(EXTRACTION, 'Rule'))('extraction_rules %s', async (rule, also) => {
    const { values } = await processPage({ extraction_rules: [rule] });
    expect([...new Set(values.map((value) => value.rule))]).toEqual([rule]);
    expect(values.length).toBeLessThan((await processPage({})).values.length);
    for (const other of also) expect((await processPage({ extraction_rules: [other] })).values, other).toEqual(values);
  });

  it('output_schema, accept and on_missing', async () => {
    const documents = [at.serve('page.html', PAGE)];
    const output_schema = {
      type: 'object',
      properties: { due_date: { type: 'string', format: 'date' }, iban: { type: 'string' }, ship: { type: 'string' } },
    };
    const data = async (asks: Partial<ProcessingInput>) =>
      (await at.run({ documents, output_schema, ...asks })).results.records?.[0]?.data;
    expect(await data({})).toEqual({ due_date: '2026-03-03', iban: 'DE89370400440532013000', ship: null });
    expect(await data({ accept: ['judged'] })).toEqual({ due_date: null, iban: null, ship: null });
    expect(await data({ accept: ['proven', 'computed'], on_missing: 'null' })).toMatchObject({
      due_date: '2026-03-03',
    });
    await expect(data({ on_missing: 'fail' })).rejects.toThrow('no value for ship');
  });

  async function classifyPage(asks: Partial<ProcessingInput>) {
    const sections = Array.from({ length: 14 }, (_, nth) => `<h2>Part ${nth}</h2><p>${SENTENCES.join(' ')}</p>`);
    const text = `${PAGE}${sections.join('')}`;
    const documents = [at.serve('a.html', text), at.serve('b.html', text.replaceAll('3 March', '9 May'))];
    const { results } = await at.run({ documents, ...asks });
    const { processing_type: _, documents: __, merged: ___, ...own } = results;
    return own;
  }

  it.each(valuesOf('processing_type'))('processing_type %s', async (type) => {
    const [own, usual] = [await classifyPage({ processing_type: type }), await classifyPage({})];
    if (type === 'extraction') expect(own).toEqual(usual);
    else expect(Object.keys(own)).not.toEqual(Object.keys(usual));
  });

  it.each(valuesOf('processing_options.length'))('processing_options.length %s', async (length) => {
    const asks = { processing_type: 'summarization' };
    const own = await classifyPage({ ...asks, processing_options: { length: length as 'short' } });
    if (length === 'standard') expect(own).toEqual(await classifyPage(asks));
    else expect(own).not.toEqual(await classifyPage(asks));
  });

  it('processing_options.labels', async () => {
    const asks = { processing_type: 'classification' };
    const { model, given } = scriptedModel();
    const reading = openProcessing(model);
    const documents = [reading.serve('page.html', PAGE)];
    await reading.run({ documents, ...asks, processing_options: { labels: ['crane', 'ship'] } });
    await reading.close();
    expect(JSON.stringify(given[0]?.prompt)).toContain('crane');
  });

  it.each(tableOf(EXTRACTION, 'Field'))('extraction_rules %s', async (rule) => {
    const bytes = `<!doctype html><html><body><h1>Invoice No. INV-20871</h1><p>Seller: Harbour Trading Ltd</p>
<p>Harbour Trading Ltd, Lindenstraße 14, 79098 Freiburg</p><p>Buyer: Lamps Ltd</p>
<p>Invoice date: 3 March 2026</p><p>Due date: 3 April 2026</p><p>Currency: EUR</p>
<table><tr><td>Net amount</td><td>100.00</td></tr><tr><td>VAT</td><td>20.00</td></tr><tr><td>Total</td><td>120.00</td></tr></table>
<p>This agreement is made on 3 March 2026 between Harbour Trading Ltd (the “Seller”) and Lamps Ltd (the “Buyer”).</p>
<p>This agreement shall terminate two (2) years from the date hereof and is governed by the laws of Ireland.</p></body></html>`;
    const { values } = await processPage({ extraction_rules: [rule] }, { bytes });
    expect([...new Set(values.map((value) => value.rule))]).toEqual([rule]);
    const all = await processPage({}, { bytes });
    expect(all.values.filter((value) => value.rule === rule)).toEqual(values);
  });

  it.each(valuesOf('documents').slice(2))('documents type %s, of an address without an ending', async (type) => {
    const page = { name: 'export', bytes: 'Item,Count\nCrane,2\n' };
    const [own, usual] = [await processPage({}, { ...page, type }), await processPage({}, page)];
    if (own.kind === usual.kind) expect(own.warnings).toEqual([expect.stringContaining('input.documents.0.type is ')]);
    else expect(own.warnings).toEqual([]);
  });

  const formats = AGENTS.split('\n').filter((line) => line.startsWith('| `output_format` '))[1] ?? '';
  it.each(codeIn(formats).slice(1))('output_format %s', async (format) => {
    const [own, usual] = [await processPage({ output_format: format as 'json' }), await processPage({})];
    if (format === 'json') expect(own.files).toEqual(usual.files);
    else expect(own.files).not.toEqual(usual.files);
  });
});

describe('notification', () => {
  type Content = Partial<NotificationInput['content']>;

  async function sendDigest(content: Content = {}, type?: string) {
    const news = Array.from({ length: 12 }, (_, nth) =>
      item({
        title: `Story ${nth}`,
        address: `https://news.errand.test/${nth}`,
        text: `The bank of place ${nth} left its rate unchanged. Prices rose by ${nth} % there. `.repeat(12),
      }),
    );
    const sources = {
      news_feeds: gatheringOf(news),
      market_data: gatheringOf(rates(), { source: 'market_data' }),
    };
    const at = await openMail({ sources });
    try {
      await at.run({ notification_type: type, content: { recipients: ['ann@readers.org'], ...content } });
      const [mail] = await at.mails();
      const withoutTitle = (text = '') =>
        text
          .replace(/Unsubscribe: \S+/, '')
          .replaceAll(/\b(?:digest|daily digest|weekly report|alert|reminder)\b|=+/gi, '');
      return {
        text: withoutTitle(mail?.text),
        hasHtml: mail?.html !== undefined,
        charts: mail?.attachments.length,
        subject: withoutTitle(mail?.subject),
      };
    } finally {
      at.close();
    }
  }

  it.each(valuesOf('notification_type'))('notification_type %s', async (type) => {
    const [own, usual] = [(await sendDigest({}, type)).text, (await sendDigest()).text];
    if (type === 'daily_digest' || type === 'alert') expect(own).toBe(usual);
    else expect(own).not.toBe(usual);
  });

  const contents: [string, Content][] = [
    ...valuesOf('content.format')
      .filter((format) => format !== 'html')
      .map((format) => [`format ${format}`, { format }] as [string, Content]),
    ['include_charts true', { include_charts: true }],
    ['subject', { subject: 'Read this' }],
    ['message', { message: 'At ten.', data_sources: ['news_feeds', 'market_data'] }],
    ['condition', { condition: { figure: 'US dollar', above: 2 } }],
    ...KNOWN_SOURCES.map((source) => [`data_sources ${source}`, { data_sources: [source] }] as [string, Content]),
  ];

  it.each(contents)('content.%s', async (_, content) => {
    expect(await sendDigest(content)).not.toEqual(await sendDigest());
  });

  const schedules: NonNullable<NotificationInput['schedule']>[] = [
    { frequency: 'daily' },
    ...(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const).map((day) => ({
      frequency: 'weekly' as const,
      day_of_week: day,
    })),
    { frequency: 'monthly' },
    { frequency: 'monthly', day_of_month: 31 },
    { frequency: 'daily', time: '17:30:00' },
    { frequency: 'daily', timezone: 'Asia/Tokyo' },
    { frequency: 'once', time: '17:30:00' },
    { frequency: 'once' },
  ];

  it('schedule: each begins at a time of its own, or by a rule of its own', () => {
    const now = Date.UTC(2026, 5, 3, 12);
    const begun = schedules.map((schedule) => JSON.stringify(scheduledStart(schedule, now)));
    expect(new Set(begun).size).toBe(schedules.length);
    expect(scheduledStart({ frequency: 'once' }, now)).toEqual(scheduledStart(undefined, now));
  });
});

describe('model and reasoning_effort', () => {
  const models = { model: 'openai/strong', cheapModel: 'openai/cheap' };
  const signal = new AbortController().signal;
  const workOf = (input: object) => {
    const address = { organization: 'o', taskId: 't' };
    return { address, input, signal, report: () => undefined };
  };

  it('reach the model of each stage of research: the cheap one plans, the strong one reads and writes', async () => {
    const at = openResearch({
      news_feeds: { items: itemsOf('news_feeds', [{ title: 'Fees', text: SENTENCES[0] ?? '' }]) },
    });
    const asked: ResearchInput = { query: 'port fees', sources: ['news_feeds'], reasoning_effort: 'high' };
    named.length = 0;
    await runStages(at.agent.stages({ ...models, asked }), workOf(asked));
    at.close();
    expect(new Set(named)).toEqual(new Set(['openai/cheap high', 'openai/strong high']));
    expect(named[0]).toBe('openai/cheap high');
  });

  it('reach the model that answers the instructions about documents', async () => {
    const at = openProcessing();
    const documents = [at.serve('a.txt', Buffer.from('The rent is 5 euros.'))];
    const asked: ProcessingInput = { documents, extraction_rules: ['How high is the rent?'], reasoning_effort: 'low' };
    named.length = 0;
    await runStages(at.agent.stages({ ...models, asked }), workOf(asked));
    await at.close();
    expect(new Set(named)).toEqual(new Set(['openai/strong low']));
  });

  it('reach the model that writes an e-mail', async () => {
    const at = await openMail({ sources: { news_feeds: gatheringOf([item()]) } });
    named.length = 0;
    await at.run({ content: { recipients: ['a@b.org'], data_sources: ['news_feeds'] }, reasoning_effort: 'medium' });
    at.close();
    expect(named).toEqual(['offline/extractive medium']);
  });
});

/** Each field of an agent's input, with the tests above that cover it. */
const TRIED = new Set([
  'input.model',
  'input.reasoning_effort',
  ...[
    'query',
    'research_type',
    'length',
    'unconfirmed',
    'depth',
    'analysis_depth',
    'geographic_scope',
    'sources',
    'deliverables',
    'output_format',
  ].map((name) => `input.${name}`),
  ...['include_domains', 'exclude_domains', 'time_range', 'time_range.from', 'time_range.to'].map(
    (name) => `input.${name}`,
  ),
  // test/agents/research/narrowed.test.ts covers these two.
  ...['language', 'file_ids'].map((name) => `input.${name}`),
  // test/functions/agents/previous.test.ts.
  'input.previous_task_id',
  ...['documents', 'extraction_rules', 'output_schema', 'accept', 'on_missing'].map((name) => `input.${name}`),
  ...['processing_type', 'processing_options'].map((name) => `input.${name}`),
  ...['length', 'labels'].map((name) => `input.processing_options.${name}`),
  ...['notification_type', 'schedule', 'content'].map((name) => `input.${name}`),
  ...['frequency', 'day_of_week', 'day_of_month', 'time', 'timezone'].map((name) => `input.schedule.${name}`),
  ...['recipients', 'data_sources', 'format', 'include_charts', 'subject', 'message', 'instructions', 'condition'].map(
    (name) => `input.content.${name}`,
  ),
]);

it.each(TASK_TYPES)('every field of the input of a %s is tried', (type) => {
  const schema = submission(() => undefined, KNOWN_SOURCES);
  const fields = knownFieldPaths(schema, { task_type: type }).filter((field) => field.startsWith('input.'));
  expect(fields.filter((field) => !TRIED.has(field))).toEqual([]);
});
