/** Hostile documents through every agent: the output shows text, and nothing in it calculates, runs or loads. */
import { read as readWorkbook, utils } from '@e965/xlsx';
import { unzipSync } from 'fflate';
import { afterEach, describe, expect, it } from 'vitest';
import { researchAgent } from '../../../agents/research/research-agent.ts';
import type { OutputFormat } from '../../../shared/agents/processing-input.ts';
import { gatheringOf, item, openMail } from '../../agents/notification/setup.ts';
import { openProcessing } from '../../agents/processing/setup.ts';
import { itemsOf, openResearch } from '../../agents/research/setup.ts';
import { fileOf, runReporting } from '../../agents/run-stages.ts';
import { scriptedModel } from '../../agents/scripted-model.ts';
import { openAgent } from '../../agents/setup.ts';
import { render } from '../reports/setup.ts';
import { HOSTILE_VALUES, hostileCsv, hostileText } from './hostile-documents.ts';
import { activeInHtml, activeInMarkdown, formulasInCsv } from './judge.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
function keep<T extends { close(): unknown }>(one: T): T {
  opened.push(one);
  return one;
}

const SEPARATORS = [',', ';', '\t'] as const;

describe('the processing agent', () => {
  async function outputOf(output_format: OutputFormat): Promise<{ bytes: Buffer; urls: string[] }> {
    const at = keep(openProcessing());
    const documents = [at.serve('a.txt', hostileText), at.serve('=b;@c.csv', hostileCsv)];
    const { report } = await at.run({ documents, output_format });
    return { bytes: await at.fileOf(report), urls: documents.map(({ url }) => url) };
  }

  it.each(SEPARATORS)(
    'writes CSV in which a spreadsheet that separates by %j calculates nothing',
    async (separator) => {
      const text = (await outputOf('csv')).bytes.toString().replace('\ufeff', '');
      expect(text).toContain('/C calc');
      expect(formulasInCsv(text, separator)).toEqual([]);
    },
  );

  it('writes Markdown that shows the hostile text and does nothing else', async () => {
    const { bytes, urls } = await outputOf('markdown');
    const text = bytes.toString();
    expect(text).toContain('alert(1)');
    expect(text).toContain('javascript:alert(4)');
    expect(activeInMarkdown(text, urls)).toEqual([]);
  });

  it('writes a workbook of texts without formulas', async () => {
    const workbook = readWorkbook((await outputOf('xlsx')).bytes);
    const cells = workbook.SheetNames.flatMap((name) => Object.values(workbook.Sheets[name] ?? {}));
    expect(cells.filter((cell) => cell?.f !== undefined || cell?.l !== undefined)).toEqual([]);
    const texts = workbook.SheetNames.flatMap((name) =>
      utils.sheet_to_json<string[]>(workbook.Sheets[name] ?? {}, { header: 1 }),
    ).flat();
    expect(texts.some((text) => String(text).includes('/C calc'))).toBe(true);
    expect(texts.some((text) => String(text).includes('\u202e'))).toBe(false);
  });
});

describe('the research agent', () => {
  const items = itemsOf(
    'news_feeds',
    HOSTILE_VALUES.map((value, at) => ({
      title: `Port fees ${value}`,
      text: `Port fees in Hamburg rose by ${at + 2} per cent in 2026 ${value} said the senate.`,
    })),
  );
  const allowed = items.map(({ address }) => address);

  async function outputOf(output_format: 'markdown' | 'html'): Promise<string> {
    const at = keep(openResearch({ news_feeds: { items } }));
    const asks = { query: 'How did port fees in Hamburg change?', sources: ['news_feeds'], output_format };
    const address = { organization: at.ids.uuid(), taskId: at.ids.uuid() };
    const input = { model: 'offline/extractive', asked: asks };
    const stages = researchAgent({ ...at.ports, render }).stages(input);
    const { report } = await runReporting(stages, { address, input: asks, signal: new AbortController().signal });
    return (await fileOf(at.blobs, report)).toString();
  }

  it('writes Markdown that links to its sources only', async () => {
    const text = await outputOf('markdown');
    expect(text).toContain('alert(1)');
    expect(activeInMarkdown(text, allowed)).toEqual([]);
  });

  it('writes a page that links to its sources only', async () => {
    const page = await outputOf('html');
    expect(page).toContain('alert(1)');
    expect(activeInHtml(page, allowed)).toEqual([]);
  });
});

/** A mail shows the first five items of a source. */
const FIVES = Array.from({ length: Math.ceil(HOSTILE_VALUES.length / 5) }, (_, at) =>
  HOSTILE_VALUES.slice(5 * at, 5 * at + 5),
);

it.each(FIVES)('the notification agent sends a mail that links to its sources only: %s ...', async (...values) => {
  const items = values.map((value, at) =>
    item({ title: `Rates ${value}`, text: `The rate is ${at} ${value}`, address: `https://news.errand.test/${at}` }),
  );
  const at = keep(await openMail({ sources: { news_feeds: gatheringOf(items) } }));
  await at.run({
    notification_type: 'digest',
    content: { subject: 'Rates', data_sources: ['news_feeds'], recipients: ['a@reader.example.org'] },
  });
  const [mail] = await at.mails();
  const html = mail?.html ?? '';
  expect(html.match(/>Rates /g)?.length).toBe(values.length);
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url ?? '');
  const own = links.filter((url) =>
    /^https:\/\/(news\.errand\.test\/\d|agents\.errand\.test\/unsubscribe\/)/.test(url),
  );
  expect(activeInHtml(html, own)).toEqual([]);
});

describe('the chat agent', () => {
  const save = (name: string, content: string) => ({ call: 'save_file', input: { name, content } });
  const page = `<!DOCTYPE html><html><body>${HOSTILE_VALUES.join('<br>')}</body></html>`;

  async function saveFiles(...files: [name: string, content: string][]) {
    const scripted = scriptedModel(...files.map(([name, content]) => save(name, content)), {
      text: HOSTILE_VALUES.join('\n\n'),
    });
    const at = keep(openAgent(scripted.model));
    const result = await at.run({ prompt: 'Write the files.' });
    const body = result.archive ? await at.blobs.read(result.archive.bytesAt) : undefined;
    const chunks: Uint8Array[] = [];
    for await (const chunk of body ?? []) chunks.push(chunk);
    const entries = body ? unzipSync(Buffer.concat(chunks)) : {};
    const texts = Object.fromEntries(
      Object.entries(entries).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]),
    );
    return { texts, result, answers: scripted.answers() };
  }

  it('answers and saves Markdown without scripts, pictures and links of strangers', async () => {
    const { texts, result } = await saveFiles(['a.md', HOSTILE_VALUES.join('\n\n')]);
    expect(activeInMarkdown(result.text ?? '')).toEqual([]);
    expect(activeInMarkdown(texts['a.md'] ?? '')).toEqual([]);
  });

  it.each(SEPARATORS)(
    'saves tables in which a spreadsheet that separates by %j calculates nothing',
    async (separator) => {
      const { texts } = await saveFiles(['a.csv', hostileCsv], ['b.tsv', HOSTILE_VALUES.join('\t')]);
      for (const text of Object.values(texts)) {
        expect(text).toContain('/C calc');
        expect(formulasInCsv(text, separator)).toEqual([]);
      }
    },
  );

  it('keeps the numbers of a table that it saves', async () => {
    const { texts } = await saveFiles(['a.csv', 'a,b\r\n-1.5,"-20%"\r\n']);
    expect(texts['a.csv']).toBe('a,b\r\n-1.5,"-20%"\r\n');
  });

  it('saves pages that may run and load nothing, however often a later step takes them up', async () => {
    const { texts } = await saveFiles(['a.html', page]);
    expect(texts['a.html']).toMatch(
      /^<!doctype html>\n<meta http-equiv="Content-Security-Policy" content="default-src 'none';/,
    );
    const { texts: again } = await saveFiles(['a.html', texts['a.html'] ?? '']);
    expect(again).toEqual(texts);
  });

  it.each(['report.xlsx', 'report.PDF', 'letter.docx', 'picture.png', 'picture.svg', 'page.xhtml'])(
    'refuses to save text as %s',
    async (name) => {
      const { texts, answers } = await saveFiles([name, 'not what the name says']);
      expect(texts).toEqual({});
      expect(JSON.stringify(answers)).toContain('Only text can be saved');
    },
  );
});
