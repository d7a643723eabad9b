/** The text of a file: 202 while it is being read, then Markdown with places or JSON, by range and view. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Any } from '../../support/any.ts';
import { askUpload, call, type Reply } from './call.ts';

vi.setConfig({ testTimeout: 60_000 });

const SAMPLES = join(import.meta.dirname, '../../engines/documents/samples');
const SOON = { timeout: 40_000, interval: 200 };

async function uploadFile(fileName: string, bytes: Uint8Array<ArrayBuffer> | string): Promise<string> {
  const { body } = await askUpload('texts', {}, basename(fileName));
  const { fileId, storagePath, uploadUrl } = body as Record<string, string>;
  expect((await fetch(String(uploadUrl), { method: 'PUT', body: bytes })).status).toBe(200);
  const size = Buffer.byteLength(bytes);
  const json = { fileName, mimeType: 'application/octet-stream', size, storagePath };
  expect((await call('files', `/files/${fileId}/complete`, { as: 'texts', json })).status).toBe(201);
  return String(fileId);
}

const sample = (name: string) => uploadFile(name, Uint8Array.from(readFileSync(join(SAMPLES, name))));
const ask = (fileId: string, query = '', as: 'texts' | 'stranger' = 'texts') =>
  call('files', `/files/${fileId}/text${query}`, { as });

/** Polls until the file has been read. */
async function textOf(fileId: string, query = ''): Promise<Reply> {
  await expect.poll(async () => (await ask(fileId, query)).status, SOON).not.toBe(202);
  return ask(fileId, query);
}
const jsonOf = async (fileId: string, query = ''): Promise<Any> =>
  JSON.parse((await textOf(fileId, `?format=json${query}`)).text);

describe('the text of a file', () => {
  it('answers 202 with Retry-After until it has been read, and then returns Markdown with locations', async () => {
    const fileId = await sample('lease-contract.libreoffice.pdf');
    const first = await ask(fileId);
    expect([first.status, first.body]).toEqual([202, { fileId, status: 'reading' }]);
    expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
    const { status, headers, text } = await textOf(fileId);
    expect(status).toBe(200);
    expect(text).toMatch(/^<!-- page 1 -->\n/);
    expect(text).toContain('Lease');
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'; frame-ancestors 'none'");
  });

  it('is JSON with pages and blocks in their order, in any range of pages', async () => {
    const fileId = await sample('annual-report.chromium.pdf');
    const whole = await jsonOf(fileId);
    expect(whole).toMatchObject({
      fileId,
      kind: 'pdf',
      language: 'en',
      readerVersion: expect.any(String),
      notRead: [],
    });
    expect(whole.pages.length).toBeGreaterThan(2);
    expect(whole.pages.map(({ number }: Any) => number)).toEqual(whole.pages.map((_: Any, at: number) => at + 1));
    const [page] = whole.pages;
    expect(page.blocks.map(({ order }: Any) => order)).toEqual(page.blocks.map((_: Any, at: number) => at));
    expect(page.blocks.map(({ kind }: Any) => kind)).toContain('heading');
    expect(page.text).toContain(page.blocks[0].text);
    const range = await jsonOf(fileId, '&pages=2-3');
    expect(range.pages).toEqual(whole.pages.slice(1, 3));
    expect((await jsonOf(fileId, '&pages=2')).pages).toEqual([whole.pages[1]]);
    const markdown = (await textOf(fileId, '?pages=2')).text;
    expect(markdown).toContain('<!-- page 2 -->');
    expect(markdown).not.toContain('<!-- page 1 -->');
    const { headers } = await textOf(fileId, '?format=json');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('content-security-policy')).toContain('sandbox');
  });

  it('has the tables of documents, and the sheets of a workbook with typed cells', async () => {
    const invoice = await jsonOf(await sample('invoice.python-docx.docx'));
    expect(invoice.tables[0]).toMatchObject({ place: expect.any(String), headerRows: 1, rowCount: expect.any(Number) });
    expect(invoice.tables[0].rows).toHaveLength(invoice.tables[0].rowCount);
    expect(invoice.sheets).toEqual([]);
    const fileId = await sample('budget-2026.libreoffice.xlsx');
    const { sheets, pages } = await jsonOf(fileId);
    expect(pages).toEqual([]);
    expect(sheets[0]).toMatchObject({ name: expect.any(String), hidden: false });
    const [table] = sheets[0].tables;
    expect(table.rowCount).toBe(table.rows.length);
    const types = table.rows.flat().map(({ type }: Any) => type);
    expect(types).toContain('text');
    expect(types.some((type: string) => type === 'number' || type === 'currency')).toBe(true);
    for (const cell of table.rows.flat())
      expect(Object.keys(cell)).toEqual(expect.arrayContaining(['text', 'value', 'type']));
    expect((await jsonOf(fileId, '&sheets=1')).sheets).toEqual([sheets[0]]);
    expect((await textOf(fileId, '?sheets=1')).text).toContain(`<!-- sheet ${sheets[0].name}`);
  });

  it('of a web page is its article with what it says about itself, or all of it', async () => {
    const words = 'The committee met in the town hall and decided to repair the bridge before the winter. ';
    const article = `<article><h1>Bridge</h1>${`<p>${words.repeat(6)}</p>`.repeat(6)}</article>`;
    const head =
      '<title>Bridge repaired</title><meta name="author" content="M. Kern">' +
      '<meta property="article:published_time" content="2026-03-01T10:00:00Z">' +
      '<link rel="canonical" href="https://news.example.org/bridge">';
    const menu = '<nav><a href="/a">Imprint of the paper</a></nav>';
    const html = `<!doctype html><html lang="en"><head>${head}</head><body>${menu}${article}</body></html>`;
    const fileId = await uploadFile('bridge.html', html);
    const main = await jsonOf(fileId);
    expect(main).toMatchObject({
      kind: 'html',
      title: 'Bridge repaired',
      author: 'M. Kern',
      date: '2026-03-01T10:00:00.000Z',
      language: 'en',
      canonicalUrl: 'https://news.example.org/bridge',
    });
    const pageTexts = ({ pages }: Any) => pages.map(({ text }: Any) => text).join('\n');
    expect(pageTexts(main)).toContain('repair the bridge');
    expect(pageTexts(main)).not.toContain('Imprint');
    const all = await jsonOf(fileId, '&view=all');
    expect(pageTexts(all)).toContain('Imprint');
    expect(all).not.toHaveProperty('title');
    const { text } = await textOf(fileId);
    expect(text).toMatch(/^---\ntitle: "Bridge repaired"\nauthor: "M. Kern"\n/);
  });

  it('is refused with the reason on every request if the file cannot be read', async () => {
    const fileId = await sample('locked/letter.fpdf2.pdf');
    for (const _ of [1, 2]) {
      const { status, body } = await textOf(fileId);
      expect([status, body]).toEqual([422, { error: 'The file is protected by a password.' }]);
    }
  });

  it('of another organization is not found, like that of an unknown file', async () => {
    const fileId = await sample('press-release.latin1.txt');
    const foreign = await ask(fileId, '', 'stranger');
    const unknown = await ask('01900000-0000-7000-8000-00000000abcd', '', 'stranger');
    expect([foreign.status, foreign.body]).toEqual([404, { error: 'File not found' }]);
    expect([unknown.status, unknown.body]).toEqual([foreign.status, foreign.body]);
    expect((await call('files', `/files/${fileId}/text`)).status).toBe(401);
    expect(unknown.headers.get('ratelimit-policy')).toBe('"minute";q=60;w=60');
  });

  it('is deleted with its file', async () => {
    const fileId = await sample('press-release.latin1.txt');
    expect((await textOf(fileId)).status).toBe(200);
    await call('files', `/files/${fileId}`, { as: 'texts', method: 'DELETE' });
    expect((await ask(fileId)).status).toBe(404);
  });

  it('returns at most 5 MB per range', async () => {
    const lines = Array.from(
      { length: 60_000 },
      (_, at) => `Line ${at} of a long text that is more than five megabytes`,
    );
    const fileId = await uploadFile('long.txt', `${lines.join('\n\n')}\n${'x'.repeat(2_500_000)}`);
    const { status, body } = await textOf(fileId);
    expect(status).toBe(413);
    expect(body.error).toMatch(
      /^This range has more than 5 MB: ask for fewer, such as pages=1-\d+\. The file has \d+ pages\.$/,
    );
    const range = /pages=1-\d+/.exec(String(body.error))?.[0] ?? '';
    const part = await textOf(fileId, `?${range}`);
    expect(part.status).toBe(200);
    expect(part.text.length).toBeGreaterThan(1_000_000);
    expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(5_000_000);
  });
});

it.each([
  ['format=xml', 'format must be markdown or json'],
  ['view=half', 'view must be main or all'],
  ['pages=0', 'pages must be a number or a range, such as 3 or 2-5'],
  ['pages=3-2', 'pages must be a number or a range, such as 3 or 2-5'],
  ['pages=1&pages=2', 'pages must be given once'],
  ['pages=9', 'pages must lie within 1 to 1'],
  ['sheets=1', 'This file has pages: give pages in place of sheets'],
])('refuses the query %s', async (query, error) => {
  const fileId = await uploadFile('a.txt', 'One line.');
  await textOf(fileId);
  const reply = await ask(fileId, `?${query}`);
  expect([reply.status, reply.body]).toEqual([400, { error }]);
});

it('says that a workbook has sheets', async () => {
  const fileId = await uploadFile('a.csv', 'Name,Amount\nA,1\nB,2\n');
  await textOf(fileId);
  const reply = await ask(fileId, '?pages=1');
  expect([reply.status, reply.body]).toEqual([400, { error: 'This file has sheets: give sheets in place of pages' }]);
});
