/** The local product of today on a state folder that an earlier version left behind when it was killed at work. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Any } from '../support/any.ts';
import { freePort } from '../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../functions/over-http/local-product.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type StubServer, stubServer } from '../engines/models/stub-server.ts';
import { child } from '../bin/operator/errand.ts';
import { clockAt } from './clock-at.ts';
import { receiverAt } from './receiver-at.ts';
import type { InFlight } from './in-flight.ts';
import { recordedFolder, readRecorded } from './recorded-file.ts';
import { scriptedAnswer, STEPS } from './scripted-model.ts';
import { unpackState } from './state-archive.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

const DAY_MS = 86_400_000;
const SOON = { timeout: 60_000, interval: 500 };
/** The results may be read 25 times a minute. */
const RARELY = { timeout: 80_000, interval: 3_500 };
/** The product starts so long before the recurring task is due; by then every webhook in retry is. */
const EARLY_MS = 15_000;

type Receiver = Awaited<ReturnType<typeof receiverAt>>;
type Call = { credential?: string; body?: object; headers?: Record<string, string> };

export function describeRecordedState(version: string): void {
const recorded = readRecorded(version, 'state.json');
const { chats, agentTasks, ports } = recorded;
const folder = temporaryFolder();
const receivers: Receiver[] = [];
let model: StubServer;
let product: Running;
let clock: Record<string, string>;

beforeAll(async () => {
  const state = join(folder.path, 'state');
  unpackState(join(recordedFolder(version), 'state.tar.br'), state);
  for (const port of Object.values<number>(ports)) receivers.push(await receiverAt(port));
  model = await stubServer((response, request) =>
    scriptedAnswer('The second step is done.', request.body)(response, request),
  );
  clock = clockAt(recorded.slotAt - EARLY_MS);
  const env = { ERRAND_OPENAI_ADDRESS: `${model.address}/v1`, ...clock };
  product = await startLocalProduct(state, await freePort(), [], { env });
});
afterAll(async () => {
  await product?.stop();
  await model?.close();
  for (const each of receivers) each.close();
  folder.remove();
});

async function send(url: string, { credential, body, headers = {} }: Call) {
  const response = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: {
      'content-type': 'application/json',
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : text) as Any };
}

const files = (path: string, { credential = recorded.validKey, ...call }: Call = {}) =>
  send(product.local.filesAndTasks.baseUrl + path, { credential, ...call });
const agents = (path: string, { credential = recorded.accessToken, ...call }: Call = {}) =>
  send(`${product.local.agents.rootUrl}/api/v1${path}`, { credential, ...call });
const logIn = (body: object) => send(`${product.local.agents.rootUrl}/auth/login`, { body });
const bytesAt = async (url: string) => (await fetch(url)).bytes();
const hashAt = async (url: string) =>
  createHash('sha256')
    .update(await bytesAt(url))
    .digest('hex');

/** Without signed URLs, and without times that depend on when they were asked for. */
const lasting = (body: Any): Any =>
  JSON.parse(
    JSON.stringify(body, (name, value) =>
      /expires_?at$/i.test(name) || /[?&]signature=/.test(value) || name === 'lastUsedAt' ? undefined : value,
    ),
  );

describe(`who had access to a state of ${version}`, () => {
  it.each<{ username: string; password: string }>(recorded.users)('$username logs in', async (user) => {
    expect((await logIn(user)).body.access_token).toBeTypeOf('string');
  });

  it('does not log in with another password', async () => {
    const [user] = recorded.users;
    expect((await logIn({ ...user, password: 'another password' })).status).toBe(401);
  });

  it('calls with the same API keys, but not with those that were revoked or have expired', async () => {
    const statuses = ['validKey', 'revokedKey', 'expiredKey'].map(async (name) => {
      const { status } = await files('/models', { credential: recorded[name] });
      return [name, status];
    });
    expect(await Promise.all(statuses)).toEqual([
      ['validKey', 200],
      ['revokedKey', 401],
      ['expiredKey', 401],
    ]);
    for (const { apiKey } of recorded.organizations)
      expect((await files('/models', { credential: apiKey })).status).toBe(200);
  });

  it('calls with an access token that is less than an hour old', async () => {
    expect((await agents('/usage')).status).toBe(200);
  });
});

describe(`files of ${version}`, () => {
  it('are listed', async () => {
    const listed = (await files('/files')).body.files.map(({ fileId }: Any) => fileId);
    expect(listed).toEqual(expect.arrayContaining(Object.keys(recorded.stored)));
  });

  it('are downloaded with the same bytes', async () => {
    for (const [id, text] of Object.entries<string>(recorded.stored)) {
      const { url } = (await files(`/files/${id}`)).body;
      expect(Buffer.from(await bytesAt(url)).toString()).toBe(text);
    }
  });

  it('are completed when their upload was pending, but not after it expired', async () => {
    const complete = ({ fileId, completion }: Any) => files(`/files/${fileId}/complete`, { body: completion });
    expect((await complete(recorded.expiredUpload)).status).toBe(404);
    expect((await complete(recorded.pendingUpload)).status).toBe(201);
    const { url } = (await files(`/files/${recorded.pendingUpload.fileId}`)).body;
    expect(Buffer.from(await bytesAt(url)).toString()).toBe(recorded.pendingUpload.text);
  });
});

describe(`tasks that had ended under ${version}`, () => {
  it.each<{ api: 'files' | 'agents'; path: string; body: Any }>(recorded.answers)(
    'are shown as they were: $api $path',
    async ({ api, path, body }) => {
      const answer = await (api === 'files' ? files : agents)(path);
      expect(answer.status).toBe(200);
      expect(lasting(answer.body)).toMatchObject(lasting(body));
    },
  );

  it('have the same archive and the same reports', async () => {
    const { output } = (await files(`/tasks/${chats.archived}`)).body;
    expect(await hashAt(output.archive.presignedUrl)).toBe(recorded.hashes.archive);
    const paths = [agentTasks.report, agentTasks.processed].map((id) => `/tasks/${id}/results`);
    for (const path of paths)
      for (const { name, url } of (await agents(path)).body.results.files)
        // Up to 0.2.0 hashes are recorded without the task.
        expect(await hashAt(url), name).toBe(recorded.hashes[`${path} ${name}`] ?? recorded.hashes[name]);
  });

  it('count in the usage of their day', async () => {
    const date = new Date(recorded.at - 2 * DAY_MS).toISOString().slice(0, 10);
    const { days } = (await files('/usage')).body;
    expect(days).toContainEqual(expect.objectContaining({ date, tasks: 1, inputTokens: 11, outputTokens: 7 }));
  });

  it('are listed, together with the others', async () => {
    const listed = (await agents('/tasks?limit=100')).body.tasks.map(({ task_id: id }: Any) => id);
    const { running, ...ofFirst } = agentTasks;
    expect(listed.sort()).toEqual(Object.values(ofFirst).sort());
  });

  it('answer a repeated request with the recorded idempotency key, and start nothing', async () => {
    const { key, body, answer } = recorded.idempotent;
    const again = await files('/tasks', { body, headers: { 'idempotency-key': key } });
    expect(again.body).toEqual(answer);
    const other = { ...body, namespace: 'another' };
    expect((await files('/tasks', { body: other, headers: { 'idempotency-key': key } })).status).toBe(422);
  });
});

describe(`mails of ${version}`, () => {
  it('have links to unsubscribe that still open', async () => {
    const page = await fetch(product.local.agents.rootUrl + recorded.unsubscribePath);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('a…@errand-tests.org')]);
  });
});

/** Limits of routes that 0.3.0 no longer has. */
const REMOVED_LIMITS = new Set(['agent-suggestions']);

/** A newer version may have more limits. */
const withoutNewLimits = (report: Any, recorded: Any): Any =>
  Array.isArray(report)
    ? report.filter(({ limit }) => limit === undefined || recorded.some((row: Any) => row.limit === limit))
    : report;
const withoutRemovedLimits = (report: Any): Any =>
  Array.isArray(report) ? report.filter(({ limit }) => !REMOVED_LIMITS.has(limit)) : report;

describe(`what operators of ${version} had set`, () => {
  it.each<{ args: string[]; report: Any }>(recorded.reports)('is shown by errand $args.0 $args.1', async (each) => {
    const run = child(product.env.ERRAND_STATE ?? '', [...each.args, '--json'], '', clock);
    expect(run.stderr).toBe('');
    expect(lasting(withoutNewLimits(JSON.parse(run.stdout), each.report))).toMatchObject(
      lasting(withoutRemovedLimits(each.report)),
    );
  });
});

describe(`work that ${version} had not finished when it was killed`, () => {
  const secrets: string[] = recorded.webhookSecrets;
  const webhookOf = (taskId: string) =>
    receivers.flatMap(({ received }) => received).find(({ headers }) => headers['webhook-id']?.includes(taskId));

  function expectSigned(taskId: string): void {
    const { headers, body } = webhookOf(taskId) ?? { headers: {}, body: '' };
    const sentAt = new Date(Number(headers['webhook-timestamp']) * 1_000);
    const signatures = secrets.map((secret) => new Webhook(secret).sign(String(headers['webhook-id']), sentAt, body));
    expect(headers['webhook-signature']).toBe(signatures.join(' '));
  }

  it('is done: running and queued tasks come to their end, and their webhooks are delivered', async () => {
    for (const id of chats.hanging) {
      await expect.poll(async () => (await files(`/tasks/${id}`)).body.status, SOON).toBe('success');
      await expect.poll(() => webhookOf(id), SOON).toBeDefined();
    }
    expectSigned(chats.hanging[0]);
    const { access_token: credential } = (await logIn(recorded.users[1])).body;
    const statusOf = async (id: string) => (await agents(`/tasks/${id}`, { credential })).body.status;
    await expect.poll(() => statusOf(agentTasks.running), SOON).toBe('completed');
  });

  it('goes on at the last checkpoint', async () => {
    await expect.poll(async () => (await files(`/tasks/${chats.atSecondStep}`)).body.status, SOON).toBe('success');
    const { output } = (await files(`/tasks/${chats.atSecondStep}`)).body;
    expect(output.text).toContain('The second step is done.');
    const asked = model.asked.map(({ body }) => JSON.stringify(body));
    const second = asked.find((text) => text.includes(`${STEPS[1]}`));
    expect(second).toContain('The first step is done.');
    expect(asked.filter((text) => text.includes(`${STEPS[0]}`) && !text.includes(`${STEPS[1]}`))).toEqual([]);
  });

  it('includes webhooks in retry, and those that waited for a circuit breaker', async () => {
    for (const id of [chats.inRetry, ...chats.waiting]) {
      const [delivery] = await expect
        .poll(async () => (await files(`/tasks/${id}/deliveries`)).body.deliveries, SOON)
        .toMatchObject([{ state: 'delivered' }])
        .then(async () => (await files(`/tasks/${id}/deliveries`)).body.deliveries);
      expect(delivery.attempts.at(-1).status).toBe(200);
      expectSigned(id);
    }
  });

  it('includes recurring tasks: the next run comes at its time, to all who did not unsubscribe', async () => {
    const runsOf = async (id: string) => (await agents(`/tasks/${id}/results`)).body.results?.runs ?? [];
    await expect.poll(async () => (await runsOf(agentTasks.recurring)).length, RARELY).toBe(1);
    const [run] = await runsOf(agentTasks.recurring);
    expect(run).toMatchObject({ slot_at: new Date(recorded.slotAt).toISOString(), status: 'completed' });
    expect(run.results.recipients).toMatchObject([
      { address: 'ann@errand-tests.org', status: 'sent' },
      { address: 'bob@errand-tests.org', status: 'suppressed', reason: 'unsubscribed' },
    ]);
    expect(await runsOf(agentTasks.ranOnce)).toHaveLength(1);
    expect((await agents(`/tasks/${agentTasks.once}`)).body.status).toBe('pending');
  });
});

  const inFlight: InFlight[] = recorded.inFlight ?? [];
  const byName = Object.entries(Object.groupBy(inFlight, ({ name }) => name)).map(([name, tasks = []]) => ({ name, tasks }));

  describe.runIf(inFlight.length > 0)(`tasks that ${version} left at a checkpoint`, () => {
    let credential: string;
    beforeAll(async () => {
      credential = (await logIn(recorded.users[1])).body.access_token;
    });
    const { apiKey } = recorded.organizations[1];
    const taskOf = async ({ api, id }: InFlight) =>
      (await (api === 'files' ? files(`/tasks/${id}`, { credential: apiKey }) : agents(`/tasks/${id}`, { credential }))).body;

    it.each(byName)('end succeeded: $name', async ({ tasks }) => {
      for (const task of tasks) {
        await expect.poll(async () => (await taskOf(task)).status, SOON).not.toMatch(/^(pending|processing|queued|active)$/);
        const { status, error } = await taskOf(task);
        expect([status, error ?? null]).toEqual([task.api === 'files' ? 'success' : 'completed', null]);
      }
    });
  });
}
