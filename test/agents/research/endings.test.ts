/** However a research ends, what its finished stages brought is there, through the API itself. */

import { expect, it } from 'vitest';
import { earlierResearch } from '../../../agents/research/previous-research.ts';
import { researchAgent } from '../../../agents/research/research-agent.ts';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import type { ModelOf } from '../../../engines/models/models.ts';
import type { OpenPage } from '../../../engines/sources/open-page.ts';
import type { Gather } from '../../../shared/sources/source-item.ts';
import { TaskFailure } from '../../../shared/tasks/task-failure.ts';
import type { Any } from '../../support/any.ts';
import { endings, gate } from '../endings.ts';
import { INDEX, NEWS, QUERY } from './ports-news.ts';
import { itemsOf } from './setup.ts';

const documents = openDocuments(readerFilesFromCheckout());

const { submitted, worker, shown, results, ...ended } = endings();

/** News at once, the market's data when the test says so. */
function sources() {
  const { pass, ...at } = gate();
  const asked: string[] = [];
  const gather: Gather = async (_organization, source) => {
    asked.push(source);
    if (source === 'market_data') await pass();
    const items = itemsOf(source, source === 'market_data' ? INDEX : NEWS);
    return { source, items, faults: [], queries: 2, isSample: false };
  };
  return { ...at, behind: ['planning'], asked, gather, work: workingWith(gather) };
}

const render = () => Promise.reject(new Error('Nobody wished for that.'));
const openPage: OpenPage = async () => ({ refused: 'gone', explanation: 'no longer exists' });
const gatherFiles = () => Promise.reject(new Error('There are no files.'));
const workingWith = (gather: Gather, modelOf: ModelOf = async () => undefined) =>
  worker((api) => ({
    research_agent: researchAgent({
      ...api,
      earlierResearch: earlierResearch(api),
      documents,
      gather,
      openPage,
      gatherFiles,
      render,
      modelOf,
    }),
  }));

const asking = () =>
  submitted({ task_type: 'research_agent', input: { query: QUERY, sources: ['news_feeds', 'market_data'] } });
const statuses = (after: Any) => after.results.sources.map(({ status }: Any) => status);

it('a task cancelled by force shows the sources that were read', async () => {
  const { before, after } = await ended.cancelledAtGate(await asking(), sources());
  expect(before).toMatchObject({
    status: 'processing',
    progress: { current_stage: 'gathering', stages_completed: ['planning'] },
    output_preview: { sources: 2, items: 4, documents: 0 },
  });
  expect(statuses(after)).toEqual(['read', 'pending']);
  expect(after.results.plan.queries).toEqual([QUERY]);
  expect(after.processing_details).toMatchObject({
    sources_processed: 0,
    service_engine_queries: 2,
    confidence_scores: { analysis_completeness: 0, source_reliability: 0 },
  });
});

it('a task that ran out of time does so too', async () => {
  expect(statuses(await ended.outOfTimeAtGate(await asking(), sources()))).toEqual(['read', 'pending']);
});

it('a task whose model fails in the reading keeps what was chosen', async () => {
  const gone = new TaskFailure('MODEL_UNAVAILABLE', 'The model is not set up here; name another one.');
  let asked = 0;
  const { gather, open } = sources();
  open();
  const id = await asking();
  await workingWith(gather, async () => {
    if (asked++ > 0) throw gone;
    return undefined;
  })(id);
  const after = await results(id);
  expect(after).toMatchObject({ status: 'failed', partial: true, error: { code: 'MODEL_UNAVAILABLE' } });
  expect(after.results.documents.length).toBeGreaterThan(2);
  expect(after.results.documents.every(({ status }: Any) => status === 'chosen')).toBe(true);
  expect((await shown(id)).progress.stages_completed).toEqual(['planning', 'gathering', 'ranking']);
});

it('a worker that must go hands the task on, and no source is asked twice that was read', async () => {
  const { asked, ...at } = sources();
  const after = await ended.handedOnAtGate(await asking(), at);
  expect(asked).toEqual(['news_feeds', 'market_data', 'market_data']);
  expect(after.results.files).toMatchObject([{ name: 'report.json', url: expect.stringMatching(/^http/) }]);
});

it('a task without a readable source fails, and names each of them with its reason', async () => {
  const dead: Gather = async (_organization, source) => ({
    source,
    items: [],
    faults: [{ address: `https://${source}.errand-tests.org/`, reason: 'could not be fetched' }],
    queries: 1,
    isSample: false,
  });
  const id = await asking();
  await workingWith(dead)(id);
  const after = await results(id);
  expect(after).toMatchObject({
    status: 'failed',
    partial: true,
    error: { code: 'PROCESSING_FAILED', message: expect.stringMatching(/^None of the 2 sources could be read: /) },
    processing_details: { sources_processed: 0, service_engine_queries: 2 },
  });
  expect(statuses(after)).toEqual(['dead', 'dead']);
});
