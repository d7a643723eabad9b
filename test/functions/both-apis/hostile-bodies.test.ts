/** Mutated bodies for each route with a body: never a 5xx, and no unknown field is stored. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takesBody } from '../../../functions/http/route.ts';
import { rotateWebhookSecret } from '../../../shared/accounts/webhook-secrets.ts';
import { requestUpload } from '../../../shared/files/upload.ts';
import { repetitions } from '../../support/repetitions.ts';
import { addEndedTask } from './belongings.ts';
import { hostileBody, UNKNOWN } from './hostile-body.ts';
import { type ApiName, type Apis, FACES, openApis } from './setup.ts';

const BODIES = repetitions({ few: 1_000, many: 10_000 });
const AT_ONCE = 500;
const SEED = 20_260_601;

let apis: Apis;
let organization: string;
let ours: Awaited<ReturnType<typeof addEndedTask>>;
let awaited: string;
beforeAll(async () => {
  apis = await openApis();
  organization = apis.found();
  ours = await addEndedTask(apis, organization, 'agents');
  await rotateWebhookSecret({ ...apis, ...apis.context }, organization);
  awaited = apis.ids.uuid();
  await requestUpload(apis, { organization, fileId: awaited, fileName: 'a.txt' });
});
afterAll(() => apis.close());

const URL = 'https://a.errand-tests.org/x';
const head = { priority: 5, webhook_url: URL, metadata: { order: '7' }, timeout_minutes: 60 };
const chat = { type: 'chat', prompt: 'p', model: 'offline/extractive', fileIds: [], workflowIds: [], rulesetIds: [] };
const schedule = { frequency: 'weekly', day_of_week: 'monday', time: '09:00:00', timezone: 'UTC' };
const content = { data_sources: ['market_data'], recipients: ['a@b.org'], format: 'html', include_charts: true };
const document = { url: URL, type: 'pdf' };
const words = { geographic_scope: ['x'], depth: 'x', analysis_depth: 'x', deliverables: ['x'], output_format: 'json' };

/** Valid bodies by route. */
const GOOD: Record<string, Parameters<typeof hostileBody>[0][]> = {
  'files-and-tasks POST /api/v1/files': [{ fileName: 'a.txt' }, { url: URL }],
  'files-and-tasks POST /api/v1/files/:fileId/complete': [
    { fileName: 'a.txt', mimeType: 'text/plain', size: 5, storagePath: 'uploads/x' },
  ],
  'files-and-tasks POST /api/v1/tasks': [
    { namespace: 'n', delivery: { type: 'webhook', config: { endpoint: URL, frequency: 'on_finish' } }, input: chat },
  ],
  'files-and-tasks POST /api/v1/tasks/:taskId/cancel': [{}],
  'files-and-tasks POST /api/v1/tasks/:taskId/deliveries/:deliveryId/redeliver': [{}],
  'files-and-tasks POST /api/v1/webhooks/test': [{ endpoint: URL }],
  'agents POST /api/v1/tasks': [
    {
      ...head,
      task_type: 'research_agent',
      input: { query: 'q', sources: ['market_data'], research_type: 'x', ...words },
    },
    {
      ...head,
      task_type: 'processing_agent',
      input: { documents: [document], processing_type: 'x', extraction_rules: ['x'], output_format: 'json' },
    },
    { ...head, task_type: 'notification_agent', input: { notification_type: 'x', schedule, content } },
  ],
  'agents POST /api/v1/notifications/preview': [{ ...head, input: { notification_type: 'x', schedule, content } }],
  'agents POST /api/v1/tasks/:taskId/cancel': [{ reason: 'r', force: true }],
  'agents POST /api/v1/tasks/:taskId/deliveries/:deliveryId/redeliver': [{}],
  'agents POST /api/v1/webhooks/test': [{ webhook_url: URL }],
};

/** Routes that store nothing of a body, or never succeed for an ended task; tests of their own cover them. */
const BODILESS = ['agents POST /api/v1/websocket-auth', 'agents POST /unsubscribe/:token'];

const withBody = (Object.keys(FACES) as ApiName[]).flatMap((apiName) =>
  FACES[apiName].routes
    .filter(({ method }) => takesBody(method))
    .map(({ method, path, body }) => ({
      face: apiName,
      method,
      path,
      hasFields: body !== undefined,
      name: `${apiName} ${method} ${path}`,
    })),
);

const publicId = (apiName: ApiName, taskId: string): string => (apiName === 'agents' ? 'task_' : '') + taskId;

it('knows every POST of both APIs', () => {
  const listed = [...Object.keys(GOOD), ...BODILESS].toSorted();
  expect(withBody.map(({ name }) => name).toSorted(), 'Give each POST a good body, or list it in BODILESS.').toEqual(
    listed,
  );
});

describe.each(withBody.filter(({ name }) => !BODILESS.includes(name)))(
  '$name',
  ({ face: apiName, path, method, hasFields, name }) => {
    it(`takes or refuses each of ${BODIES} bodies in its own words`, { timeout: 300_000 }, async () => {
      // One task for each concurrent call, as a task is busy while it is redelivered.
      const tasks = await Promise.all(Array.from({ length: AT_ONCE }, () => addEndedTask(apis, organization, apiName)));
      const goods = GOOD[name] ?? [];
      const bodies = fc.sample(fc.oneof(...goods.map(hostileBody)), { numRuns: BODIES, seed: SEED });
      const statuses = new Map<number, number>();
      for (let from = 0; from < BODIES; from += AT_ONCE) {
        apis.asked.length = 0;
        apis.clock.pass(1_000);
        await Promise.all(
          bodies.slice(from, from + AT_ONCE).map((body, at) => answered(body, tasks[at % tasks.length])),
        );
        // Only a warning names it.
        const calls = apis.asked.map((what) => what.replaceAll(`${UNKNOWN} is not a known field`, ''));
        expect(calls.filter((what) => what.includes(UNKNOWN))).toEqual([]);
      }
      // Several kinds of answers must occur, or the test tries nothing.
      const good = [...statuses].filter(([status]) => status < 300).reduce((sum, [, times]) => sum + times, 0);
      expect([name, good > BODIES / 100 || path.includes('complete')]).toEqual([name, true]);
      if (hasFields) expect(statuses.has(400)).toBe(true);

      async function answered(body: Uint8Array, { taskId, deliveryId } = ours): Promise<void> {
        const filled = path.replace(':taskId', publicId(apiName, taskId)).replace(':deliveryId', deliveryId);
        const to = filled.replace(':fileId', awaited);
        const reply = await apis.ask({ apiName, organization, method, path: to, body });
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        if (reply.status >= 500) throw new Error(`${reply.status} ${reply.body} to ${Buffer.from(body).toString()}`);
        expect(JSON.parse(reply.body)).toBeTypeOf('object');
      }
    });
  },
);
