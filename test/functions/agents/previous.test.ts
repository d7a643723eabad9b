/** Research that starts from an earlier task: it reads the kept texts without fetching, only in the same organization. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { earlierResearch } from '../../../agents/research/previous-research.ts';
import { researchAgent } from '../../../agents/research/research-agent.ts';
import type { ResearchPorts } from '../../../agents/research/stages.ts';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import { fileGatherer } from '../../../engines/sources/stored-files.ts';
import type { SearchConnector } from '../../../engines/sources/web-search.ts';
import { DAY_MS } from '../../../shared/core/time.ts';
import { runTask } from '../../../shared/tasks/run-task.ts';
import { onlyModel } from '../../agents/run-stages.ts';
import { scriptedModel } from '../../agents/scripted-model.ts';
import { type FrozenWeb, frozenWeb } from '../../evidence/frozen-web/serve.ts';
import { TOPICS } from '../../evidence/frozen-web/topics.ts';
import type { Any } from '../../support/any.ts';
import { type Api, addressOf, openApi, type Who } from './setup.ts';

const documents = openDocuments(readerFilesFromCheckout());

const [TOPIC] = TOPICS.filter(({ kind }) => kind === 'one');
const QUERY = TOPIC?.question ?? '';

let api: Api;
let web: FrozenWeb;
let who: Who;
let opened: string[];
let searched: string[];
beforeEach(async () => {
  api = openApi();
  web = await frozenWeb();
  who = { organization: api.found() };
  [opened, searched] = [[], []];
});
afterEach(async () => {
  await web.close();
  api.close();
});

async function work(id: string, owner = who, model?: LanguageModelV4) {
  const connector: SearchConnector = {
    ...web.connector,
    search: (query, signal) => {
      searched.push(query.text);
      return web.connector.search(query, signal);
    },
  };
  const ports: ResearchPorts = {
    ...api,
    documents,
    earlierResearch: earlierResearch(api),
    gather: async (_, source) => ({ source, items: [], faults: [], queries: 0, isSample: false }),
    openPage: (url, ask) => {
      opened.push(url);
      return web.openPage(url, ask);
    },
    searchConnector: async () => connector,
    gatherFiles: fileGatherer({ ...api, fileReader: { read: async () => 'gone' } }),
    modelOf: onlyModel(model),
    render: () => Promise.reject(new Error('No report is rendered here.')),
  };
  const agents = { research_agent: researchAgent(ports) };
  await runTask({ ...api, every: () => () => {}, agents }, addressOf(owner, id), new AbortController().signal);
}

const submit = (input: object, owner = who) =>
  api.call(owner, 'POST', '/tasks', { json: { task_type: 'research_agent', input: { query: QUERY, ...input } } });

async function research(input: object = {}, owner = who, model?: LanguageModelV4): Promise<string> {
  const id = await api.submitted(owner, { input: { query: QUERY, ...input } });
  await work(id, owner, model);
  return id;
}

const resultsOf = async (id: string): Promise<Any> => (await api.call(who, 'GET', `/tasks/${id}/results`)).body;
const faultOf = ({ status, body }: { status: number; body: Any }) => [
  status,
  body.error?.code,
  body.error?.details.invalid_fields,
  body.error?.details.reasons?.['input.previous_task_id'],
];

it('answers from the kept texts without a single query or fetch where the planner asks for nothing more, and shows when they were fetched', async () => {
  const first = await research();
  const before = (await resultsOf(first)).results;
  expect(opened.length).toBeGreaterThan(0);
  [opened, searched] = [[], []];
  api.clock.pass(DAY_MS);
  const { model } = scriptedModel({ text: JSON.stringify({ sub_questions: [QUERY], queries: [] }) });
  const { results } = await resultsOf(await research({ previous_task_id: first }, who, model));
  expect([opened, searched]).toEqual([[], []]);
  expect(results.plan.queries).toEqual([]);
  const [cited] = results.documents.filter((document: Any) => document.cited);
  const source = before.documents.find((document: Any) => document.document === cited.previous.document);
  expect(cited.previous.task_id).toBe(first);
  const keptFields = ({ address, title, sha256, fetched_at, text_by }: Any) => [
    address,
    title,
    sha256,
    fetched_at,
    text_by,
  ];
  expect(keptFields(cited)).toEqual(keptFields(source));
  expect(results.findings.length).toBeGreaterThan(0);
  const texts = await Promise.all(
    [`/tasks/${first}/results/sources/${source.document}`].map((path) => api.call(who, 'GET', path)),
  );
  for (const { citations } of results.findings.filter(
    (finding: Any) => finding.citations[0].document === cited.document,
  ))
    expect(texts[0]?.text).toContain(citations[0].quote);
});

it('searches for what the kept texts do not contain', async () => {
  const first = await research();
  const other = TOPICS.filter(({ kind }) => kind === 'one').at(-1)?.question;
  [opened, searched] = [[], []];
  const { results } = await resultsOf(await research({ query: other, previous_task_id: first }));
  expect(searched.length).toBeGreaterThan(0);
  const keptUrls = results.documents.filter((document: Any) => document.previous).map((one: Any) => one.address);
  expect(opened.filter((url) => keptUrls.includes(url))).toEqual([]);
});

it('passes the notes to the planner as data, and searches for what the planner finds missing', async () => {
  const first = await research();
  const id = await api.submitted(who, { input: { query: QUERY, previous_task_id: first } });
  searched = [];
  const script = scriptedModel({
    text: JSON.stringify({ sub_questions: [QUERY], queries: ['something that is missing'] }),
  });
  await work(id, who, script.model);
  const planned = JSON.stringify(script.given[0]);
  expect(planned).toContain('The notes of an earlier research');
  expect(planned).toContain((await resultsOf(first)).results.findings[0].text.slice(0, 20));
  expect(searched).toContain('something that is missing');
  expect(searched).not.toContain(QUERY);
  expect((await resultsOf(id)).results.documents.some((document: Any) => document.previous)).toBe(true);
});

it('warns and continues if the earlier results are deleted by the time it runs', async () => {
  const first = await research();
  api.clock.pass(29 * DAY_MS);
  const id = await api.submitted(who, { input: { query: QUERY, previous_task_id: first } });
  const [firstAddress] = [addressOf(who, first)];
  const row = await api.table.get({ pk: `O#${firstAddress.organization}#T#${firstAddress.taskId}`, sk: 'TASK' });
  if (row) await api.table.remove(row);
  await work(id);
  const { status, warnings, results } = await resultsOf(id);
  expect(status).toBe('completed');
  expect(warnings).toContain(
    'input.previous_task_id had no effect: the results of that task have expired since the submit.',
  );
  expect(results.findings.length).toBeGreaterThan(0);
});

it('gives the same answer for the task of another organization as for an unknown one', async () => {
  const first = await research();
  const other = { organization: api.found() };
  const answers = await Promise.all(
    [first, `task_${api.ids.uuid()}`, 'task_', 'x', '__proto__'].map((id) => submit({ previous_task_id: id }, other)),
  );
  for (const answer of answers)
    expect(faultOf(answer)).toEqual([
      400,
      'TASK_VALIDATION_FAILED',
      ['input.previous_task_id'],
      'is not a research of your organization',
    ]);
});

it('refuses a research that is not completed or whose texts are not kept, and suggests what to do', async () => {
  const open = await api.submitted(who, { input: { query: QUERY } });
  const [, , , early] = faultOf(await submit({ previous_task_id: open }));
  expect(early).toContain('has not completed');
  const owner = api.organizations.get(who.organization);
  if (owner) api.organizations.set(who.organization, { ...owner, snapshots: false });
  const off = await research();
  const [, , , reason] = faultOf(await submit({ previous_task_id: off }));
  expect(reason).toContain('errand org snapshots ORG on');
});
