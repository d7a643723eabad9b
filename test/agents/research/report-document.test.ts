/** The document that the files of a report are rendered from. */

import { afterEach, expect, it } from 'vitest';
import { reportDocument } from '../../../agents/research/report.ts';
import { requestOf } from '../../../agents/research/research-request.ts';
import type { ReportDocument } from '../../../engines/reports/report-document.ts';
import type { ResearchInput } from '../../../shared/agents/research-input.ts';
import type { ResearchResults } from '../../../shared/agents/results/research.ts';
import { PORTS, QUERY } from './ports-news.ts';
import { itemsOf, openResearch } from './setup.ts';

let at: ReturnType<typeof openResearch>;
afterEach(() => at?.close());

async function documentOf(
  asks: Partial<ResearchInput> & { query: string },
  change: (results: ResearchResults) => void = () => {},
  sources: Parameters<typeof openResearch>[0] = PORTS,
): Promise<ReportDocument> {
  at = openResearch(sources);
  const { results } = await at.run({ output_format: 'html', ...asks });
  const changed = structuredClone(results);
  change(changed);
  return reportDocument(requestOf(asks, 'offline/extractive'), changed, 0);
}

const tableOf = ({ sections }: ReportDocument) =>
  sections.flatMap(({ blocks }) => blocks).flatMap((block) => (block.kind === 'table' ? [block] : []))[0];
const lastTexts = ({ sections }: ReportDocument) =>
  (sections.at(-1)?.blocks ?? []).map((block) => (block.kind === 'paragraph' ? block.runs[0]?.text : block.kind));

it('has the whole question as its title', async () => {
  const query = `How did port fees in the Baltic change, and ${'what do carriers say, '.repeat(5)}in 2026?`;
  expect(query.length).toBeGreaterThan(120);
  const document = await documentOf({ query });
  expect(document.title).toBe(query);
  expect(document.subtitle).toBeUndefined();
});

it('has the first sentence of a long question as its title, and all of it below', async () => {
  const query = `${QUERY} ${'Say what carriers and ports expect of it. '.repeat(8)}`.trim();
  const document = await documentOf({ query, geographic_scope: ['Baltic'] });
  expect(document.title).toBe(QUERY);
  expect(document.subtitle).toBe(`${query} · Baltic`);
});

it('cuts a long sentence between words', async () => {
  const query = `How did port fees change for ${'Donaudampfschifffahrtsgesellschaften, '.repeat(10)}please?`;
  const { title } = await documentOf({ query });
  expect(title.length).toBeLessThanOrEqual(200);
  expect(title).toMatch(/Donaudampfschifffahrtsgesellschaften,?…$/);
});

it('writes figures, days and sources of a table for the reader, with one citation a row', async () => {
  const changeTo = (value: number, text: string) => (results: ResearchResults) => {
    for (const { table } of results.deliverables)
      for (const row of table?.rows ?? []) {
        row.cells[2] = text;
        row.value = value;
      }
  };
  const document = await documentOf({ query: QUERY, deliverables: ['data_table'] }, changeTo(2310.5, '2310.5'));
  const cells = ['Port fee index', 'Baltic port fee index', '2,310.5', 'points', '1 March 2026', 'Market data'];
  const [row = []] = tableOf(document)?.rows ?? [];
  expect(row.map(({ text }) => text)).toEqual(cells);
  expect(row.map(({ citations }) => citations?.length ?? 0)).toEqual([0, 0, 0, 0, 0, 1]);
  expect(document.sources.map(({ title }) => title)).toContain('Baltic port fee index (Market data)');
  at.close();
  const german = await documentOf(
    { query: 'Wie haben sich die Hafengebühren (port fees) in der Baltic verändert?', deliverables: ['data_table'] },
    changeTo(2310.5, '2310.5'),
  );
  expect(
    tableOf(german)
      ?.rows[0]?.map(({ text }) => text)
      .slice(2, 5),
  ).toEqual(['2.310,5', 'points', '1. März 2026']);
});

it('shows a hundred rows, and says where the others are', async () => {
  const document = await documentOf({ query: QUERY, deliverables: ['data_table'] }, ({ deliverables }) => {
    const { table } = deliverables[0] ?? {};
    const [first] = table?.rows ?? [];
    if (!table || !first) return;
    table.rows = [...Array.from({ length: 110 }, () => first), { ...first, document: null, citations: [] }];
    table.rows_left_out = 3;
  });
  expect(tableOf(document)?.rows).toHaveLength(100);
  expect(tableOf(document)?.remark).toBe('14 more rows: results.json');
});

it('has no heading without content: the limits say what a table or chart lacks', async () => {
  const sources = { news: { items: itemsOf('news', [{ title: 'Port fees', text: 'Port fees of the Baltic rose.' }]) } };
  const deliverables = ['key_findings', 'charts', 'data_table', 'limits'];
  const isFound = (results: { outcome?: unknown }) => {
    results.outcome = 'found';
  };
  const named = await documentOf({ query: QUERY, deliverables }, isFound, sources);
  expect(named.sections.map(({ heading }) => heading)).toEqual(['Key findings', 'Limits']);
  const lacking = ['Charts: There are no figures to compare.', 'Data table: Nothing that was found has figures.'];
  expect(lastTexts(named)).toEqual(expect.arrayContaining(lacking));
  at.close();
  const withoutLimits = await documentOf({ query: QUERY, deliverables: ['charts', 'data_table'] }, isFound, sources);
  expect(withoutLimits.sections.map(({ heading }) => heading)).toEqual(['Limits']);
  expect(lastTexts(withoutLimits)).toEqual(lacking);
});

it('lists the sources once, below the title of the section that the caller named, without links to sample data', async () => {
  const document = await documentOf({ query: QUERY, deliverables: ['key_findings', 'references'] });
  expect(document.sections.map(({ heading }) => heading)).toEqual(['Key findings']);
  expect(document.sourcesHeading).toBe('References');
  const samples = document.sources.filter(({ isSample }) => isSample);
  expect(samples.length).toBeGreaterThan(0);
  expect(samples.filter(({ address }) => address !== undefined)).toEqual([]);
});

it('shows the marks of sentences, and the pages of files', async () => {
  const document = await documentOf({ query: QUERY, deliverables: ['executive_summary'] }, (results) => {
    const [paragraph] = results.deliverables[0]?.paragraphs ?? [];
    const finding = results.findings.find((candidate) => candidate.finding === paragraph?.findings[0]);
    const [citation] = finding?.citations ?? [];
    if (!paragraph || !finding || !citation) return;
    finding.citations = [
      { ...citation, page: 12 },
      { ...citation, page: 3 },
    ];
    paragraph.sentences = [
      { text: 'Fees rose.', checked_by: null, unconfirmed: 'No quote says so.', findings: [], citations: [] },
      { text: 'They fell later.', checked_by: 'model', findings: [finding.finding], citations: [citation.document] },
    ];
  });
  const [block] = document.sections[0]?.blocks ?? [];
  const runs = block?.kind === 'list' ? block.items[0] : block?.kind === 'paragraph' ? block.runs : [];
  expect(runs?.[0]).toEqual({ text: 'Fees rose.', mark: 'not confirmed' });
  const [number = 0] = runs?.[1]?.citations ?? [];
  expect(runs?.[1]).toMatchObject({
    text: expect.stringMatching(/^ They fell later\./),
    places: { [number]: 'page 3, page 12' },
  });
  expect(document.sources.find((source) => source.number === number)?.places).toEqual(['page 3', 'page 12']);
});
