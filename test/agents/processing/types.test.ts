/** Each type of processing has results of its own, which rest on passages of the documents; without a model, and with one. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { afterEach, describe, expect, it } from 'vitest';
import { PASSAGES_ONLY } from '../../../engines/models/keyless.ts';
import { processingResults } from '../../../shared/agents/results/processing.ts';
import { workbookWithHiddenSheet } from '../../engines/documents/file-builders.ts';
import { agreesTo, isSecondLook, promptOf, verdictsOn } from '../scripted-look.ts';
import { scriptedModel } from '../scripted-model.ts';
import { openProcessing } from './setup.ts';

let at: ReturnType<typeof openProcessing> | undefined;

const REPORT = `Harbour report for May

The port of Riga handled 412 ships in May, and its revenue grew to 3.2 million euros.
The new crane cost 900,000 euros and has worked since 4 May without a fault.
Storms closed the port for two days, which delayed 17 ships and their cargo.
The port will hire 30 people for the terminal before the end of the year.
Ships paid port fees of 1.1 million euros, which is 8 per cent more than in April.
The board decided that the port fees of ships will not change before next May.
A survey of carriers found that most ships wait less than three hours.
The old terminal closes in October, and its 40 people move to the new one.`;
const INVOICE =
  'Tax Invoice\nInvoice No: A-17\nBuyer: Lamps Ltd\nDate: 3 March 2026\nNet amount: 100.00\nTotal: EUR 120.00\n';
const LETTER = `Dear Ms Moore,

the lamp that you sent us is broken, and we are angry. We want our money back.
The invoice of last week was not paid.`;

type Asks = Omit<Parameters<ReturnType<typeof openProcessing>['run']>[0], 'documents'>;

async function close() {
  await at?.close();
  at = undefined;
}
afterEach(close);

async function run(texts: string[], asks: Asks, model?: LanguageModelV4) {
  at = openProcessing(model);
  const documents = texts.map((text, nth) => at?.serve(`${nth + 1}.txt`, text) ?? { url: '' });
  const { results, report } = await at.run({ documents, ...asks }, model ? { modelId: 'scripted/model' } : {});
  // As the contract describes them.
  expect(v.parse(processingResults, results)).toEqual(results);
  return { results, report };
}

const squeeze = (text: string) => text.replaceAll(/\s+/g, ' ');

/** Answers by what it is asked; as the second look it agrees to these texts, to nothing, or to whatever it is asked. */
function answering(answer: object, agrees: readonly unknown[] | 'to all' = []): LanguageModelV4 {
  return {
    ...scriptedModel().model,
    doGenerate(options) {
      const prompt = promptOf(options);
      const verdictOf = agrees === 'to all' ? () => true : agreesTo(agrees);
      const text = isSecondLook(prompt) ? verdictsOn(prompt, verdictOf) : JSON.stringify(answer);
      return scriptedModel({ text }).model.doGenerate(options);
    },
  };
}

describe('a summarization', () => {
  const asks = { processing_type: 'summarization' };

  it('without a model shows how each document begins, word for word, with as many passages as the length asks for', async () => {
    const long = Array.from({ length: 14 }, (_, nth) => `# Part ${nth}\n\n${REPORT}`).join('\n\n');
    const counts = [];
    for (const length of ['short', 'standard', 'long'] as const) {
      const { results, report } = await run([long, LETTER], { ...asks, processing_options: { length } });
      const { points = [], documents = [] } = results.summary ?? {};
      counts.push(documents[0]?.points.length);
      expect(documents.map(({ document }) => document)).toEqual([1, 2]);
      for (const { quote, is_quote, document } of documents.flatMap((one) => one.points)) {
        expect(is_quote).toBe(true);
        expect(squeeze([long, LETTER][document - 1] ?? '')).toContain(squeeze(quote));
      }
      expect(points[0]).toEqual(documents[0]?.points[0]);
      expect(points.some(({ document }) => document === 2)).toBe(true);
      expect(results.complete).toBe(false);
      expect(report.warnings).toContain(PASSAGES_ONLY);
      await close();
    }
    expect(counts).toEqual([3, 6, 12]);
  });

  it('runs no rules that were not asked for, and counts as complete', async () => {
    const { results, report } = await run([REPORT], asks);
    expect(results.rules).toEqual([]);
    expect(report.confidence).toMatchObject({ analysisCompleteness: 1 });
  });

  const POINTS = [
    { text: 'Revenue rose to 3.2 million euros.', quote: 'its revenue grew to 3.2 million euros' },
    { text: 'Revenue rose to 4 million euros.', quote: 'its revenue grew to 3.2 million euros' },
    { text: 'The crane is broken.', quote: 'the crane broke in May' },
  ];
  const TEXTS = POINTS.map(({ text }) => text);

  it('keeps of a model what stands in the document, and no other figures', async () => {
    const { results, report } = await run([REPORT], asks, answering({ points: POINTS }, TEXTS));
    expect(results.summary?.points).toEqual([
      {
        text: POINTS[0]?.text,
        is_quote: false,
        document: 1,
        place: expect.any(String),
        quote: POINTS[0]?.quote,
      },
    ]);
    expect(report.queries).toBe(2);
  });

  it.each([
    ['whose points a second look does not agree to', answering({ points: POINTS })],
    ['whose second look agrees to everything', answering({ points: POINTS }, 'to all')],
    ['that gives no points', answering({ points: [] })],
    ['that answers something else', answering({ sum: 1 })],
  ])('quotes the document instead of a model %s', async (_, model) => {
    const { results } = await run([REPORT], asks, model);
    expect(results.summary?.points.length).toBeGreaterThan(0);
    expect(results.summary?.points.every((point) => point.is_quote)).toBe(true);
  });
});

describe('a classification', () => {
  const asks = { processing_type: 'classification' };
  const labels = [
    'invoice',
    { name: 'complaint', description: 'broken, angry, money back' },
    { name: 'praise', description: 'happy, thanks, excellent' },
  ];

  it('without a model gives no class, and says why', async () => {
    const { results, report } = await run([INVOICE], { ...asks, processing_options: { labels } });
    expect(results.classes).toEqual([{ document: 1, label: null, basis: [], reason: PASSAGES_ONLY, candidates: [] }]);
    expect(results.complete).toBe(false);
    expect(report.warnings).toContain(PASSAGES_ONLY);
    expect(report.confidence?.analysisCompleteness).toBe(0);
  });

  it('offers a model the labels of an enumeration of the schema, or else common kinds of documents', async () => {
    const { model, given } = scriptedModel();
    const schema = { type: 'object', properties: { kind: { enum: ['RECHNUNG', 'letter'] } } };
    await run([INVOICE], { ...asks, output_schema: schema }, model);
    const labelsShown = () =>
      given.map(({ prompt }) => JSON.stringify(prompt)).findLast((text) => text.includes('Labels:'));
    expect(labelsShown()).toContain('RECHNUNG');
    await close();
    await run([INVOICE], asks, model);
    expect(labelsShown()).toContain('delivery note');
  });

  const PRAISE = { label: 'praise', quote: 'has worked since 4 May without a fault' };
  const IS_PRAISE = [`The class of the document is ${JSON.stringify(labels[2])}.`];

  it.each<[string, LanguageModelV4, string | null]>([
    ['takes the class', answering(PRAISE, IS_PRAISE), 'praise'],
    ['refuses a changed quote', answering({ ...PRAISE, quote: 'has worked with no fault' }, IS_PRAISE), null],
    ['refuses an unknown label', answering({ ...PRAISE, label: 'joy' }, IS_PRAISE), null],
    ['refuses what a second look does not agree to', answering(PRAISE), null],
    ['refuses what a second look agrees to with everything else', answering(PRAISE, 'to all'), null],
  ])('%s of a model', async (_, model, label) => {
    const { results } = await run([REPORT], { ...asks, processing_options: { labels } }, model);
    expect(results.classes?.[0]?.label).toBe(label);
  });

  it('takes no point of a summary from a hidden sheet', async () => {
    at = openProcessing();
    const documents = [at.serve('fees.xlsx', workbookWithHiddenSheet())];
    const summary = await at.run({ documents, processing_type: 'summarization' });
    expect(JSON.stringify(summary.results.summary)).not.toContain('900');
    expect(JSON.stringify(summary.results.summary)).toContain('3 euros');
  });
});

describe('a comparison', () => {
  const OTHER = INVOICE.replace('120.00', '130.00').replace('Buyer: Lamps Ltd\n', 'Buyer:  LAMPS Ltd\nShip: Anna\n');
  const asks = { processing_type: 'comparison' };

  it('shows each field of all documents with its place, those that differ first', async () => {
    const { results } = await run([INVOICE, OTHER], asks, answering({ findings: [] }));
    const of = (name: string) => results.comparison?.find(({ field }) => field === name);
    expect(results.comparison?.[0]).toMatchObject({ field: 'total', status: 'different' });
    expect(of('total')?.values).toEqual([
      { document: 1, value: 'EUR 120.00', place: expect.any(String), quote: expect.stringContaining('120.00') },
      { document: 2, value: 'EUR 130.00', place: expect.any(String), quote: expect.stringContaining('130.00') },
    ]);
    expect(of('Buyer')?.status).toBe('same');
    expect(of('Ship')).toMatchObject({ status: 'partial', values: [{ value: null, quote: null }, { value: 'Anna' }] });
    expect(of('Total')).toBeUndefined();
  });

  it('compares the fields of a schema', async () => {
    const properties = { total: { type: 'number' }, buyer: { type: 'string' }, ship: { type: 'string' } };
    const schema = { type: 'object', properties };
    const looks = answering({ fields: [] }, [120, 130, 'Lamps Ltd', 'LAMPS Ltd', 'Anna']);
    const { results } = await run([INVOICE, OTHER], { ...asks, output_schema: schema }, looks);
    expect(results.comparison?.map(({ field, status }) => [field, status])).toEqual([
      ['total', 'different'],
      ['ship', 'partial'],
      ['buyer', 'same'],
    ]);
  });

  it('without a model compares nothing, and shows how the documents begin', async () => {
    const { results } = await run([INVOICE, OTHER], asks);
    expect(results.comparison).toEqual([]);
    expect(results.summary?.documents.map(({ points }) => points[0]?.text)).toEqual([
      expect.stringContaining('EUR 120.00'),
      expect.stringContaining('EUR 130.00'),
    ]);
    expect(results.complete).toBe(false);
  });

  it('takes no answer of a model that does not stand in the document', async () => {
    const findings = [{ instruction: 1, value: 'Bob', excerpt: 'signed by Bob' }];
    const { results } = await run(
      [INVOICE, OTHER],
      { ...asks, extraction_rules: ['Who signed?', 'total'] },
      answering({ findings }),
    );
    expect(results.comparison?.map(({ field }) => field)).toEqual(['total']);
  });
});

describe('the files', () => {
  const TYPES = [
    ['summarization', 'Summary', 'point', 'port fees'],
    ['classification', 'Classes', 'class', 'No language model'],
    ['comparison', 'Comparison', 'status', 'different'],
  ] as const;

  it.each(TYPES)('of a %s begin with its results', async (type, sheet, head, value) => {
    const texts = [REPORT, INVOICE, INVOICE.replace('120', '130')];
    const asks = { processing_type: type };
    const resultAs = async (output_format: 'csv' | 'markdown' | 'jsonl' | 'xlsx' | 'json') => {
      await close();
      const model = type === 'comparison' ? answering({ findings: [] }) : undefined;
      const { report, results } = await run(texts, { ...asks, output_format }, model);
      if (!at) throw new Error('It is closed.');
      return { bytes: await at.fileOf(report), results };
    };
    const csv = (await resultAs('csv')).bytes.toString('utf8');
    expect(csv.split('\n')[0]).toContain(head);
    expect(csv).toContain(value);
    const markdown = (await resultAs('markdown')).bytes.toString('utf8');
    expect(markdown).toContain(`## ${sheet}\n`);
    expect(markdown).toContain(value);
    const lines = (await resultAs('jsonl')).bytes.toString('utf8').trim().split('\n');
    const { bytes, results } = await resultAs('json');
    const own = results.summary?.documents ?? results.classes ?? results.comparison;
    expect(lines.map((one) => JSON.parse(one))).toEqual(own);
    expect(JSON.parse(bytes.toString('utf8'))).toMatchObject({ processing_type: type });
    const workbook = { name: 'r.xlsx', bytes: (await resultAs('xlsx')).bytes };
    const { sheets = [] } = (await at?.documents.read(workbook, { organization: 'o', sheets: true })) ?? {};
    expect(sheets[0]?.name).toBe(sheet);
    expect(JSON.stringify(sheets[0])).toContain(value);
  });
});
