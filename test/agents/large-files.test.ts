/** Large files that tasks deliver: they are written in threads, and the event loop goes on meanwhile. */
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { reportRenderer } from '../../agents/write-files.ts';
import { fontFilesFromCheckout, readerFilesFromCheckout } from '../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../engines/documents/documents.ts';
import { longReport } from '../engines/reports/example-report.ts';
import { watchLoop } from '../evidence/security/loop-watch.ts';
import { openProcessing } from './processing/setup.ts';
import { scriptedModel } from './scripted-model.ts';
import { openAgent } from './setup.ts';

const MOST_MS = 50;

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

const reportWith = (rows: number) => ({
  name: 'r.pdf',
  title: 'Costs',
  sections: [
    {
      heading: 'All',
      table: {
        columns: ['Month', 'Value', 'What happened'],
        rows: Array.from({ length: rows }, (_, at) => [`Month ${at}`, `${at * 7}`, 'Fees rose']),
      },
    },
    {
      heading: 'In words',
      paragraphs: Array.from({ length: rows }, (_, at) => `In month ${at} fees rose by ${at * 7}.`),
    },
  ],
});

it('renders a research report of hundreds of pages while the event loop goes on', async () => {
  const documents = openDocuments(readerFilesFromCheckout());
  close = documents.close;
  const render = reportRenderer(documents, fontFilesFromCheckout());
  const stops = watchLoop();
  stops();
  const { bytes } = await render(longReport(64), 'pdf', { organization: 'one' });
  expect(stops().workMs).toBeLessThan(MOST_MS);
  expect(Buffer.from(bytes).subarray(0, 5).toString()).toBe('%PDF-');
});

it('saves a large report of a chat, and its archive, while the event loop goes on', async () => {
  // The first report loads what all need.
  const { model, answers } = scriptedModel(
    { call: 'save_report', input: reportWith(1) },
    { text: 'done' },
    { call: 'save_report', input: reportWith(2_000) },
  );
  const at = openAgent(model);
  close = at.close;
  await at.run({});
  const stops = watchLoop();
  stops();
  const { archive } = await at.run({});
  expect(stops().workMs).toBeLessThan(MOST_MS);
  expect(answers()).toMatchObject([{ value: { saved: 'r.pdf' } }]);
  expect(archive).toBeDefined();
});

describe('a file that takes too long to be written', () => {
  const threads = { rulesFile: join(import.meta.dirname, 'endless-writers.ts'), limits: { cpuMs: 1_000 } };
  const TOO_LONG = 'A file of the results takes too long to be written; ask for less in one.';
  const sheets = [{ name: 'Costs', columns: [{ heading: 'Month', type: 'text' }], rows: [['May']] }];

  it.each([
    ['save_report', reportWith(1)],
    ['save_table', { name: 'costs.xlsx', sheets }],
  ])('is named to the model that calls %s, and the chat goes on', async (call, input) => {
    const { model, answers } = scriptedModel({ call, input }, { text: 'It could not be saved.' });
    const at = openAgent(model, { threads });
    close = at.close;
    expect(await at.run({})).toMatchObject({ text: 'It could not be saved.' });
    expect(answers()).toMatchObject([{ value: { error: TOO_LONG } }]);
  });

  it('fails a processing with that reason', async () => {
    const at = openProcessing(undefined, { threads });
    close = at.close;
    await expect(at.run({ documents: [at.serve('a.txt', 'Total: 5')] })).rejects.toThrow(TOO_LONG);
  });
});
