/** The texts of cited sources: kept with the results of a research, read by number, and deleted with the results. */

import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { earlierResearch } from '../../../agents/research/previous-research.ts';
import { researchAgent } from '../../../agents/research/research-agent.ts';
import { snapshotBytes } from '../../../agents/research/snapshots.ts';
import type { ResearchPorts } from '../../../agents/research/stages.ts';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import { fileGatherer } from '../../../engines/sources/stored-files.ts';
import { DAY_MS } from '../../../shared/core/time.ts';
import type { SourceItem } from '../../../shared/sources/source-item.ts';
import { runTask } from '../../../shared/tasks/run-task.ts';
import { onlyModel } from '../../agents/run-stages.ts';
import type { Any } from '../../support/any.ts';
import { type Api, addressOf, openApi, type Who } from './setup.ts';

const documents = openDocuments(readerFilesFromCheckout());

const FEES = 'The ports of the Baltic raised their port fees by 6.5 per cent in March.';
const TEASER: SourceItem = {
  source: 'news',
  address: 'https://news.errand-tests.org/fees?a=1%202&b=ü',
  title: 'Port fees in the Baltic',
  text: FEES,
  publishedAt: '2026-05-01T00:00:00.000Z',
};
const QUERY = 'How did port fees in the Baltic change?';

let api: Api;
let who: Who;
let items: SourceItem[];
beforeEach(() => {
  api = openApi();
  who = { organization: api.found() };
  items = [TEASER];
});
afterEach(() => api.close());

async function research(input: object = {}, owner = who, pages: Record<string, string> = {}) {
  const id = await api.submitted(owner, { input: { query: QUERY, sources: ['news_feeds'], ...input } });
  await work(addressOf(owner, id), pages);
  return id;
}

async function work(address: ReturnType<typeof addressOf>, pages: Record<string, string> = {}, leaveBefore?: string) {
  const leave = new AbortController();
  const ports: ResearchPorts = {
    ...api,
    documents,
    earlierResearch: earlierResearch(api),
    gather: async (_, source) => ({ source, items, faults: [], queries: 1, isSample: false }),
    openPage: async (url) => {
      const text = pages[url];
      if (text === undefined) return { refused: 'gone', explanation: 'no longer exists' };
      return { url, title: 'Page', text, fetchedAt: api.clock.now() - 3_600_000 };
    },
    gatherFiles: fileGatherer({ ...api, fileReader: { read: async () => 'gone' } }),
    modelOf: onlyModel(undefined),
    render: () => Promise.reject(new Error('No report is rendered here.')),
  };
  const agent = researchAgent(ports);
  const agents = {
    research_agent: {
      stages: (input: unknown) =>
        agent.stages(input).map((stage) => ({
          ...stage,
          run: (...args: Parameters<typeof stage.run>) => {
            if (stage.name === leaveBefore) queueMicrotask(() => leave.abort());
            return stage.run(...args);
          },
        })),
    },
  };
  await runTask({ ...api, every: () => () => {}, agents }, address, leave.signal);
}

const resultsOf = async (id: string, owner = who): Promise<Any> =>
  (await api.call(owner, 'GET', `/tasks/${id}/results`)).body.results;
const sourceOf = (id: string, source: number | string, owner = who) =>
  api.call(owner, 'GET', `/tasks/${id}/results/sources/${source}`);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

it('keeps the text of a cited page with its URL, time and hash, and returns it as an inert attachment', async () => {
  const page = `Harbour news.\n\n${FEES} Ünïcode ✓ <script>alert(1)</script>`;
  const id = await research({}, who, { [TEASER.address]: page });
  const [document] = (await resultsOf(id)).documents;
  const fetchedAt = new Date(api.clock.now() - 3_600_000).toISOString();
  expect(document).toMatchObject({
    cited: true,
    text_by: 'page',
    fetched_at: fetchedAt,
    sha256: sha256(page),
    snapshot: `/api/v1/tasks/${id}/results/sources/1`,
  });
  const { status, text, headers } = await sourceOf(id, 1);
  expect([status, text, sha256(text)]).toEqual([200, page, document.sha256]);
  expect(headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': 'attachment; filename="source-1.txt"',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
    'cache-control': 'no-store',
    'memento-datetime': new Date(fetchedAt).toUTCString(),
    'repr-digest': `sha-256=:${createHash('sha256').update(page).digest('base64')}:`,
    link: '<https://news.errand-tests.org/fees?a=1%202&b=%C3%BC>; rel="original"',
  });
});

it('keeps only the cited texts, all in one blob', async () => {
  const second = { ...TEASER, address: 'https://news.errand-tests.org/two', title: 'Baltic port fees, again' };
  items = [TEASER, { ...second, text: 'Carriers in the Baltic say that port fees are too high since the spring.' }];
  items.push({ ...second, address: 'https://news.errand-tests.org/3', title: 'Port fees in the Baltic', text: '' });
  const puts: string[] = [];
  const { put } = api.blobs;
  api.blobs.put = (key, ...rest) => {
    puts.push(key);
    return put(key, ...rest);
  };
  const id = await research({ analysis_depth: 'basic' });
  const { documents } = await resultsOf(id);
  const cited = documents.filter((document: Any) => document.cited);
  expect(cited.length).toBeGreaterThan(1);
  for (const { document, sha256: hash } of cited) expect(sha256((await sourceOf(id, document)).text)).toBe(hash);
  for (const { document, cited: isCited, snapshot } of documents) {
    const { status } = await sourceOf(id, document);
    expect([status, snapshot !== undefined]).toEqual([isCited ? 200 : 404, isCited]);
  }
  // The report, and one object for all texts.
  expect(puts).toHaveLength(2);
});

it('cuts a text at 1 MB, between two characters', () => {
  const bytes = snapshotBytes({ title: '', text: `a${'ü'.repeat(600_000)}` });
  expect([bytes.length, bytes.toString('utf8').endsWith('ü')]).toEqual([999_999, true]);
  expect(snapshotBytes({ title: 'ü', text: ' ' }).toString('utf8')).toBe('ü');
});

it.each(['0', '2', '01', '1.0', '-1', 'x', '%00', '..%2f1', '__proto__', 'NaN'])(
  'finds no source %s',
  async (source) => {
    const id = await research();
    const { status, body } = await sourceOf(id, source);
    expect([status, body.error.code]).toEqual([404, 'TASK_NOT_FOUND']);
    expect(body.error.message).toBe(
      'No text of this source is kept. The field `snapshot` of each document in the results has the path of its text.',
    );
  },
);

it('answers another organization as for an unknown task', async () => {
  const id = await research();
  const other = { organization: api.found() };
  const { status, body } = await sourceOf(id, 1, other);
  expect([status, body.error.code, body.error.message]).toEqual([404, 'TASK_NOT_FOUND', 'Task not found']);
  expect((await sourceOf(id, 1, { ...who, role: 'viewer' })).status).toBe(200);
});

it('returns no text before the task ends, and none of a task that did not complete', async () => {
  const id = await api.submitted(who, { input: { query: QUERY, sources: ['news_feeds'] } });
  await work(addressOf(who, id), {}, 'writing');
  const early = await sourceOf(id, 1);
  expect([early.status, early.body.error.code]).toEqual([409, 'TASK_NOT_COMPLETED']);
  await api.call(who, 'POST', `/tasks/${id}/cancel`, { json: { force: true } });
  const [document] = (await resultsOf(id)).documents;
  expect(document).toMatchObject({ cited: true, sha256: sha256(FEES), snapshot: null });
  expect((await sourceOf(id, 1)).status).toBe(404);
});

it('keeps only the hash, quote and URL if the organization keeps no snapshots', async () => {
  const { organization } = who;
  const owner = api.organizations.get(organization);
  if (owner) api.organizations.set(organization, { ...owner, snapshots: false });
  const id = await research();
  const { documents, findings } = await resultsOf(id);
  expect(documents[0]).toMatchObject({ cited: true, address: TEASER.address, sha256: sha256(FEES), snapshot: null });
  expect(findings[0].citations[0].quote).toBe(FEES);
  const { status, body } = await sourceOf(id, 1);
  expect([status, body.error.message]).toEqual([
    404,
    'Your organization keeps no texts of sources: the results have the URL, the hash and the quotes of each. Its operator can change that.',
  ]);
});

it('is deleted with the results', async () => {
  const id = await research();
  expect((await sourceOf(id, 1)).status).toBe(200);
  api.clock.pass(31 * DAY_MS);
  const { status, body } = await sourceOf(id, 1);
  expect([status, body.error.message]).toEqual([404, 'Task not found']);
});
