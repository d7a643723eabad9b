/** What the research agent says of options that it could not apply. */
import { afterEach, expect, it } from 'vitest';
import { PASSAGES_ONLY } from '../../../engines/models/keyless.ts';
import type { ResearchInput } from '../../../shared/agents/research-input.ts';
import { PORTS, QUERY } from './ports-news.ts';
import { openResearch } from './setup.ts';

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

const run = (asks: Partial<ResearchInput> = {}) => {
  at = openResearch(PORTS);
  return at.run({ query: QUERY, ...asks });
};

it('takes no place that is asked for as an option without effect, whatever words the documents have for it', async () => {
  const { report } = await run({ geographic_scope: ['Deutschland', 'New Zealand', 'global'] });
  expect([report.warnings, report.confidence?.analysisCompleteness]).toEqual([[PASSAGES_ONLY], 1]);
});

it.each<[Partial<ResearchInput>, number]>([
  [{}, 1],
  [
    { depth: 'Overview', analysis_depth: 'in-depth', research_type: 'trend analysis', deliverables: ['Key Findings'] },
    1,
  ],
  [{ depth: 'abyssal' }, 0.8],
  [{ research_type: 'tea leaves', depth: 'abyssal' }, 0.64],
])('takes itself for less complete when options were not known: %j', async (asks, completeness) => {
  const { report } = await run(asks);
  expect(report.confidence?.analysisCompleteness).toBe(completeness);
});

it('asks whether a section that is nearly a known one was meant, and says nothing of titles of the caller', async () => {
  const { report } = await run({ deliverables: ['key_findngs', 'charts', 'What the port says'] });
  expect(report.warnings).toEqual([
    PASSAGES_ONLY,
    'input.deliverables: key_findngs became a section with this title. Did you mean key_findings?',
  ]);
});

it('calls a research that read nothing one that found nothing, and says how to go on', async () => {
  at = openResearch({ news_feeds: { items: [] } });
  const { report, results } = await at.run({ query: QUERY, sources: ['news_feeds'] });
  expect(results.outcome).toBe('nothing_found');
  expect(report.warnings).toContain(
    'Nothing was found that answers the query: name other sources, attach files, or let your operator set up web search.',
  );
  expect(report.confidence).toEqual({ dataQuality: 0, analysisCompleteness: 0, sourceReliability: 0 });
  expect(results.notes.join()).not.toContain('fictional');
});

it('calls a research with findings one that found something', async () => {
  const { report, results } = await run();
  expect([results.outcome, report.warnings]).toEqual(['found', [PASSAGES_ONLY]]);
});
