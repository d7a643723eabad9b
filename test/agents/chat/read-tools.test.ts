/** What the tools of a chat task deliver, and what the task remembers of it. */
import { expect, it } from 'vitest';
import { pictureShow } from '../../../agents/chat/pictures.ts';
import { toolsFor } from '../../../agents/chat/tools.ts';
import type { Workspace, WorkspaceFile } from '../../../agents/chat/workspace.ts';
import type { QueryReply } from '../../../engines/documents/sheets/run-query.ts';
import { searchPassages } from '../../../engines/retrieval/search.ts';
import { writers } from '../../engines/reports/setup.ts';

const page = (number: number, text: string) => ({ place: `page ${number}`, text });
const REPORT: WorkspaceFile = {
  name: 'report.pdf',
  kind: 'pdf',
  pages: [
    { parts: [page(1, '# Harbour report'), { ...page(1, 'Fees of nobody.'), place: 'page 1 (hidden)', hidden: true }] },
    {
      parts: [
        page(2, '# 4. Fees\n\nThe fees rose.'),
        page(3, 'Fees of the port\n\n| Port | Fee |\n| --- | --- |\n| Oslo | 9 |'),
      ],
    },
  ],
};
const OTHER: WorkspaceFile = {
  name: 'other.pdf',
  kind: 'pdf',
  pages: [
    {
      parts: Array.from({ length: 30 }, (_, at) =>
        page(at + 1, `Fees of year ${at}. ${'They rose again. '.repeat(100)}`),
      ),
    },
  ],
};

function open(query: Partial<QueryReply> = {}) {
  const workspace: Workspace = {
    files: [REPORT, OTHER],
    rulesets: [],
    toolResults: [],
    written: new Map(),
    saved: new Map(),
    ...writers,
    query: async () => ({ tables: [], ...query }),
    search: async (words, passages) => searchPassages({ query: words, passages, limit: 60 }),
    now: () => 0,
  };
  const tools = toolsFor(workspace, { pictures: pictureShow(workspace), isOutlineShortened: false });
  const call = (name: string, input: object): Promise<unknown> =>
    tools[name]?.execute?.(input, { toolCallId: 'c', messages: [], context: {} }) as Promise<unknown>;
  return { desk: workspace, call };
}

it('reads a place by a heading, also over several pages', async () => {
  const { call } = open();
  expect(await call('read_file', { file: 1, place: 'section 4' })).toMatchObject({
    place: 'page 2, 4. Fees',
    parts: [{ place: 'page 2', text: '# 4. Fees\n\nThe fees rose.' }, { place: 'page 3' }],
  });
});

it('says what of a place names nothing, and which places there are', async () => {
  const { call } = open();
  expect(await call('read_file', { file: 1, place: 'page 2, last line' })).toMatchObject({
    place: 'page 2',
    notFound: ['last line'],
  });
  expect(await call('read_file', { file: 1, place: 'slide 2' })).toEqual({
    error: 'There is no such place in the file.',
    places: ['page 1 … page 3'],
  });
});

it('finds ten places and more within a length, of which none crowds out another', async () => {
  const { call } = open();
  const hits = (await call('search_files', { query: 'fees of the port' })) as {
    file: number;
    place: string;
    excerpt: string;
  }[];
  expect(hits.length).toBeGreaterThanOrEqual(10);
  expect(new Set(hits.map(({ file, place }) => `${file} ${place}`)).size).toBe(hits.length);
  expect(JSON.stringify(hits).length).toBeLessThan(20_000);
  expect(hits[0]).toEqual({
    file: 1,
    source: 'report.pdf',
    place: 'page 3',
    under: ['Fees of the port', '4. Fees'],
    excerpt: '| Port | Fee |\n| Oslo | 9 |',
  });
  expect(JSON.stringify(hits)).not.toContain('nobody');
});

it('remembers the latest calculations and queries in bounded length', async () => {
  const { desk: workspace, call } = open({ result: { columns: ['x'], rows: [['y'.repeat(9_000)]] } });
  await call('query_table', { sql: 'SELECT * FROM T1' });
  expect(workspace.toolResults).toMatchObject([{ tool: 'query_table', input: 'SELECT * FROM T1' }]);
  expect(workspace.toolResults[0]?.output).toHaveLength(4_000);
  for (let at = 0; at < 70; at++) await call('calculate', { expression: `${at} + 1` });
  expect(workspace.toolResults).toHaveLength(60);
  expect(workspace.toolResults.at(-1)).toEqual({ tool: 'calculate', input: '69 + 1', output: '{"result":"70"}' });
});
