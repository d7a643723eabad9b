/** The background-agent API in this process: its dispatcher over the local table and queues, a clock that a test moves. */

import { readSnapshot } from '../../../agents/research/snapshots.ts';
import { priceCheck } from '../../../engines/models/prices.ts';
import { publicEndpointFault } from '../../../engines/outbound/ssrf-policy.ts';
import { agents } from '../../../functions/agents/api.ts';
import { AGENT_LIMITS } from '../../../functions/agents/context.ts';
import { dispatcher } from '../../../functions/http/dispatch.ts';
import type { Role } from '../../../shared/accounts/caller.ts';
import type { Organization } from '../../../shared/accounts/organizations.ts';
import { TASK_TYPES, type TaskType } from '../../../shared/agents/agent-input.ts';
import { typicalDuration } from '../../../shared/agents/typical-duration.ts';
import { LANES } from '../../../shared/core/lane.ts';
import { admission } from '../../../shared/lanes/admission.ts';
import type { Every, Post, Table } from '../../../shared/ports.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import type { AgentReport } from '../../../shared/tasks/agent-report.ts';
import { addressOfHint } from '../../../shared/tasks/hints.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { runTask } from '../../../shared/tasks/run-task.ts';
import type { Tokens } from '../../../shared/usage/tokens.ts';
import { TESTS } from '../../../shared/webhooks/test-webhook.ts';
import { openTasks } from '../../shared/tasks/setup.ts';
import type { Any } from '../../support/any.ts';
import { answered } from '../../support/post-answers.ts';

export type Who = { organization: string; role?: Role; by?: string };
export type Reply = { status: number; headers: Record<string, string>; text: string; body: Any };
type CallOptions = { json?: unknown; headers?: Record<string, string> };
export type Api = ReturnType<typeof openApi>;

const PLENTY = { minute: 1_000_000, hour: 1_000_000 };
/** So that only the tests of limits reach one. */
const UNLIMITED = Object.fromEntries([...Object.values(AGENT_LIMITS), TESTS].map(({ name }) => [name, PLENTY]));

const POST: Post = async () => answered(200, { answer: 'ok' });

export function openApi({ around = (table) => table }: { around?: (table: Table) => Table } = {}) {
  const at = openTasks();
  const table = around(at.table);
  const organizations = new Map<string, Organization>();
  const organizationOf = async (id: string) => organizations.get(id);
  const context = {
    ...at,
    table,
    origins: () => true,
    organizationOf,
    keyOwner: async () => undefined,
    tokenOwner: async (token: string) => JSON.parse(Buffer.from(token, 'base64url').toString()),
    admit: admission({ ...at, table, organizationOf }),
    faultOfEndpoint: publicEndpointFault,
    faultOfDocument: publicEndpointFault,
    serviceUrls: ['https://files.acme.org', 'https://agents.acme.org'],
    hasPrice: priceCheck(),
    typicalDuration: typicalDuration({ ...at, table }),
    sendsMail: true,
    vault: { seal: async (text: string) => text, open: async (text: string) => text },
    secrets: { master: () => Promise.reject(new Error('Nobody is to ask.')) },
    post: POST,
    readSnapshot: (snapshots: AgentReport['snapshots'], source: string) => readSnapshot(at.blobs, snapshots, source),
  };
  const dispatch = dispatcher(agents, context);

  async function call(
    who: Who,
    method: string,
    path: string,
    { json, headers = {} }: CallOptions = {},
  ): Promise<Reply> {
    const token = Buffer.from(JSON.stringify({ role: 'member', by: 'user:one', ...who })).toString('base64url');
    const [pathname = '', query = ''] = path.split('?');
    const reply = await dispatch({
      method,
      path: `/api/v1${pathname}`,
      query: new URLSearchParams(query),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: Buffer.from(json === undefined ? '' : JSON.stringify(json)),
      sourceAddress: '192.0.2.1',
      hosts: [],
    });
    const isJson = reply.headers['content-type']?.startsWith('application/json');
    return { ...reply, text: reply.body, body: isJson ? JSON.parse(reply.body) : {} };
  }

  function addOrganization(limits: Organization['limits'] = UNLIMITED): string {
    const id = at.ids.uuid();
    organizations.set(id, { id, name: id, createdAt: 0, models: ['offline/extractive'], limits: limits });
    return id;
  }

  async function submitTask(who: Who, fields: object = {}): Promise<string> {
    const json = { task_type: 'research_agent', input: { query: 'How high is the tide?' }, ...fields };
    const { status, body, text } = await call(who, 'POST', '/tasks', { json });
    if (status !== 202) throw new Error(text);
    return body.task_id;
  }

  return { ...at, table, organizations, context, found: addOrganization, call, submitted: submitTask };
}

export const addressOf = ({ organization }: Who, publicId: string): TaskAddress => ({
  organization,
  taskId: publicId.slice('task_'.length),
});

/** A worker whose heartbeats the test sends; every task type runs these stages. */
export function workerOf(api: Api, stages: Stage[]) {
  const beats = new Set<() => void>();
  const every: Every = (_ms, run) => {
    beats.add(run);
    return () => beats.delete(run);
  };
  const agent = { stages: () => stages };
  const of = Object.fromEntries(TASK_TYPES.map((type): [TaskType, typeof agent] => [type, agent]));
  const ports = { ...api, every, agents: of };
  return {
    run: (address: TaskAddress) => runTask(ports, address, new AbortController().signal),
    beat: () => {
      for (const beat of beats) beat();
    },
    async runAll() {
      for (const lane of LANES) {
        const received = await api.queues.lanes[lane].receive(10, 0);
        for (const { body, receipt } of received) {
          const address = addressOfHint(body);
          if (address) await runTask(ports, address, new AbortController().signal);
          await api.queues.lanes[lane].done([receipt]);
        }
      }
    },
  };
}

/** A stage that waits until a test releases it, and its checkpoint. */
function gate(name: string, brings: object, spent?: Partial<Tokens>) {
  const reached = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const stage: Stage = {
    name,
    async run({ meter }) {
      if (spent) {
        meter.use('offline/extractive');
        meter.begin(() => ({}))(spent);
      }
      reached.resolve();
      await open.promise;
      return brings;
    },
  };
  return { stage, reached: reached.promise, open: () => open.resolve(), fail: (error: Error) => open.reject(error) };
}

const report = (results: object, preview: object, stages: string[]) => ({
  report: { results, preview, stages, sources: 2, queries: 3 },
});

/** Three stages for every task type, each of which waits at a gate. */
export function gates() {
  const planning = gate('planning', report({ topic: 'tides' }, { topic: 'tides' }, ['planning']));
  const gathering = gate('gathering', report({ topic: 'tides', found: 2 }, { found: 2 }, ['planning', 'gathering']));
  const writing = gate('writing', report({ outline: 'High.' }, { outline: 5 }, ['planning', 'gathering', 'writing']), {
    inputTokens: 10,
    outputTokens: 5,
  });
  const gates = [planning, gathering, writing];
  return {
    planning,
    gathering,
    writing,
    stages: gates.map(({ stage }) => stage),
    open: () => gates.forEach(({ open }) => void open()),
  };
}
