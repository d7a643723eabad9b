/** Every route of both APIs with every kind of id: another organization's object looks like a missing one, and is never read. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResponse } from '../../../functions/http/route.ts';
import { type Belongings, belongingsOf } from './belongings.ts';
import { type ApiName, type Apis, FACES, openApis } from './setup.ts';

let apis: Apis;
let ownOrganization: string;
let otherOrganization: string;
let ours: Belongings;
let theirs: Belongings;
beforeAll(async () => {
  apis = await openApis();
  [ownOrganization, otherOrganization] = [apis.found(), apis.found()];
  [ours, theirs] = [await belongingsOf(apis, ownOrganization), await belongingsOf(apis, otherOrganization)];
});
afterAll(() => apis.close());

const RANDOM = '01900000-0000-7000-8000-00000000abcd';
const SHOWN: Record<ApiName, (id: string) => string> = {
  'files-and-tasks': (id) => id,
  agents: (id) => `task_${id}`,
};
const MALFORMED = [
  'x',
  '%00',
  '%2e%2e',
  '..%2f..',
  '%ff',
  '%',
  'TASK',
  '*',
  'null',
  '__proto__',
  'constructor',
  'task_',
  'task_task_01900000-0000-7000-8000-00000000abcd',
  'x'.repeat(3_000),
  '%F0%9F%92%A3',
  "'%20OR%201=1--",
  '01900000-0000-7000-8000-00000000ABCD',
  '01900000-0000-7000-8000-00000000abcd%23',
];

type Ids = { fileId: string; taskId: string; deliveryId: string };

const idsOf = ({ fileId, tasks }: Belongings, apiName: ApiName): Ids => ({
  fileId,
  taskId: SHOWN[apiName](tasks[apiName].taskId),
  deliveryId: tasks[apiName].deliveryId,
});
const randomIds = (apiName: ApiName): Ids => ({
  fileId: RANDOM,
  taskId: SHOWN[apiName](RANDOM),
  deliveryId: `evt_${RANDOM}_cancelled`,
});

const BODIES: Record<string, object> = {
  '/api/v1/files/:fileId/complete': { fileName: 'a.txt', mimeType: 'a/b', size: 1, storagePath: 'uploads/x' },
};

const routes = (Object.keys(FACES) as ApiName[]).flatMap((apiName) =>
  FACES[apiName].routes
    // A signed link contains its organization: test/shared/mail/unsubscribe.test.ts.
    .filter(({ path }) => path.includes(':') && !path.includes(':token'))
    .map(({ method, path }) => ({ face: apiName, method, path, name: `${apiName}: ${method} ${path}` })),
);

type RouteCall = { face: ApiName; method: string; path: string };

function ask({ face: apiName, method, path }: RouteCall, ids: Partial<Ids>): Promise<HttpResponse> {
  const parameters: Record<string, string> = { ...ids, source: '1' };
  const filled = path.replaceAll(/:(\w+)/g, (_, name) => parameters[name] ?? '');
  const body = BODIES[path];
  return apis.ask({
    apiName,
    organization: ownOrganization,
    method,
    path: filled,
    ...(body ? { body: Buffer.from(JSON.stringify(body)) } : {}),
  });
}

/** An answer without the remaining rate limit. */
const comparable = ({ status, headers, body }: HttpResponse) => {
  const { ratelimit: _left, ...otherHeaders } = headers;
  return { status, headers: otherHeaders, body };
};

it('knows of every route with an id', () => {
  expect(routes.map(({ name }) => name).sort()).toEqual([
    'agents: GET /api/v1/tasks/:taskId',
    'agents: GET /api/v1/tasks/:taskId/deliveries',
    'agents: GET /api/v1/tasks/:taskId/events',
    'agents: GET /api/v1/tasks/:taskId/input',
    'agents: GET /api/v1/tasks/:taskId/results',
    'agents: GET /api/v1/tasks/:taskId/results/sources/:source',
    'agents: POST /api/v1/tasks/:taskId/cancel',
    'agents: POST /api/v1/tasks/:taskId/deliveries/:deliveryId/redeliver',
    'files-and-tasks: DELETE /api/v1/files/:fileId',
    'files-and-tasks: GET /api/v1/files/:fileId',
    'files-and-tasks: GET /api/v1/files/:fileId/text',
    'files-and-tasks: GET /api/v1/tasks/:taskId',
    'files-and-tasks: GET /api/v1/tasks/:taskId/deliveries',
    'files-and-tasks: GET /api/v1/tasks/:taskId/input',
    'files-and-tasks: POST /api/v1/files/:fileId/complete',
    'files-and-tasks: POST /api/v1/tasks/:taskId/cancel',
    'files-and-tasks: POST /api/v1/tasks/:taskId/deliveries/:deliveryId/redeliver',
  ]);
});

describe.each(routes)('$name', (route) => {
  it('answers to a foreign id as to one that never was, and reads nothing of the other organization', async () => {
    const random = comparable(await ask(route, randomIds(route.face)));
    expect(random.status).toBe(404);
    apis.asked.length = 0;
    expect(comparable(await ask(route, idsOf(theirs, route.face)))).toEqual(random);
    expect(apis.asked.filter((what) => what.includes(otherOrganization))).toEqual([]);
    expect(apis.asked.length).toBeGreaterThan(0);
  });

  it('answers so to one that is malformed in any way', async () => {
    const random = comparable(await ask(route, randomIds(route.face)));
    for (const id of MALFORMED) {
      expect(comparable(await ask(route, { fileId: id, taskId: id, deliveryId: id })), id).toEqual(random);
    }
  });

  it("answers so to the other API's task, and to its own id without its shape", async () => {
    const elsewhere = route.face === 'agents' ? 'files-and-tasks' : 'agents';
    const random = comparable(await ask(route, randomIds(route.face)));
    const { taskId } = ours.tasks[elsewhere];
    const ids = { ...randomIds(route.face), taskId: SHOWN[route.face](taskId) };
    expect(comparable(await ask(route, ids))).toEqual(random);
    expect(comparable(await ask(route, { ...ids, taskId: SHOWN[elsewhere](ours.tasks[route.face].taskId) }))).toEqual(
      random,
    );
  });
});

describe.each(routes.filter(({ path }) => path.includes(':deliveryId')))('$name', (route) => {
  it('answers so to a foreign delivery of a task of its own', async () => {
    const { taskId } = idsOf(ours, route.face);
    const unknown = comparable(await ask(route, { taskId, deliveryId: randomIds(route.face).deliveryId }));
    expect(unknown.status).toBe(404);
    for (const deliveryId of [idsOf(theirs, route.face).deliveryId, ...MALFORMED]) {
      expect(comparable(await ask(route, { taskId, deliveryId })), deliveryId).toEqual(unknown);
    }
  });
});

describe('ids in a body', () => {
  it.each(['fileIds', 'workflowIds', 'rulesetIds'] as const)('are indistinguishable: %s', async (field) => {
    const value = { fileIds: theirs.fileId, workflowIds: theirs.workflowId, rulesetIds: theirs.rulesetId }[field];
    const submit = async (id: string) => {
      const input = { type: 'chat', prompt: 'p', [field]: [id] };
      const delivery = { type: 'webhook', config: { endpoint: 'https://hooks.errand-tests.org/x' } };
      const body = Buffer.from(JSON.stringify({ namespace: 'n', delivery, input }));
      const { status, body: text } = await apis.ask({
        apiName: 'files-and-tasks',
        organization: ownOrganization,
        method: 'POST',
        path: '/api/v1/tasks',
        body,
      });
      return [status, text.replaceAll(id, 'ID')];
    };
    const random = await submit(RANDOM);
    expect(random[0]).toBe(400);
    apis.asked.length = 0;
    expect(await submit(value)).toEqual(random);
    expect(apis.asked.filter((what) => what.includes(otherOrganization))).toEqual([]);
    for (const id of ['x', '../..', 'O#y', RANDOM.toUpperCase()]) expect(await submit(id), id).toEqual(random);
  });
});

describe.each([
  ['files-and-tasks', '/api/v1/files', 'nextCursor'],
  ['files-and-tasks', '/api/v1/tasks', 'nextCursor'],
  ['agents', '/api/v1/tasks', 'next_cursor'],
] as const)('the list of %s %s', (face, path, name) => {
  const list = (organization: string, query = '') =>
    apis.ask({ apiName: face, organization, method: 'GET', path: path + query });

  it('shows nothing of others, also behind a cursor of theirs', async () => {
    await belongingsOf(apis, otherOrganization);
    const first = await list(otherOrganization, '?limit=1');
    const cursor = new RegExp(`"${name}":"([^"]+)"`).exec(first.body)?.[1] ?? '';
    expect(cursor).not.toBe('');
    apis.asked.length = 0;
    const reply = await list(ownOrganization, `?cursor=${cursor}`);
    expect(reply.status).toBe(200);
    for (const id of [theirs.fileId, theirs.tasks.agents.taskId, theirs.tasks['files-and-tasks'].taskId]) {
      expect(reply.body).not.toContain(id);
    }
    expect(apis.asked.filter((what) => what.includes(otherOrganization))).toEqual([]);
  });
});

it('lets an organization reach all of its own', async () => {
  const reads = routes.filter(({ method, path }) => method === 'GET' && !path.includes('delivery'));
  for (const route of reads) {
    // The file's text is still being read, and a cancelled task cites nothing.
    const status = route.path.endsWith('/text') ? 202 : route.path.endsWith(':source') ? 404 : 200;
    expect((await ask(route, idsOf(ours, route.face))).status, route.name).toBe(status);
  }
  const again = routes.filter(({ path }) => path.includes(':deliveryId'));
  for (const route of again) expect((await ask(route, idsOf(ours, route.face))).status, route.name).toBe(202);
});
