/** The lists of workflows and rulesets that a task may name. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeKnowledge } from '../../../shared/knowledge/knowledge.ts';
import { putRuleset } from '../../../shared/knowledge/rulesets.ts';
import { putWorkflow } from '../../../shared/knowledge/workflows.ts';
import { type Apis, openApis } from './setup.ts';

let apis: Apis;
let organization: string;
beforeEach(async () => {
  apis = await openApis();
  organization = apis.found();
});
afterEach(() => apis.close());

async function list(path: string, of = organization) {
  const reply = await apis.ask({ apiName: 'files-and-tasks', organization: of, method: 'GET', path: `/api/v1${path}` });
  return { status: reply.status, body: JSON.parse(String(reply.body)) };
}

const STEPS = [
  { name: 'Read', instruction: 'Read it.' },
  { name: 'Sum', instruction: 'Add it up.' },
];

it('shows workflows with their newest version and the names of their steps', async () => {
  const first = await putWorkflow(apis, organization, { name: 'Review', steps: STEPS });
  const at = new Date(apis.clock.now()).toISOString();
  apis.clock.pass(1_000);
  await putWorkflow(apis, organization, { name: 'Review', steps: STEPS.slice(1) });
  await putWorkflow(apis, organization, { name: 'Later', steps: STEPS });
  const { body } = await list('/workflows');
  expect(body.nextCursor).toBeNull();
  expect(body.workflows.map(({ name }: { name: string }) => name)).toEqual(['Review', 'Later']);
  expect(body.workflows[0]).toEqual({
    workflowId: first.id,
    name: 'Review',
    version: 2,
    createdAt: at,
    updatedAt: new Date(apis.clock.now()).toISOString(),
    steps: ['Sum'],
  });
});

it('shows rulesets page by page, and none that was removed', async () => {
  for (const name of ['a', 'b', 'c', 'd']) {
    await putRuleset(apis, organization, { name, text: name.repeat(7) });
    apis.clock.pass(1);
  }
  await removeKnowledge(apis.table, 'ruleset', { organization, of: 'b' });
  const first = (await list('/rulesets?limit=2')).body;
  expect(first.rulesets).toEqual([
    expect.objectContaining({ name: 'a', characters: 7, version: 1 }),
    expect.objectContaining({ name: 'c' }),
  ]);
  const second = (await list(`/rulesets?limit=2&cursor=${encodeURIComponent(first.nextCursor)}`)).body;
  expect(second.rulesets.map(({ name }: { name: string }) => name)).toEqual(['d']);
  expect(second.nextCursor).toBeNull();
  expect((await list('/rulesets?cursor=nothing')).status).toBe(400);
});

it("shows no other organization's", async () => {
  await putWorkflow(apis, organization, { name: 'Own', steps: STEPS });
  await putRuleset(apis, organization, { name: 'Own', text: 'x' });
  const other = apis.found();
  expect((await list('/workflows', other)).body).toEqual({ workflows: [], nextCursor: null });
  expect((await list('/rulesets', other)).body).toEqual({ rulesets: [], nextCursor: null });
});
