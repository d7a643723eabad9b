/** The cost of a page of agent tasks with 10,000 and with 200,000 stored tasks. Product only, without HTTP. */
import { detailsDrafts } from '../../../../shared/tasks/details.ts';
import { detailsExpireAt, taskDraft } from '../../../../shared/tasks/rows.ts';
import { newTask } from '../../../../shared/tasks/task.ts';
import { type Api, openApi } from '../../../functions/agents/setup.ts';
import { type Comparison, inTurns } from '../side-by-side.ts';

const FEW = 10_000;
const MANY = 200_000;
const AT_ONCE = 2_000;
const PAGES = 30;
const TYPES = ['research_agent', 'processing_agent', 'notification_agent'];

const QUERIES = { 'a page of 20': '?limit=20', 'filtered, by priority': '?status=pending&sort_by=priority&limit=20' };

export async function agentLists(): Promise<Comparison[]> {
  const api = openApi();
  try {
    const stored = { ours: await fillOrganization(api, MANY), reference: await fillOrganization(api, FEW) };
    const compared: Comparison[] = [];
    for (const [what, query] of Object.entries(QUERIES)) {
      const cost = (organization: string) => pageCost(api, organization, query);
      compared.push({
        what: `agents: GET /tasks, ${what}, ${MANY.toLocaleString('en-US')} tasks stored over ${FEW.toLocaleString('en-US')}`,
        unit: 'µs',
        ...(await inTurns(cost, stored)),
        wanted: { atMost: 1.3 },
      });
    }
    return compared;
  } finally {
    api.close();
  }
}

async function fillOrganization({ found, table, ids, clock }: Api, amount: number): Promise<string> {
  const organization = found();
  for (let made = 0; made < amount; made += AT_ONCE) {
    const tasks = Array.from({ length: Math.min(AT_ONCE, amount - made) }, (_, at) => {
      const address = { organization, taskId: ids.uuid() };
      const given = { face: 'agents', type: TYPES[at % TYPES.length] ?? '', priority: (at % 10) + 1 } as const;
      const task = newTask({ ...given, now: clock.now(), hasWebhook: false });
      const around = detailsDrafts(address, { metadata: { at: String(at) }, input: {} }, detailsExpireAt(task));
      return table.insert(taskDraft(address, task, clock.now()), around);
    });
    await Promise.all(tasks);
    clock.pass(1_000);
  }
  return organization;
}

/** Microseconds per page. */
async function pageCost({ call }: Api, organization: string, query: string): Promise<number> {
  const startedAt = performance.now();
  for (let n = 0; n < PAGES; n++) {
    const { status, body } = await call({ organization }, 'GET', `/tasks${query}`);
    if (status !== 200 || body.tasks.length !== 20) throw new Error(`Answered with ${status}.`);
  }
  return ((performance.now() - startedAt) * 1_000) / PAGES;
}
